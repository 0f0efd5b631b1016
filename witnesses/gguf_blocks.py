"""Decodes blocks of GGUF with the package gguf, and makes them.

Each line of standard input is a type and blocks in hex, and each line of standard output the numbers as codes of float32 in hex,
without spaces; `none` if gguf has no decoder of the type. A line that begins with `make` has numbers, float32 in little-endian
bytes, and the answer is their blocks.
"""

import sys
import warnings

import numpy
from gguf import GGMLQuantizationType
from gguf.quants import dequantize, quantize

# Scales and numbers that are NaN or infinite are asked too.
warnings.filterwarnings("ignore", category=RuntimeWarning)


def numbers_of(name, blocks):
    kind = GGMLQuantizationType[name]
    if name == "F16":
        blocks = blocks.view(numpy.float16)
    numbers = dequantize(blocks, kind)
    return numbers.astype(numpy.float32).reshape(-1).view(numpy.uint32).astype(">u4").tobytes()


def main():
    for line in sys.stdin:
        *make, name, text = line.split()
        given = numpy.frombuffer(bytes.fromhex(text), numpy.uint8)
        try:
            if make:
                answer = quantize(given.view("<f4"), GGMLQuantizationType[name]).tobytes()
            else:
                answer = numbers_of(name, given)
        except (KeyError, NotImplementedError):
            print("none")
            continue
        print(answer.hex())


main()
