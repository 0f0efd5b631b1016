# float32 to float8_e8m0fnu between 2^-127 and 2^-126, where the float32 is subnormal, and one binade above.
import sys
import ml_dtypes
import numpy
x = numpy.array([1, 1.25, 1.49, 1.75], "float32")
wrong = False
for exponent in (-126, -127):
    smallest = 2.0**exponent
    got = (x * numpy.float32(smallest)).astype(ml_dtypes.float8_e8m0fnu).astype("float64") / smallest
    print(f"[1, 1.25, 1.49, 1.75] * 2^{exponent}: got {got} * 2^{exponent}, expected [1. 1. 1. 2.] * 2^{exponent}")
    wrong |= got.tolist() != [1, 1, 1, 2]
sys.exit(wrong)
