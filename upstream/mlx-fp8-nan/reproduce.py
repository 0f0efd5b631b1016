import math
import sys
import mlx.core as mx
mx.set_default_device(mx.cpu)
wrong = False
for value in (math.nan, 1.0):
    code = mx.to_fp8(mx.array([value]))
    back = mx.from_fp8(code, mx.float32).item()
    print(f"{value} to fp8 and back: 0x{code.item():02x}, got {back}, expected {value}")
    wrong |= str(back) != str(value)
sys.exit(wrong)
