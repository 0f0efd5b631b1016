"""Casts codes with numpy and the dtypes of ml_dtypes. The protocol is that of cast.c."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "adapters"))
import array_cast
import numpy
from castproof_testee import ELEMENT_BITS


def cast(source, target, codes):
    """Returns the codes of the results. Each element takes a byte at least."""
    from_dtype, to_dtype = array_cast.dtype(source), array_cast.dtype(target)
    elements = codes.astype(f"<u{from_dtype.itemsize}").view(from_dtype)
    results = elements.astype(to_dtype)
    mask = (1 << ELEMENT_BITS[target]) - 1
    return results.view(f"<u{to_dtype.itemsize}").astype("<u8") & numpy.uint64(mask)


def main():
    numpy.seterr(all="ignore")  # NaN and overflow are the subject here
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    while line := stdin.readline():
        source, target, count = line.decode().split()
        codes = numpy.frombuffer(stdin.read(8 * int(count)), "<u8")
        stdout.write(cast(source, target, codes).tobytes())
        stdout.flush()


if __name__ == "__main__":
    main()
