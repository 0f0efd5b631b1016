"""Quantises blocks of float32 to float8e4m3fn by mx-floor, in exact arithmetic, or with a fault. In the modes of
`free-` it answers mx-ocp: by rceil, by a scale far away, with elements of floor under the scale of rceil or under
one far away, or with NaN as the scale of every block. In the mode `one-rule` it answers every rule by mx-floor."""

import math
import struct
import sys
from fractions import Fraction

from serving import Unsupported, serve

mode = sys.argv[1] if len(sys.argv) > 1 else "right"


def exponent(number):
    """The largest e with 2^e <= number."""
    e = 0
    while Fraction(2) ** (e + 1) <= number:
        e += 1
    while Fraction(2) ** e > number:
        e -= 1
    return e


def element(number, negative):
    """The nearest code of float8e4m3fn, ties to even, at most 448."""
    if number == 0:
        return negative << 7
    e = max(exponent(number), -6)
    count = round(number / Fraction(2) ** (e - 3))  # a Fraction rounds ties to even
    code = min((e + 6) * 8 + count, 0x7E)
    return negative << 7 | code


def value(code):
    magnitude = code & 0x7FFFFFFF
    return Fraction(struct.unpack("<f", struct.pack("<I", magnitude))[0]) if magnitude < 0x7F800000 else Fraction(0)


def scale_of(codes):
    """The code of the scale of a block."""
    magnitudes = [code & 0x7FFFFFFF for code in codes]
    if mode == "nan":
        magnitudes = [it for it in magnitudes if it <= 0x7F800000]
    if max(magnitudes, default=0) >= 0x7F800000 or mode == "free-nan":
        return 0xFF
    largest = max((value(code) for code in codes), default=0)
    bias = 0 if mode in ("emax", "free-emax", "free-far") else 8
    if mode in ("free-rceil", "free-mixed") and largest:
        bias -= largest > 448 * Fraction(2) ** (exponent(largest) - 8)
    return 127 + (max(exponent(largest) - bias, -127) if largest else -127)


def elements(codes, scale):
    if scale == 0xFF:
        return [0] * len(codes)
    return [element(value(code) * Fraction(2) ** (127 - scale), code >> 31) for code in codes]


def places(shape, axis, block):
    """The places of the numbers of each block, with the place of its scale."""
    before, along, behind = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1:])
    if mode == "last-axis":
        before, along, behind = math.prod(shape[:-1]), shape[-1], 1
    if mode == "rows-run-on":
        before, along, behind = 1, math.prod(shape), 1
    blocks = -(-along // block)
    for row in range(before):
        for column in range(behind):
            for number in range(blocks):
                line = range(number * block, min(along, (number + 1) * block))
                at = (row * blocks + number) * behind + column
                yield [(row * along + place) * behind + column for place in line], at


def tensor(header, data):
    codes = struct.unpack(f"<{len(data) // 4}I", data)
    blocks = list(places(header["shape"], header["axis"], header["blockSize"]))
    # A program with another number of blocks has another number of scales. It writes as many as are due.
    due = math.prod(header["shape"]) // header["shape"][header["axis"]]
    scales = [0] * (due * -(-header["shape"][header["axis"]] // header["blockSize"]))
    answer = [0] * len(codes)
    before, stale = 0, []
    for numbers, at in blocks:
        block = [codes[place] for place in numbers]
        # What the buffer of a block still holds behind a shorter one.
        stale = block + stale[len(block):]
        scale = scale_of(stale if mode == "stale" else block)
        used = before if mode == "scale-before" else scale
        largest = max((value(code) for code in block), default=0)
        if mode in ("free-mixed", "free-far") and scale != 0xFF and largest:
            used = 127 + max(exponent(largest) - 8, -127)
        before = scale
        if at < len(scales):
            scales[at] = scale
        for place, code in zip(numbers, elements(block, used)):
            answer[place] = code
    if mode == "nan-spreads" and 0xFF in scales:
        scales = [0xFF] * len(scales)
    if mode == "eight-blocks" and len(scales) > 8:
        scales[8:] = [scales[7]] * (len(scales) - 8)
    if mode == "scales-by-columns" and len(header["shape"]) == 2 and header["axis"] == 1:
        rows = header["shape"][0]
        columns = len(scales) // rows
        scales = [scales[row * columns + column] for column in range(columns) for row in range(rows)]
    return bytes(scales) + bytes(answer)


def answer(header, data):
    asked = [header.get(name) for name in ("op", "profile", "from", "to")]
    profile = "mx-ocp" if mode.startswith("free-") else "mx-floor"
    if mode == "one-rule":
        profile = asked[1]
    if asked != ["quantize-block", profile, "float32", "float8e4m3fn"]:
        raise Unsupported("another block")
    return tensor(header, data), {}


serve("blocks", answer)
