"""MindSpore (CPU, synchronous) as a castproof testee: ops.cast, also complex, and promotion."""

import os
import struct
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

os.environ["GLOG_v"] = "4"

import mindspore  # noqa: E402
import numpy  # noqa: E402
from castproof_testee import Attributes, Request, Unsupported, message_of  # noqa: E402
from mindspore import Tensor, mint, ops  # noqa: E402

# ops.cast has no operator versions, so it answers only the newest one.
NEWEST_OPSET = 28

# bfloat16 and float8 have no numpy dtype. Their elements are passed as integers and viewed as their
# own dtype.
CARRIERS = {"bfloat16": mindspore.int16, "float8e4m3fn": mindspore.int8, "float8e5m2": mindspore.int8}
DTYPES = {
    "bool": (mindspore.bool_, numpy.bool_),
    "int8": (mindspore.int8, numpy.int8),
    "int16": (mindspore.int16, numpy.int16),
    "int32": (mindspore.int32, numpy.int32),
    "int64": (mindspore.int64, numpy.int64),
    "uint8": (mindspore.uint8, numpy.uint8),
    "uint16": (mindspore.uint16, numpy.uint16),
    "uint32": (mindspore.uint32, numpy.uint32),
    "uint64": (mindspore.uint64, numpy.uint64),
    "float8e4m3fn": (mindspore.float8_e4m3fn, numpy.int8),
    "float8e5m2": (mindspore.float8_e5m2, numpy.int8),
    "float16": (mindspore.float16, numpy.float16),
    "bfloat16": (mindspore.bfloat16, numpy.int16),
    "float32": (mindspore.float32, numpy.float32),
    "float64": (mindspore.float64, numpy.float64),
    "complex64": (mindspore.complex64, numpy.complex64),
    "complex128": (mindspore.complex128, numpy.complex128),
}
NAMES = {dtype: name for name, (dtype, _) in DTYPES.items()}
NUMBERS = {"bool": True, "int": 1, "float": 1.0}

# The words of MindSpore's error for operands that do not promote.
NO_PROMOTION = "Type implicit conversion"


def cast(request: Request, payload: bytes) -> bytes:
    """Runs one cast by the rules of ONNX, which ops.cast shares where they define the result."""
    if request.op != "cast" or request.opset != NEWEST_OPSET:
        raise Unsupported("ops.cast is asked as Cast-28 only")
    (given,) = request.attributes
    if given != Attributes():
        raise Unsupported("ops.cast has no attributes")
    return convert(request.source, request.target, request.shape, payload)


def ask(question: dict, payload: bytes) -> tuple[dict, bytes]:
    """Answers questions about promotion, its operands, and complex casts of mindspore-cast."""
    if question["op"] == "promote":
        return {"dtype": promote(question["tensor"], question["with"])}, b""
    if question["op"] == "operands":
        return operands(question["tensor"], question["with"], payload)
    if question["op"] == "complexcast" and question["profile"] == "mindspore-cast":
        return {}, convert(question["from"], question["to"], (1,), payload)
    raise Unsupported("MindSpore has no such operation")


def promote(tensor: str, other: dict) -> str:
    """Returns the dtype of a sum, in which the operands are promoted."""
    left = ones(tensor)
    right = ones(other["tensor"]) if "tensor" in other else NUMBERS[other["number"]]
    try:
        return NAMES[(left + right).dtype]
    except TypeError as error:
        if NO_PROMOTION in str(error):
            raise Unsupported(message_of(error)) from error
        raise


def operands(tensor: str, other: dict, payload: bytes) -> tuple[dict, bytes]:
    """Returns both promoted operands, by an operation that returns one of them unchanged."""
    dtype = promote(tensor, other)
    width = DTYPES[tensor][1]().itemsize
    left, one = to_tensor(tensor, (1,), payload[:width]), ones(tensor)
    if "tensor" in other:
        right = to_tensor(other["tensor"], (1,), payload[width:])
        other_one = ones(other["tensor"])
    else:
        right = number(other["number"], payload[width:])
        other_one = NUMBERS[other["number"]]
    if dtype == "bfloat16":
        # ops.where has no kernel for bfloat16; a product with 1 changes nothing.
        promoted = [mint.mul(left, other_one), mint.mul(one, right)]
    else:
        promoted = [ops.where(Tensor([first]), left, right) for first in (True, False)]
    for output in promoted:
        if NAMES[output.dtype] != dtype:
            raise RuntimeError(f"a sum is {dtype}, and another operation {NAMES[output.dtype]}")
    return {"dtype": dtype}, b"".join(to_bytes(dtype, output) for output in promoted)


def number(kind: str, payload: bytes) -> bool | int | float:
    """Returns a Python number, from a bool, an int64 or a float64."""
    return struct.unpack({"bool": "<?", "int": "<q", "float": "<d"}[kind], payload)[0]


def ones(name: str) -> Tensor:
    """Returns a tensor of this dtype that holds 1."""
    if name not in DTYPES:
        raise Unsupported(f"MindSpore has no {name}")
    return ops.cast(Tensor(numpy.ones(1, numpy.float32)), DTYPES[name][0])


def convert(source: str, target: str, shape, payload: bytes) -> bytes:
    """Runs one ops.cast of the payload's elements."""
    for name in (source, target):
        if name not in DTYPES:
            raise Unsupported(f"MindSpore has no {name}")
    output = ops.cast(to_tensor(source, shape, payload), DTYPES[target][0])
    return to_bytes(target, output)


def to_tensor(name: str, shape, payload: bytes) -> Tensor:
    """Returns the payload as a tensor, byte for byte."""
    dtype, array = DTYPES[name]
    tensor = Tensor(numpy.frombuffer(payload, array).reshape(shape).copy())
    return tensor.view(dtype) if tensor.dtype != dtype else tensor


def to_bytes(name: str, tensor: Tensor) -> bytes:
    """Returns a tensor's elements, little-endian."""
    if name in CARRIERS:
        tensor = tensor.view(CARRIERS[name])
    return tensor.asnumpy().tobytes()


if __name__ == "__main__":
    # Without this, an error is raised by a later, unrelated operation.
    mindspore.set_context(mode=mindspore.PYNATIVE_MODE, pynative_synchronize=True)
    mindspore.set_device("CPU")
    castproof_testee.serve(STREAM, "mindspore", mindspore.__version__, cast, ask=ask, features=("shapes",))
