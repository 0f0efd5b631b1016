"""Casts of CUDA C++ on a GPU as a castproof testee."""

import os
import re
import shlex
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

import array_cast  # noqa: E402
import compiled  # noqa: E402

SOURCE = Path(__file__).resolve().parent.parent / "cuda-host/casts.cpp"
FLAGS = ["-x", "cu", "-arch=native", "-std=c++17", "-O2", "-w", *sys.argv[1:]]

if __name__ == "__main__":
    compiler = shlex.split(os.environ.get("NVCC", "nvcc"))
    release = re.search(r"release .*, V(\S+)", compiled.run([*compiler, "--version"]))
    card = compiled.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader", "--id=0"]).strip()
    loaded = compiled.library(compiler, SOURCE, FLAGS, pic="-Xcompiler=-fPIC")

    def cast(request, payload):
        """Runs one kernel; the constructors of the types take no attributes, the functions of the profile do."""
        array_cast.check_request(request, compiled.SATURATING_IN_CUDA, round_mode="up", in_profiles=True)
        return compiled.cast(loaded, request, payload)

    version = f"nvcc {release[1] if release else 'of unknown version'}, {card}"
    pairs = array_cast.casts(list(compiled.OF_CUDA))
    castproof_testee.serve(
        STREAM, "cuda", version, cast, pairs, features=compiled.FEATURES, profiles=("cuda-cvt",)
    )
