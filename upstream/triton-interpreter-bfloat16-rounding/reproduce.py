import torch
import triton
import triton.language as tl
triton.knobs.runtime.interpret = True  # as TRITON_INTERPRET=1
@triton.jit
def kernel(x, y, N: tl.constexpr):
    tl.store(y + tl.arange(0, N), tl.load(x + tl.arange(0, N)).to(y.dtype.element_ty))
down = torch.tensor([0x3f818000, 0x3fffffff, 0x7f800001, 0x00007fff], dtype=torch.int32).view(torch.float32)
up = torch.tensor([0x3f81, 0x0002, 0x0003, 0x0007], dtype=torch.int16).view(torch.bfloat16)
wrong = False
for x, dtype in (down, torch.bfloat16), (up, torch.float32):
    kernel[(1,)](x, y := torch.empty(4, dtype=dtype), 4)
    print(f"{x.dtype} to {dtype}: got {y.tolist()}, expected {x.to(dtype).tolist()}")
    wrong |= str(y.tolist()) != str(x.to(dtype).tolist())
raise SystemExit(wrong)
