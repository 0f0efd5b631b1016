"""Casts of array libraries, which know no operator versions and no attributes.

They are asked for the newest operator set only. Where an attribute decides, a library has one
answer: the adapter says for which value of the attribute that answer is meant.
"""

import ml_dtypes
import numpy
from castproof_testee import ELEMENT_BITS, Request, Unsupported

NEWEST_OPSET = 28

# Names that differ from the protocol's.
NAMES = {
    "float4e2m1": "float4_e2m1fn",
    "float6e2m3": "float6_e2m3fn",
    "float6e3m2": "float6_e3m2fn",
    "float8e4m3fn": "float8_e4m3fn",
    "float8e4m3fnuz": "float8_e4m3fnuz",
    "float8e5m2": "float8_e5m2",
    "float8e5m2fnuz": "float8_e5m2fnuz",
    "float8e8m0": "float8_e8m0fnu",
}


def dtype(name: str) -> numpy.dtype:
    """The numpy dtype of a protocol name."""
    name = NAMES.get(name, name)
    return numpy.dtype(getattr(ml_dtypes, name, name))


def casts(names: list[str]) -> list[dict]:
    """All pairs of these dtypes, for the hello."""
    return [{"from": name, "to": names, "opsets": [NEWEST_OPSET]} for name in names]


def check_request(request: Request, saturating: tuple[str, ...] = ()) -> None:
    """Raises Unsupported for what the library does not offer.

    A cast to one of the targets `saturating` always saturates, one to any other float8 never.
    """
    if request.op != "cast":
        raise Unsupported("there is no CastLike")
    if request.target in saturating:
        if request.saturate == 0:
            raise Unsupported(f"every cast to {request.target} saturates")
    elif request.target.startswith("float8") and request.saturate != 0:
        raise Unsupported(f"no cast to {request.target} saturates")
    if request.target == "float8e8m0" and request.round_mode != "nearest":
        raise Unsupported(f"there is no rounding mode '{request.round_mode}'")


def to_array(name: str, payload: bytes, count: int) -> numpy.ndarray:
    """Elements of the protocol as an array; sub-byte elements get a byte each."""
    bits = ELEMENT_BITS.get(name, 8)  # complex elements take whole bytes
    if bits < 8:
        stream = numpy.unpackbits(numpy.frombuffer(payload, numpy.uint8), bitorder="little")
        fields = stream[: count * bits].reshape(count, bits)
        payload = numpy.packbits(fields, axis=1, bitorder="little").tobytes()
    return numpy.frombuffer(payload, dtype(name))


def to_bytes(name: str, array: numpy.ndarray) -> bytes:
    """An array as elements of the protocol."""
    if array.dtype != dtype(name):
        raise RuntimeError(f"the output is {array.dtype}")
    bits = ELEMENT_BITS.get(name, 8)  # complex elements take whole bytes
    if bits >= 8:
        return array.tobytes()
    codes = numpy.frombuffer(array.tobytes(), numpy.uint8).reshape(-1, 1)
    fields = numpy.unpackbits(codes, axis=1, bitorder="little")[:, :bits]
    return numpy.packbits(fields, bitorder="little").tobytes()
