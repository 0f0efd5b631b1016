"""Quantises groups of FP8 with the operations of PyTorch that DeepGEMM's `per_token_cast_to_fp8` is made of, on the CPU.

The formula stands here once more, in operations of torch, so this is a witness of torch's arithmetic, not of DeepGEMM's
package. Standard input has requests: a line `MODE COUNT`, then COUNT groups of 128 codes of float32, little-endian. MODE is
float32 or ue8m0, the dtype of the scale. The output has for each group four bytes, the float32 of the scale, and one for
each element. It is written when all requests are read.
"""

import sys

import numpy
import torch

SIZE = 128


def power_up(scale):
    """Returns the power of two that is not below a scale, as its exponent field says."""
    bits = scale.abs().view(torch.int32)
    field = ((bits >> 23) & 0xFF) + (bits & 0x7FFFFF).bool().int()
    return (field.clamp(1, 254) << 23).view(torch.float32)


def quantised(mode, codes):
    """Returns a row of bytes for each row of codes."""
    numbers = torch.from_numpy(codes.view("<f4").copy())
    largest = numbers.abs().float().amax(dim=1, keepdim=True).clamp(1e-4)
    scale = largest / 448.0
    if mode == "ue8m0":
        scale = power_up(scale)
    elements = (numbers * (1.0 / scale)).to(torch.float8_e4m3fn)
    rows = [tensor.view(torch.uint8).numpy().reshape(len(codes), -1) for tensor in (scale, elements)]
    return numpy.hstack(rows)


def main():
    stdin, output = sys.stdin.buffer, []
    while line := stdin.readline():
        mode, count = line.decode().split()
        codes = numpy.frombuffer(stdin.read(4 * SIZE * int(count)), "<u4").reshape(-1, SIZE)
        output.append(quantised(mode, codes).tobytes())
    sys.stdout.buffer.write(b"".join(output))


if __name__ == "__main__":
    main()
