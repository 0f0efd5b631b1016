# float4_e2m1fn to integers: every number of the format is an integer or a half of one.
import os
import sys
os.environ["JAX_PLATFORMS"] = "cpu"
import jax.numpy
import ml_dtypes
import numpy
x = numpy.array([4, 6, -6], ml_dtypes.float4_e2m1fn)
wrong = False
for dtype in ("int8", "int32"):
    got = jax.numpy.asarray(x).astype(dtype).tolist()
    print(f"[4, 6, -6] to {dtype}: got {got}, expected [4, 6, -6]")
    wrong |= got != [4, 6, -6]
sys.exit(wrong)
