# A block of 2^-119 in MXFP8: its scale is the code 0, which stands for 2^-127.
import sys
import torch
from torchao.prototype.mx_formats.config import ScaleCalculationMode
from torchao.prototype.mx_formats.mx_tensor import to_mx
wrong = False
for mode in ScaleCalculationMode:
    scale, elements = to_mx(torch.full((1, 32), 2.0**-119), torch.float8_e4m3fn, 32, mode)
    code, element = scale.view(torch.uint8)[0].item(), elements[0, 0].item()
    got = element * 2.0 ** (code - 127)
    print(f"2^-119 by {mode.name}: scale code {code}, element {element}: got {got}, expected {2.0**-119}")
    wrong |= got != 2.0**-119
sys.exit(wrong)
