"""Arrays of Arrow, in which several runtimes take their elements.

Such a runtime has no operator versions and no attributes, so it is asked as the newest Cast.
"""

import itertools
from collections.abc import Callable

import pyarrow
from castproof_testee import ELEMENT_BITS, STRING, Attributes, Request, Unsupported, serve

NEWEST_OPSET = 28

# The number of elements before an `offset` slice. They fill no byte of packed bool, and whole 16 bytes of no dtype.
OFFSET = 3

# The dtypes that Arrow has.
TYPES = {
    "bool": pyarrow.bool_(),
    "int8": pyarrow.int8(),
    "uint8": pyarrow.uint8(),
    "int16": pyarrow.int16(),
    "uint16": pyarrow.uint16(),
    "int32": pyarrow.int32(),
    "uint32": pyarrow.uint32(),
    "int64": pyarrow.int64(),
    "uint64": pyarrow.uint64(),
    "float16": pyarrow.float16(),
    "float32": pyarrow.float32(),
    "float64": pyarrow.float64(),
    STRING: pyarrow.string(),
}


def serve_columns(stream, name: str, version: str, has: Callable[[str, str], bool], cast, chain) -> None:
    """Serves a runtime that has texts, slices of longer arrays, and the pairs that `has` tells."""
    serve(stream, name, version, cast, casts(has), strings=True, features=("offset",), chain=chain)


def casts(has: Callable[[str, str], bool]) -> list[dict]:
    """Returns the pairs that a runtime has, for the hello."""
    pairs = filter(lambda pair: has(*pair), itertools.product(TYPES, TYPES))
    rows = itertools.groupby(pairs, lambda pair: pair[0])
    return [{"from": source, "to": [to for _, to in row], "opsets": [NEWEST_OPSET]} for source, row in rows]


def check(request: Request) -> None:
    """Raises Unsupported for what such a runtime has no words for."""
    if request.op == "castlike" or request.opset != NEWEST_OPSET:
        raise Unsupported(f"the runtime is asked for Cast-{NEWEST_OPSET} only")
    if any(given != Attributes() for given in request.attributes):
        raise Unsupported("casts of the runtime have no attributes")


def input_of(request: Request, elements: bytes | list[str]) -> pyarrow.Array:
    """Returns the input of a request; of an `offset` one, as a slice of a longer array."""
    array = to_array(request.source, elements)
    if request.layout == "offset":
        return pyarrow.concat_arrays([to_array(request.source, _before(request, elements)), array])[OFFSET:]
    return array


def to_array(dtype: str, elements: bytes | list[str]) -> pyarrow.Array:
    """Returns elements of the protocol as an array. Arrow packs eight elements of bool to a byte."""
    if dtype == STRING:
        return pyarrow.array(elements, TYPES[dtype])
    if dtype == "bool":
        return pyarrow.array([code != 0 for code in elements], TYPES[dtype])
    count = len(elements) * 8 // ELEMENT_BITS[dtype]
    return pyarrow.Array.from_buffers(TYPES[dtype], count, [None, pyarrow.py_buffer(elements)])


def to_elements(dtype: str, output: pyarrow.Array) -> bytes | list[str]:
    """Returns an array as elements of the protocol. Of a null it returns what the runtime left in its place."""
    if output.type != TYPES[dtype]:
        raise RuntimeError(f"the output is {output.type}")
    if dtype in (STRING, "bool"):
        if output.null_count:
            raise RuntimeError(f"{output.null_count} elements of {dtype} are null")
        return output.to_pylist() if dtype == STRING else bytes(output.to_pylist())
    width = ELEMENT_BITS[dtype] // 8
    if not len(output):
        return b""  # the buffer may be missing
    return output.buffers()[1].to_pybytes()[output.offset * width : (output.offset + len(output)) * width]


def _before(request: Request, elements: bytes | list[str]) -> bytes | list[str]:
    """Returns the elements before a slice: the first ones of the input with every bit inverted, or empty texts."""
    if request.source == STRING:
        return [""] * OFFSET
    size = OFFSET * ELEMENT_BITS[request.source] // 8
    mask = 1 if request.source == "bool" else 0xFF
    return bytes(byte ^ mask for byte in itertools.islice(itertools.cycle(elements or bytes(size)), size))
