"""The casts of C, as this machine's compiler translates them in a loop, as a castproof testee."""

import os
import shlex
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

import array_cast  # noqa: E402
import compiled  # noqa: E402

SOURCE = Path(__file__).resolve().parent / "casts.c"

# The dtypes that casts.c can have. A compiler may lack floats of 16 bits, which the source then lacks.
DTYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
DTYPES += ("float16", "bfloat16", "float32", "float64")

if __name__ == "__main__":
    compiler = shlex.split(os.environ.get("CC", "cc"))
    flags = sys.argv[1:] or ["-O2"]
    version = compiled.run([*compiler, "--version"]).splitlines()[0]
    loaded = compiled.library(compiler, SOURCE, flags)

    def cast(request, payload):
        """Runs one loop; C has no attributes, and no operator versions."""
        array_cast.check_request(request)
        return compiled.cast(loaded, request, payload)

    castproof_testee.serve(
        STREAM,
        "cc",
        f"{version}, {shlex.join(flags)}",
        cast,
        array_cast.casts(list(DTYPES)),
        features=compiled.FEATURES,
    )
