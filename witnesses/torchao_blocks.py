"""Quantises blocks with torchao on the CPU.

Standard input has requests: a line `MODE WHAT COUNT`, then COUNT blocks of codes of float32, little-endian. MODE is
floor, ceil, even or rceil, WHAT the dtype of the elements, and a block has 32 numbers; or MODE is nvfp4, WHAT the code
of the largest magnitude of the tensor in hex, and a block has 16. The output has for each block a byte for the scale
and one for each element. It is written when all requests are read.
"""

import sys

import numpy
import torch
from torchao.prototype.mx_formats import mx_tensor, nvfp4_tensor

ELEMENTS = {
    "float8e4m3fn": torch.float8_e4m3fn,
    "float8e5m2": torch.float8_e5m2,
    "float6e3m2": mx_tensor.DTYPE_FP6_E3M2,
    "float6e2m3": mx_tensor.DTYPE_FP6_E2M3,
    "float4e2m1": torch.float4_e2m1fn_x2,
}


def unpacked(packed):
    """Returns the two elements of each byte, the first from the low half."""
    return numpy.stack([packed & 15, packed >> 4], axis=-1)


def quantised(mode, what, codes):
    """Returns a row of bytes for each row of codes."""
    size = codes.shape[1]
    numbers = torch.from_numpy(codes.view("<f4").copy())
    if mode == "nvfp4":
        largest = torch.tensor(numpy.array([int(what, 16)], "<u4").view("<f4"))
        tensor = nvfp4_tensor.per_tensor_amax_to_scale(largest)
        scales, elements = nvfp4_tensor.nvfp4_quantize(numbers, size, tensor)
    else:
        scaling = mx_tensor.ScaleCalculationMode[mode.upper()]
        scales, elements = mx_tensor.to_mx(numbers, ELEMENTS[what], size, scaling)
    scales = scales.view(torch.uint8).numpy().reshape(-1, 1)
    elements = elements.view(torch.uint8).numpy()
    if mode == "nvfp4" or what == "float4e2m1":
        elements = unpacked(elements)
    return numpy.hstack([scales, elements.reshape(-1, size)])


def main():
    stdin, output = sys.stdin.buffer, []
    while line := stdin.readline():
        mode, what, count = line.decode().split()
        size = 16 if mode == "nvfp4" else 32
        codes = numpy.frombuffer(stdin.read(4 * size * int(count)), "<u4").reshape(-1, size)
        output.append(quantised(mode, what, codes).tobytes())
    sys.stdout.buffer.write(b"".join(output))


if __name__ == "__main__":
    main()
