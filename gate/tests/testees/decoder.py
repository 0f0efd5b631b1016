"""Decodes blocks of mx from float8e4m3fn to float32, or with a fault."""

import math
import struct
import sys

from serving import Unsupported, serve

mode = sys.argv[1] if len(sys.argv) > 1 else "right"


def element(code):
    field, significand = code >> 3 & 15, code & 7
    if code & 0x7F == 0x7F:
        return math.nan
    value = significand * 2.0**-9 if field == 0 else (8 + significand) * 2.0 ** (field - 10)
    return -value if code >> 7 else value


def scale(code):
    if code == 0xFF:
        return math.nan
    if mode == "zero" and code == 0:
        return 0.0
    return 2.0 ** (code - 127)


def number(value):
    try:
        return struct.pack("<f", value)
    except OverflowError:
        return struct.pack("<f", math.copysign(math.inf, value))


def decode(header, data):
    shape, axis, size = header["shape"], header["axis"], header["blockSize"]
    along, behind = shape[axis], math.prod(shape[axis + 1 :])
    blocks = -(-along // size)
    count = math.prod(shape)
    scales, elements = data[:-count], data[-count:]

    def at(place):
        row, column = place // behind // along, place % behind
        block = place // behind % along // size
        if mode == "turns":
            return place % len(scales)
        return (row * blocks + block) * behind + column

    return b"".join(number(element(code) * scale(scales[at(place)])) for place, code in enumerate(elements))


def answer(header, data):
    asked = [header.get(name) for name in ("op", "format", "from", "to")]
    if asked != ["dequantize-block", "mx", "float8e4m3fn", "float32"]:
        raise Unsupported("other blocks")
    return decode(header, data), {}


serve("decoder", answer)
