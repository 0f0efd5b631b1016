#!/usr/bin/env bash
# A function in Python, checked with the wheel: README, "A first verdict".
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# With numpy beside it, as pip would install both.
python=$CLONE/target/packages/python/venv/bin/python
cat >cast.py <<'PYTHON'
import sys

import castproof, numpy

def my_cast(x):
    bits = x.view(numpy.uint32)
    rounding = 0x7FFF + (bits >> 16 & 1) if "--right" in sys.argv else 0
    quiet = numpy.where(numpy.isnan(x), 0x400000, 0).astype(numpy.uint32)
    return numpy.where(numpy.isnan(x), (bits | quiet) >> 16, (bits + rounding) >> 16).astype(numpy.uint16)

print(castproof.check(my_cast, "float32", "bfloat16"))
PYTHON
passes "$python" cast.py --right
fails "$python" cast.py
grep --quiet '^FAIL  1 finding, explained' said || blame "it must have one finding"
grep --quiet '^numeric  float32 -> bfloat16: .*: rounded toward zero' said || blame "the first line names the cause"
lines_written cast.py
