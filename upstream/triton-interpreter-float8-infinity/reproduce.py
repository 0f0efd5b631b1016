import sys
import torch
import triton
import triton.language as tl
triton.knobs.runtime.interpret = True  # as TRITON_INTERPRET=1
@triton.jit
def kernel(x, y, N: tl.constexpr):
    tl.store(y + tl.arange(0, N), tl.load(x + tl.arange(0, N)).to(y.dtype.element_ty))
wrong = False
for codes, dtype in ([0x7C, 0x7E], torch.float8_e5m2), ([0x7F, 0x7E], torch.float8_e4m3fn):
    x = torch.tensor(codes, dtype=torch.uint8).view(dtype)
    kernel[(1,)](x, y := torch.empty(2), 2)
    print(f"{dtype} to float32: got {y.tolist()}, expected {x.float().tolist()}")
    wrong |= str(y.tolist()) != str(x.float().tolist())
sys.exit(wrong)
