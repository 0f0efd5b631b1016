# float32 to float8_e8m0fnu between 2^-127 and 2^-126, where the float32 is subnormal, and one binade above.
import sys
import torch
x = torch.tensor([1, 1.25, 1.49, 1.75])
wrong = False
for exponent in (-126, -127):
    smallest = 2.0**exponent
    got = ((x * smallest).to(torch.float8_e8m0fnu).to(torch.float64) / smallest).tolist()
    print(f"[1, 1.25, 1.49, 1.75] * 2^{exponent}: got {got} * 2^{exponent}, expected [1.0, 1.0, 1.0, 2.0] * 2^{exponent}")
    wrong |= got != [1, 1, 1, 2]
sys.exit(wrong)
