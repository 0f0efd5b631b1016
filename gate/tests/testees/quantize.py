"""Quantises float32 and float16 to small integers and back as ONNX does, in exact arithmetic, or with a fault."""

import math
import struct
import sys
from fractions import Fraction

from serving import Unsupported, serve

mode = sys.argv[1] if len(sys.argv) > 1 else "right"

RANGES = {"int8": (-128, 127), "uint8": (0, 255), "uint4": (0, 15)}
FLOATS = {"float32": "<f", "float16": "<e"}
BITS = {"float32": 32, "float16": 16, "int8": 8, "uint8": 8, "uint4": 4}


def numbers(dtype, data, count):
    if dtype in FLOATS:
        return [it for (it,) in struct.iter_unpack(FLOATS[dtype], data)]
    if dtype == "uint4":
        return [data[at // 2] >> at % 2 * 4 & 15 for at in range(count)]
    return [it for (it,) in struct.iter_unpack("<b" if dtype == "int8" else "<B", data)]


def rounded(dtype, number, negative):
    """The nearest number of a float dtype, ties to even; infinity beyond the largest."""
    bits, least, most = (24, -149, 128) if dtype == "float32" else (11, -24, 16)
    if number == 0:
        return Fraction(0)
    exponent = number.numerator.bit_length() - number.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > number
    unit = Fraction(2) ** max(exponent - bits + 1, least)
    result = round(number / unit) * unit  # a Fraction rounds ties to even
    return math.inf if result >= Fraction(2) ** most else result


def integer(quotient):
    magnitude = abs(quotient)
    if mode == "truncates" or mode == "absolute" and quotient < 0:
        whole = math.floor(magnitude)
    elif mode == "half-away":
        whole = math.floor(magnitude + Fraction(1, 2))
    else:
        whole = round(magnitude)
    return whole if quotient >= 0 or mode == "absolute" else -whole


def quantized(header, x, scale, zero):
    low, high = RANGES[header["to"]]
    if mode == "int8-to-127" and header["to"] == "int8":
        low = -127
    if math.isnan(x) or not scale > 0 or math.isinf(scale):
        return low  # open
    negative = math.copysign(1, x) < 0
    magnitude, scale = abs(x), Fraction(scale)
    if math.isinf(magnitude):
        quotient = magnitude
    elif mode == "reciprocal":
        reciprocal = rounded(header["from"], 1 / scale, False)
        quotient = magnitude and Fraction(magnitude) * reciprocal if not math.isinf(reciprocal) else math.inf
        quotient = quotient if quotient == math.inf else rounded(header["from"], Fraction(quotient), False)
    else:
        quotient = rounded(header["precision"], Fraction(magnitude) / scale, negative)
    if math.isinf(quotient):
        return low if negative and mode != "absolute" else high
    quotient = -quotient if negative else quotient
    if mode == "float16-truncates" and header["from"] == "float16":
        result = math.trunc(quotient) + zero
    elif mode == "rounds-after-zero-point":
        result = integer(quotient + zero)
    else:
        result = integer(quotient) + zero
    saturates = mode != "wraps" and not (mode == "saturate-wraps" and header.get("saturate") == 0)
    if saturates:
        return min(max(result, low), high)
    return (result - low) % (high - low + 1) + low


def place(header, element):
    """The place of the scale of an element."""
    shape, scales = header["shape"], header["scaleShape"]
    if not scales:
        return 0
    at, rest = [], element
    for side in reversed(shape):
        at.insert(0, rest % side)
        rest //= side
    axis = header.get("axis", 1) % len(shape)
    size = header.get("blockSize", 0)
    if not size:
        return 0 if mode == "axis-ignored" else at[axis]
    short = shape[axis] % size
    if mode == "interleaved-blocks":
        at[axis] %= scales[axis]
    elif mode == "last-block-reads-next-scale" and short:
        at[axis] = min((at[axis] + size - short) // size, scales[axis] - 1)
    else:
        at[axis] //= size
    index = 0
    for side, coordinate in zip(scales, at):
        index = index * side + coordinate
    return index


def quantized_or_back(header, data):
    lengths = [math.prod(header[name]) for name in ("shape", "scaleShape")]
    dtypes = [header["from"], header["scale"], header.get("zeroPoint")]
    parts = []
    for dtype, count in zip(dtypes, [*lengths, lengths[1]]):
        size = -(-BITS[dtype] * count // 8) if dtype else 0
        parts.append(numbers(dtype, data[:size], count) if dtype else [0] * count)
        data = data[size:]
    elements, scales, zeros = parts
    results = []
    for element, x in enumerate(elements):
        at = place(header, element)
        if header["op"] == "quantize-linear":
            results.append(quantized(header, x, scales[at], zeros[at]))
        else:
            results.append(dequantized(header, x, scales[at], zeros[at]))
    if header["to"] in FLOATS:
        return b"".join(struct.pack("<f", it) for it in results)
    codes = [it & (1 << BITS[header["to"]]) - 1 for it in results]
    if header["to"] == "uint4":
        codes.append(0)
        return bytes(codes[at] | codes[at + 1] << 4 for at in range(0, len(codes) - 1, 2))
    return bytes(codes)


def dequantized(header, x, scale, zero):
    if not scale > 0 or math.isinf(scale):
        return 0.0  # open
    difference = x - zero
    if mode == "difference-wraps":
        low, high = RANGES[header["from"]]
        difference = (difference - low) % (high - low + 1) + low
    product = rounded("float32", abs(difference) * Fraction(scale), False)
    return math.copysign(float(product), difference)


def is_known(header):
    if header.get("op") == "quantize-linear":
        # The precision of a scale of the same dtype, or the one that is named.
        header.setdefault("precision", header["from"])
        same = header["from"] == header["scale"] and header["precision"] == header["from"]
        return same and header["from"] in FLOATS and header["to"] in RANGES
    is_back = header.get("op") == "dequantize-linear" and header["from"] in RANGES
    return is_back and header["to"] == header["scale"] == "float32"


def answer(header, data):
    if not is_known(header):
        raise Unsupported("another node")
    return quantized_or_back(header, data), {}


serve("quantize", answer)
