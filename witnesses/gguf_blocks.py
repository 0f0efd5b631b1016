"""Decodes blocks of GGUF with the package gguf.

Each line of standard input is a type and blocks in hex, and each line of standard output the numbers as codes of float32 in hex,
without spaces; `none` if gguf has no decoder of the type.
"""

import sys
import warnings

import numpy
from gguf import GGMLQuantizationType
from gguf.quants import dequantize

# Scales that are NaN or infinite are asked too.
warnings.filterwarnings("ignore", category=RuntimeWarning)


def main():
    for line in sys.stdin:
        name, blocks = line.split()
        blocks = numpy.frombuffer(bytes.fromhex(blocks), numpy.uint8)
        try:
            kind = GGMLQuantizationType[name]
            if name == "F16":
                blocks = blocks.view(numpy.float16)
            numbers = dequantize(blocks, kind)
        except (KeyError, NotImplementedError):
            print("none")
            continue
        print(numbers.astype(numpy.float32).reshape(-1).view(numpy.uint32).astype(">u4").tobytes().hex())


main()
