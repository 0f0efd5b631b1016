"""ONNX Runtime (CPU) as a castproof testee."""

import ctypes
import functools
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee  # noqa: E402

STREAM = castproof_testee.claim_stdio()

import onnxruntime  # noqa: E402
from cast_model import ModelKey, build_model, model_key, onnx_type  # noqa: E402
from castproof_testee import Request, Unsupported, first_line  # noqa: E402
from onnxruntime.capi import onnxruntime_pybind11_state as status  # noqa: E402

# How ONNX Runtime refuses to load a model: no kernel, type not allowed by the operator, element
# type unknown, opset or IR version too new. Any other failure to load is an error.
REFUSALS = (status.NotImplemented, status.InvalidGraph, status.InvalidArgument, status.Fail)
FATAL_ONLY = 4
SESSIONS_KEPT = 256


def cast(request: Request, payload: bytes) -> bytes:
    """Runs one cast; inputs and outputs are the runtime's own tensor bytes."""
    session = load(model_key(request))
    binding = session.io_binding()
    binding.bind_ortvalue_input("x", tensor(request.source, request.shape, payload))
    if request.op == "castlike":
        binding.bind_ortvalue_input("like", tensor(request.target, (0,), b""))
    binding.bind_output("y", "cpu")
    session.run_with_iobinding(binding)
    (output,) = binding.get_outputs()
    if output.element_type() != onnx_type(request.target) or output.shape() != list(request.shape):
        raise RuntimeError(f"the output is {output.data_type()} of shape {output.shape()}")
    return ctypes.string_at(output.data_ptr(), output.tensor_size_in_bytes())


@functools.lru_cache(maxsize=SESSIONS_KEPT)
def load(key: ModelKey) -> onnxruntime.InferenceSession:
    """The session of a one-node model; raises Unsupported if the runtime refuses the model."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = FATAL_ONLY
    model = build_model(key).SerializeToString()
    try:
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except REFUSALS as refusal:
        raise Unsupported(first_line(refusal)) from refusal


def tensor(dtype: str, shape: tuple[int, ...], payload: bytes) -> onnxruntime.OrtValue:
    """A tensor that holds the payload byte for byte; the runtime packs as the protocol does."""
    value = onnxruntime.OrtValue.ortvalue_from_shape_and_type(list(shape), onnx_type(dtype))
    if value.tensor_size_in_bytes() != len(payload):
        raise RuntimeError(
            f"the runtime stores shape {list(shape)} of {dtype} in "
            f"{value.tensor_size_in_bytes()} bytes, not {len(payload)}"
        )
    ctypes.memmove(value.data_ptr(), payload, len(payload))
    return value


if __name__ == "__main__":
    onnxruntime.set_default_logger_severity(FATAL_ONLY)
    castproof_testee.serve(STREAM, "onnxruntime", onnxruntime.__version__, cast)
