"""PaddlePaddle on the CPU as a castproof testee: `paddle.cast`."""

import sys
import warnings
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

import array_cast  # noqa: E402
from castproof_testee import ELEMENT_BITS, LAYOUTS, Request  # noqa: E402

warnings.filterwarnings("ignore", "No ccache found")  # a cache of compiled extensions, which are not used here

import paddle  # noqa: E402

SPELLED = {"float8e4m3fn": "float8_e4m3fn", "float8e5m2": "float8_e5m2"}

# The dtypes of PaddlePaddle.
DTYPES = {name: getattr(paddle, SPELLED.get(name, name)) for name in ELEMENT_BITS if hasattr(paddle, SPELLED.get(name, name))}

# Integers of a dtype's width in bytes, as which elements go in. Layouts are views of these integers, because PaddlePaddle has no views
# of unsigned integers of 16 bits and more.
CODES = {1: "uint8", 2: "int16", 4: "int32", 8: "int64"}

# Casts to these saturate; there is no attribute.
SATURATING = tuple(SPELLED)


def view(tensor: paddle.Tensor, layout: str, shape: tuple[int, ...]) -> paddle.Tensor:
    """Returns the view of a tensor in a layout."""
    if layout == "transposed":
        return tensor.transpose([1, 0])
    if layout == "broadcast":
        return paddle.as_strided(tensor, list(shape), [0, *tensor.strides[1:]])
    return array_cast.view_of(paddle, tensor, layout, shape)


def cast(request: Request, payload: bytes) -> bytes:
    """Runs the casts of a request, of which a chain has several, one after the other."""
    array_cast.check_request(request, SATURATING)
    array = array_cast.to_array(request.source, payload, request.shape)
    memory = array_cast.memory_of(request.source, array, request.layout)
    tensor = paddle.to_tensor(memory.view(CODES[memory.dtype.itemsize]))
    output = view(tensor, request.layout, request.shape).view(DTYPES[request.source])
    for name in request.dtypes[1:]:
        output = paddle.cast(output, DTYPES[name])
    if output.dtype != DTYPES[request.target] or tuple(output.shape) != request.shape:
        raise RuntimeError(f"the output is {output.dtype} of shape {output.shape}")
    return output.numpy().tobytes()  # bfloat16 comes as uint16, float8 as int8


if __name__ == "__main__":
    paddle.set_device("cpu")
    castproof_testee.serve(
        STREAM,
        "paddle",
        paddle.__version__,
        cast,
        array_cast.casts(list(DTYPES)),
        features=("shapes", *LAYOUTS),
        chain=cast,
    )
