"""Casts of array libraries, which have no operator versions and no attributes.

They answer only the newest operator set. If an attribute decides the result, a library has one
answer; the adapter says for which value of the attribute it is meant.
"""

import math

import ml_dtypes
import numpy

if __package__:  # in the Python package castproof
    from .castproof_testee import ELEMENT_BITS, Attributes, BadRequest, Request, Unsupported
else:
    from castproof_testee import ELEMENT_BITS, Attributes, BadRequest, Request, Unsupported

NEWEST_OPSET = 28

# What ONNX takes for `round_mode` if it is not given.
DEFAULT_ROUND_MODE = "up"

# The number of elements before an `offset` view. They fill whole 16 bytes for no numeric dtype.
OFFSET = 3

# The targets of which `saturate` decides what a number out of range becomes.
WITH_SATURATE = (
    "float8e4m3fn",
    "float8e4m3fnuz",
    "float8e5m2",
    "float8e5m2fnuz",
    "float8e8m0",
)

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
    """Returns the numpy dtype of a protocol name."""
    name = NAMES.get(name, name)
    return numpy.dtype(getattr(ml_dtypes, name, name))


def has(name: str) -> bool:
    """Has this numpy, with this ml_dtypes, the dtype?"""
    try:
        dtype(name)
    except TypeError:
        return False
    return True


def casts(names: list[str]) -> list[dict]:
    """Returns all pairs of these dtypes, for the hello."""
    return [{"from": name, "to": names, "opsets": [NEWEST_OPSET]} for name in names]


def check_request(
    request: Request,
    saturating: tuple[str, ...] = (),
    round_mode: str = "nearest",
    in_profiles: bool = False,
) -> None:
    """Raises Unsupported for what the library does not offer.

    Casts to the targets in `saturating` always saturate; casts to others of WITH_SATURATE never do.
    Casts to float8e8m0 round by `round_mode`. Requests of profiles give no attributes, unless
    `in_profiles` says that the adapter has those of its profiles.
    """
    if request.op == "castlike":
        raise Unsupported("there is no CastLike")
    if request.profile is not None:
        if not in_profiles and any(given != Attributes() for given in request.attributes):
            raise Unsupported(f"{request.profile} has no attributes")
        return
    for target, given in zip(request.dtypes[1:], request.attributes, strict=True):
        if target in saturating:
            if given.saturate == 0:
                raise Unsupported(f"every cast to {target} saturates")
        elif target in WITH_SATURATE and given.saturate != 0:
            raise Unsupported(f"no cast to {target} saturates")
        mode = given.round_mode or DEFAULT_ROUND_MODE
        if target == "float8e8m0" and mode != round_mode:
            raise Unsupported(f"there is no rounding mode '{mode}'")


def to_array(name: str, payload: bytes, shape) -> numpy.ndarray:
    """Returns elements of the protocol as an array; each sub-byte element gets a byte."""
    bits = ELEMENT_BITS.get(name, 8)  # complex elements take whole bytes
    if bits < 8:
        stream = numpy.unpackbits(numpy.frombuffer(payload, numpy.uint8), bitorder="little")
        count = math.prod(shape)
        fields = stream[: count * bits].reshape(count, bits)
        payload = numpy.packbits(fields, axis=1, bitorder="little").tobytes()
    return numpy.frombuffer(payload, dtype(name)).reshape(shape)


def to_bytes(name: str, array: numpy.ndarray) -> bytes:
    """Returns an array as elements of the protocol, in row-major order."""
    if array.dtype != dtype(name):
        raise RuntimeError(f"the output is {array.dtype}")
    bits = ELEMENT_BITS.get(name, 8)  # complex elements take whole bytes
    if bits >= 8:
        return array.tobytes()
    codes = numpy.frombuffer(array.tobytes(), numpy.uint8).reshape(-1, 1)
    fields = numpy.unpackbits(codes, axis=1, bitorder="little")[:, :bits]
    return numpy.packbits(fields, bitorder="little").tobytes()


def memory_of(name: str, array: numpy.ndarray, layout: str) -> numpy.ndarray:
    """Returns the contiguous array whose view in this layout, by `view_of`, equals `array`.

    Its other elements are elements of `array` with every bit inverted.
    """
    if layout == "strided":
        memory = numpy.empty((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
        memory[..., ::2] = array
        memory[..., 1::2] = _other(name, array)
        return memory
    if layout == "reversed":
        return array[..., ::-1].copy()
    if layout == "transposed":
        return array.T.copy()
    if layout == "broadcast":
        if array.size and array.tobytes() != array[:1].tobytes() * len(array):
            raise BadRequest("a broadcast tensor has equal rows along its first axis")
        return array[:1].copy()
    if layout == "offset":
        before = numpy.resize(_other(name, array), OFFSET)
        return numpy.concatenate([before, array.ravel()])
    return array


def view_of(library, memory, layout: str, shape: tuple[int, ...]):
    """Returns the view of `memory` in a layout; `library` has the functions of the array API."""
    if layout == "strided":
        return memory[..., ::2]
    if layout == "reversed":
        return memory[..., ::-1]
    if layout == "transposed":
        return library.swapaxes(memory, 0, 1)
    if layout == "broadcast":
        return library.broadcast_to(memory, shape)
    if layout == "offset":
        return library.reshape(memory[OFFSET:], shape)
    return memory


def _other(name: str, array: numpy.ndarray) -> numpy.ndarray:
    """Returns the elements with every bit inverted; for bool, true becomes false and vice versa."""
    bits = 1 if name == "bool" else min(ELEMENT_BITS[name], 8)
    codes = numpy.frombuffer(array.tobytes(), numpy.uint8) ^ ((1 << bits) - 1)
    return numpy.frombuffer(codes.astype(numpy.uint8).tobytes(), array.dtype).reshape(array.shape)
