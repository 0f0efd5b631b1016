import sys
import mlx.core as mx
mx.set_default_device(mx.cpu)
ones = mx.array([1.0, 1.0], mx.float64)
there = mx.to_fp8(ones).tolist()
print(f"to_fp8 of float64 [1.0, 1.0]: got {there}, expected {mx.to_fp8(ones.astype(mx.float32)).tolist()}")
back = mx.from_fp8(mx.array([0x38, 0x38], mx.uint8), mx.float64).tolist()[0]
print(f"from_fp8 of [0x38, 0x38] as float64: the first is {back}, expected 1.0")
sys.exit(there != [0x38, 0x38] or back != 1.0)
