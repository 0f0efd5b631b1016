"""OpenVINO (CPU) as a castproof testee, by way of its ONNX frontend."""

import functools
import io
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee  # noqa: E402

STREAM = castproof_testee.claim_stdio()

import numpy  # noqa: E402
import openvino  # noqa: E402
from cast_model import ModelKey, build_model, model_key  # noqa: E402
from castproof_testee import Request, Unsupported, first_line  # noqa: E402

# The protocol's dtypes, where OpenVINO has them.
TYPES = {
    "bool": openvino.Type.boolean,
    "int4": openvino.Type.i4,
    "uint4": openvino.Type.u4,
    "int8": openvino.Type.i8,
    "uint8": openvino.Type.u8,
    "int16": openvino.Type.i16,
    "uint16": openvino.Type.u16,
    "int32": openvino.Type.i32,
    "uint32": openvino.Type.u32,
    "int64": openvino.Type.i64,
    "uint64": openvino.Type.u64,
    "float8e4m3fn": openvino.Type.f8e4m3,
    "float8e5m2": openvino.Type.f8e5m2,
    "float16": openvino.Type.f16,
    "bfloat16": openvino.Type.bf16,
    "float32": openvino.Type.f32,
    "float64": openvino.Type.f64,
}
# Computes as the model says, not in a type that the plugin prefers.
CONFIG = {"INFERENCE_NUM_THREADS": 1, "EXECUTION_MODE_HINT": "ACCURACY"}
MODELS_KEPT = 256


def cast(request: Request, payload: bytes) -> bytes:
    """Runs one cast; inputs and outputs are the runtime's own tensor bytes."""
    compiled = load(model_key(request))
    source = tensor(request.source, request.shape, payload)
    inference = compiled.create_infer_request()
    inference.infer([source])
    output = inference.get_output_tensor(0)
    if output.element_type != TYPES[request.target] or tuple(output.shape) != request.shape:
        raise RuntimeError(f"the output is {output.element_type} of shape {list(output.shape)}")
    return numpy.asarray(output.data).tobytes()


@functools.lru_cache(maxsize=MODELS_KEPT)
def load(key: ModelKey) -> openvino.CompiledModel:
    """The compiled one-node model; raises Unsupported if the runtime refuses it."""
    for dtype in (key.source, key.target):
        if dtype not in TYPES:
            raise Unsupported(f"OpenVINO has no {dtype}")
    model = io.BytesIO(build_model(key).SerializeToString())
    core = openvino.Core()
    try:
        return core.compile_model(core.read_model(model), "CPU", CONFIG)
    except RuntimeError as refusal:
        raise Unsupported(first_line(refusal)) from refusal


def tensor(dtype: str, shape: tuple[int, ...], payload: bytes) -> openvino.Tensor:
    """A tensor that holds the payload byte for byte."""
    made = openvino.Tensor(TYPES[dtype], list(shape))
    if made.byte_size != len(payload):
        raise RuntimeError(f"shape {list(shape)} of {dtype} takes {made.byte_size} bytes there")
    raw = made.data.view(numpy.uint8).reshape(-1)
    raw[:] = numpy.frombuffer(payload, numpy.uint8)
    return made


if __name__ == "__main__":
    version = openvino.__version__.split("-")[0]
    castproof_testee.serve(STREAM, "openvino", version, cast)
