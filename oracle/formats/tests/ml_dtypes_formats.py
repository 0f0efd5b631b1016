"""What ml_dtypes makes of its small floats, for tests/ml_dtypes.rs.

Prints two lines for each format: `decode NAME VALUE...` with the value of each code, and `cast NAME CODE...` with the code that
each code of bfloat16 becomes.
"""

import ml_dtypes
import numpy as np

# The name of ml_dtypes, and the bits of a code.
FORMATS = {
    "float8_e3m4": 8,
    "float8_e4m3": 8,
    "float8_e4m3fn": 8,
    "float8_e4m3fnuz": 8,
    "float8_e4m3b11fnuz": 8,
    "float8_e5m2": 8,
    "float8_e5m2fnuz": 8,
    "float8_e8m0fnu": 8,
    "float6_e2m3fn": 6,
    "float6_e3m2fn": 6,
    "float4_e2m1fn": 4,
    "bfloat16": 16,
    "float16": 16,
}


def main() -> None:
    np.seterr(all="ignore")
    sources = np.arange(1 << 16, dtype="<u2").view(ml_dtypes.bfloat16)
    for name, bits in FORMATS.items():
        dtype = np.dtype(getattr(ml_dtypes, name, None) or getattr(np, name))
        storage = np.dtype(f"u{dtype.itemsize}")
        values = np.arange(1 << bits).astype(storage).view(dtype).astype(np.float64)
        print("decode", name, *(float(value).hex() for value in values))
        codes = sources.astype(dtype).view(storage)
        print("cast", name, *(f"{code:x}" for code in codes))


main()
