# float32 to float8 on the CPU, whose kernels are compiled by clang; and by tinygrad's interpreter.
import os
import shutil
import sys
os.environ["DEV"] = "CPU"
os.environ.setdefault("CC", next(filter(shutil.which, ["clang", *(f"clang-{n}" for n in range(30, 12, -1))])))
from tinygrad import Tensor, dtypes
wrong = False
for value, expected in ((1.062501, 1.125), (1.0625, 1.0), (0.015, 0.015625), (2.0**-8, 2.0**-8)):
    inputs = [Tensor([value], device=device) for device in ("CPU", "PYTHON")]
    got = [x.cast(dtypes.fp8e4m3).contiguous().realize().cast(dtypes.float32).item() for x in inputs]
    print(f"{value} to fp8e4m3: got {got[0]} on the CPU, {got[1]} by PYTHON, expected {expected}")
    wrong |= got[0] != expected
sys.exit(wrong)
