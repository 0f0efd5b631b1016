"""Puts scales into tiles of 128 x 4 with torchao on the CPU, and takes them out.

Each line of standard input is `pack` or `unpack`, rows, columns, and bytes in hex: the scales row by row, or the tiles. Each line of
standard output is the tiles or the scales, in hex.
"""

import sys

import torch
from torchao.prototype.mx_formats.utils import from_blocked, to_blocked


def main():
    for line in sys.stdin:
        operation, rows, columns, text = line.split()
        rows, columns = int(rows), int(columns)
        given = torch.frombuffer(bytearray.fromhex(text), dtype=torch.uint8)
        if operation == "pack":
            answer = to_blocked(given.reshape(rows, columns))
        else:
            answer = from_blocked(given, rows, columns)
        print(answer.contiguous().numpy().tobytes().hex())


main()
