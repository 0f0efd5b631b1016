"""ONNX Runtime (CPU) as a castproof testee. See --help."""

import argparse
import ctypes
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

import linear_model  # noqa: E402
import onnxruntime  # noqa: E402
from cast_model import bitcast_request, loader, onnx_type, tensor_proto  # noqa: E402
from castproof_testee import LINEAR, STRING, Request, Unsupported, message_of  # noqa: E402
from onnx import ModelProto, TensorProto, helper  # noqa: E402
from onnxruntime.capi import onnxruntime_pybind11_state as status  # noqa: E402

# Exceptions by which ONNX Runtime refuses to load a model: no kernel, type not allowed by the
# operator, element type unknown, opset or IR version too new. Any other failure is an error.
REFUSALS = (status.NotImplemented, status.InvalidGraph, status.InvalidArgument, status.Fail)
FATAL_ONLY = 4

# How graphs are optimised: the level (None: the runtime's choice) and further options.
LEVELS = onnxruntime.GraphOptimizationLevel
CAST_OPTIMISATIONS = {"optimization.enable_cast_chain_elimination": "1"}
OPTIMISATIONS = {
    "default": (None, {}),
    "no-optimisation": (LEVELS.ORT_DISABLE_ALL, {}),
    "basic": (LEVELS.ORT_ENABLE_BASIC, {}),
    "extended": (LEVELS.ORT_ENABLE_EXTENDED, {}),
    "all": (LEVELS.ORT_ENABLE_ALL, {}),
    "all-optimisations": (LEVELS.ORT_ENABLE_ALL, CAST_OPTIMISATIONS),
}
# Versions before 1.23 have no such level.
if hasattr(LEVELS, "ORT_ENABLE_LAYOUT"):
    OPTIMISATIONS["layout"] = (LEVELS.ORT_ENABLE_LAYOUT, {})

# Versions of the models that make tensors of strings. Any version with Identity would do.
IDENTITY_OPSET, IDENTITY_IR_VERSION = 13, 7


def cast(request: Request, elements: bytes | list[str]) -> bytes | list[str]:
    """Runs one model. Inputs and outputs are the runtime's own tensors, of strings or of bytes."""
    session = session_of(request, elements)
    binding = session.io_binding()
    if not request.constant:
        binding.bind_ortvalue_input("x", tensor(request.source, request.shape, elements))
    if request.op == "castlike":
        nothing = [] if request.target == STRING else b""
        binding.bind_ortvalue_input("like", tensor(request.target, (0,), nothing))
    binding.bind_output("y", "cpu")
    session.run_with_iobinding(binding)
    (output,) = binding.get_outputs()
    if output.element_type() != onnx_type(request.target) or output.shape() != list(request.shape):
        raise RuntimeError(f"the output is {output.data_type()} of shape {output.shape()}")
    if request.target == STRING:
        return output.numpy().ravel().tolist()
    return ctypes.string_at(output.data_ptr(), output.tensor_size_in_bytes())


def ask(question: dict, payload: bytes) -> tuple[dict, bytes]:
    """Runs one node of linear quantisation, or one BitCast."""
    if question["op"] in LINEAR:
        return {}, linear(question, payload)
    request = bitcast_request(question)
    return {"shape": list(request.shape)}, cast(request, payload)


def linear(question: dict, payload: bytes) -> bytes:
    """Runs one node of linear quantisation."""
    inputs, outputs = linear_model.split(question, payload)
    session = linear_session_of(question)
    binding = session.io_binding()
    for part in inputs:
        binding.bind_ortvalue_input(part.name, tensor(part.dtype, part.shape, part.elements))
    for part in outputs:
        binding.bind_output(part.name, "cpu")
    session.run_with_iobinding(binding)
    elements = []
    for part, output in zip(outputs, binding.get_outputs(), strict=True):
        if output.element_type() != onnx_type(part.dtype) or output.shape() != list(part.shape):
            raise RuntimeError(f"{part.name} is {output.data_type()} of shape {output.shape()}")
        elements.append(ctypes.string_at(output.data_ptr(), output.tensor_size_in_bytes()))
    return linear_model.answer(elements)


def load(model: ModelProto) -> onnxruntime.InferenceSession:
    """Returns the session of a model; raises Unsupported if the runtime refuses the model."""
    try:
        return start(model)
    except REFUSALS as refusal:
        raise Unsupported(message_of(refusal)) from refusal


session_of = loader(load)
linear_session_of = linear_model.loader(load)


def start(model: ModelProto) -> onnxruntime.InferenceSession:
    """Returns the session of a model, on one thread."""
    options = onnxruntime.SessionOptions()
    level, entries = OPTIMISATIONS[optimisation]
    if level is not None:
        options.graph_optimization_level = level
    for name, value in entries.items():
        options.add_session_config_entry(name, value)
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = FATAL_ONLY
    providers = ["CPUExecutionProvider"]
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=providers)


def tensor(
    dtype: str, shape: tuple[int, ...], elements: bytes | list[str]
) -> onnxruntime.OrtValue:
    """Returns a tensor of the elements. The runtime packs bytes as the protocol does."""
    if dtype == STRING:
        return string_tensor(shape, elements)
    value = onnxruntime.OrtValue.ortvalue_from_shape_and_type(list(shape), onnx_type(dtype))
    if value.tensor_size_in_bytes() != len(elements):
        raise RuntimeError(
            f"the runtime stores shape {list(shape)} of {dtype} in "
            f"{value.tensor_size_in_bytes()} bytes, not {len(elements)}"
        )
    ctypes.memmove(value.data_ptr(), elements, len(elements))
    return value


def string_tensor(shape: tuple[int, ...], texts: list[str]) -> onnxruntime.OrtValue:
    """Returns a tensor of strings. Python cannot make one that can be bound, so the runtime does:
    the texts are the constant of a model that returns it."""
    constant = tensor_proto("texts", STRING, shape, texts)
    output = helper.make_tensor_value_info("y", TensorProto.STRING, shape)
    node = helper.make_node("Identity", ["texts"], ["y"])
    graph = helper.make_graph([node], "texts", [], [output], [constant])
    opsets = [helper.make_opsetid("", IDENTITY_OPSET)]
    session = start(helper.make_model(graph, opset_imports=opsets, ir_version=IDENTITY_IR_VERSION))
    (value,) = session.run_with_ort_values(["y"], {})
    return value


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--optimisation", choices=OPTIMISATIONS, default="default")
    optimisation = parser.parse_args().optimisation
    onnxruntime.set_default_logger_severity(FATAL_ONLY)
    name = "onnxruntime" if optimisation == "default" else f"onnxruntime {optimisation}"
    castproof_testee.serve(
        STREAM,
        name,
        onnxruntime.__version__,
        cast,
        ask=ask,
        strings=True,
        features=("shapes", "constant", "chain-castlike", "chain-bitcast"),
        chain=cast,
    )
