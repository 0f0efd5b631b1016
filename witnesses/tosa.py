"""Casts codes with TOSA's reference model, which tosa-tools has. The protocol is that of cast.c.

The model refuses a pair that TOSA's table lacks, which ends the witness."""

import sys
from pathlib import Path

import numpy

sys.path.append(str(Path(__file__).resolve().parent.parent / "adapters"))
import array_cast
import tosa_model


def cast(source, target, codes):
    """Returns the codes of the results."""
    dtypes = [array_cast.dtype(name) for name in (source, target)]
    elements = codes.astype(f"<u{dtypes[0].itemsize}").view(tosa_model.as_held(dtypes[0]))
    results = tosa_model.cast((source, target), elements)
    if results.dtype != tosa_model.as_held(dtypes[1]):
        sys.exit(f"{source} to {target}: the model gives {results.dtype}")
    return results.view(f"<u{results.dtype.itemsize}").astype("<u8")


def main():
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    while line := stdin.readline():
        source, target, count = line.decode().split()
        codes = numpy.frombuffer(stdin.read(8 * int(count)), "<u8")
        stdout.write(cast(source, target, codes).tobytes())
        stdout.flush()


if __name__ == "__main__":
    main()
