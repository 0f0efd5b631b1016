"""OpenVINO (CPU) as a castproof testee, through its ONNX frontend. See --help."""

import argparse
import dataclasses
import io
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

import linear_model  # noqa: E402
import numpy  # noqa: E402
import openvino  # noqa: E402
from cast_model import loader, part_end, together  # noqa: E402
from castproof_testee import LINEAR, Request, Unsupported, message_of  # noqa: E402
from onnx import ModelProto  # noqa: E402

# OpenVINO's names of the protocol's dtypes.
NAMES = {
    "bool": "boolean",
    "uint2": "u2",
    "int4": "i4",
    "uint4": "u4",
    "int8": "i8",
    "uint8": "u8",
    "int16": "i16",
    "uint16": "u16",
    "int32": "i32",
    "uint32": "u32",
    "int64": "i64",
    "uint64": "u64",
    "float4e2m1": "f4e2m1",
    "float8e4m3fn": "f8e4m3",
    "float8e5m2": "f8e5m2",
    "float8e8m0": "f8e8m0",
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
}
# Those that this version has.
TYPES = {name: getattr(openvino.Type, ours) for name, ours in NAMES.items() if hasattr(openvino.Type, ours)}
# The plugin computes in the types of the model, not in a type that it prefers.
CONFIG = {"INFERENCE_NUM_THREADS": 1, "EXECUTION_MODE_HINT": "ACCURACY"}
COMPILED_KEPT = 1024

# Beginnings of lines that name a place in OpenVINO's sources, or announce the line that follows.
NO_REASON = ("Exception from ", "Check '", "FrontEnd API failed", "Model wasn't fully", "Details:")

CORE = openvino.Core()
# Compiled models by the model that the frontend made. Most operator versions share one.
COMPILED: dict[bytes, openvino.CompiledModel] = {}


def cast(request: Request, elements: bytes | list[str]) -> bytes:
    """Runs one model. Inputs and outputs are the bytes of the runtime's own tensors."""
    inference = compiled_for(request, elements).create_infer_request()
    feeds = {} if request.constant else {"x": tensor(request.source, request.shape, elements)}
    if request.op == "castlike":
        feeds["like"] = tensor(request.target, (0,), b"")
    inference.infer(feeds)
    return output_of(request, inference.get_output_tensor(0))


def chain(request: Request, elements: bytes) -> bytes:
    """Runs one chain."""
    return cast(dataclasses.replace(request, constant=request.constant or constants), elements)


def chains(requests: list[tuple[Request, bytes]]) -> list[bytes]:
    """Runs chains as parts of one model for each operator set."""
    if constants:
        requests = [(dataclasses.replace(it, constant=True), elements) for it, elements in requests]
    outputs = [b""] * len(requests)
    for opset in {request.opset for request, _ in requests}:
        places = [at for at, (request, _) in enumerate(requests) if request.opset == opset]
        of_opset = [requests[at] for at in places]
        model = CORE.read_model(io.BytesIO(together(of_opset).SerializeToString()))
        inference = CORE.compile_model(model, "CPU", CONFIG).create_infer_request()
        feeds = {
            f"x{part_end(number)}": tensor(request.source, request.shape, elements)
            for number, (request, elements) in enumerate(of_opset)
            if not request.constant
        }
        inference.infer(feeds)
        for number, (at, (request, _)) in enumerate(zip(places, of_opset, strict=True)):
            outputs[at] = output_of(request, inference.get_tensor(f"y{part_end(number)}"))
    return outputs


def ask(question: dict, payload: bytes) -> tuple[dict, bytes]:
    """Runs one node of linear quantisation."""
    if question["op"] not in LINEAR:
        raise Unsupported("OpenVINO reads no such operator")
    inputs, outputs = linear_model.split(question, payload)
    compiled = linear_compiled_for(question)
    # The frontend drops the zero point of float8.
    left = {name for port in compiled.inputs for name in port.names}
    inference = compiled.create_infer_request()
    inference.infer(
        {part.name: tensor(part.dtype, part.shape, part.elements) for part in inputs if part.name in left}
    )
    elements = [bytes_of(inference.get_tensor(part.name), part.dtype, part.shape) for part in outputs]
    return {}, linear_model.answer(elements)


def output_of(request: Request, output: openvino.Tensor) -> bytes:
    """Returns the elements of the output of a cast, if it is the one that is due."""
    return bytes_of(output, request.target, request.shape)


def bytes_of(output: openvino.Tensor, dtype: str, shape: tuple[int, ...]) -> bytes:
    """Returns the elements of an output, if it has this dtype and this shape."""
    if output.element_type != TYPES[dtype] or tuple(output.shape) != shape:
        raise RuntimeError(f"the output is {output.element_type} of shape {list(output.shape)}")
    return numpy.asarray(output.data).tobytes()


def load(model: ModelProto) -> openvino.CompiledModel:
    """Compiles a model; raises Unsupported if the runtime refuses to read or compile it."""
    try:
        read = CORE.read_model(io.BytesIO(model.SerializeToString()))
        content = serialized(read)
        if content not in COMPILED:
            if len(COMPILED) >= COMPILED_KEPT:
                COMPILED.pop(next(iter(COMPILED)))
            COMPILED[content] = CORE.compile_model(read, "CPU", CONFIG)
        return COMPILED[content]
    except RuntimeError as refusal:
        raise Unsupported(reason(refusal)) from refusal


compiled_for = loader(load)
linear_compiled_for = linear_model.loader(load, sizes="fixed")


def serialized(model: openvino.Model) -> bytes:
    """Returns the model as OpenVINO writes it, with its constants."""
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder, "model.xml"), Path(folder, "model.bin")
        openvino.serialize(model, *files)
        return b"".join(file.read_bytes() for file in files)


def reason(refusal: RuntimeError) -> str:
    """Returns the text of an exception of OpenVINO without the places in its sources."""
    lines = [line.strip() for line in str(refusal).splitlines()]
    said = [line for line in lines if line and not line.startswith(NO_REASON)]
    return " ".join(said) or message_of(refusal)


def tensor(dtype: str, shape: tuple[int, ...], payload: bytes) -> openvino.Tensor:
    """Returns a tensor that holds the payload byte for byte."""
    made = openvino.Tensor(TYPES[dtype], list(shape))
    if made.byte_size != len(payload):
        raise RuntimeError(f"shape {list(shape)} of {dtype} takes {made.byte_size} bytes there")
    raw = made.data.reshape(-1).view(numpy.uint8)
    raw[:] = numpy.frombuffer(payload, numpy.uint8)
    return made


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--constant-chains", action="store_true", help="make the input of each chain a constant"
    )
    constants = parser.parse_args().constant_chains
    version = openvino.__version__.split("-")[0]
    castproof_testee.serve(
        STREAM,
        "openvino constant-chains" if constants else "openvino",
        version,
        cast,
        ask=ask,
        strings=True,  # OpenVINO has the dtype and itself refuses each cast from and to it
        features=("shapes", "constant"),
        chain=chain,
        chains=chains,
    )
