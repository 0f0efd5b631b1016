"""NVIDIA's headers on the host as a castproof testee."""

import os
import shlex
import sys
import sysconfig
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

import array_cast  # noqa: E402
import compiled  # noqa: E402

SOURCE = Path(__file__).resolve().parent / "casts.cpp"
INCLUDE = Path(sysconfig.get_path("purelib"), "nvidia/cu13/include")


def headers() -> str:
    """Returns the version of the headers. Ends the program with one line if they are missing."""
    try:
        version = version_of("nvidia-cuda-runtime")
    except PackageNotFoundError:
        version = None
    if version is None or not (INCLUDE / "cuda_fp8.h").is_file():
        sys.exit("it needs NVIDIA's headers of CUDA 13: pip install nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl")
    return version


if __name__ == "__main__":
    compiler = shlex.split(os.environ.get("CXX", "c++"))
    cuda = headers()
    said = compiled.run([*compiler, "--version"]).splitlines()[0]
    flags = ["-std=c++17", "-O2", "-w", "-isystem", str(INCLUDE), "-isystem", str(INCLUDE / "cccl")]
    loaded = compiled.library(compiler, SOURCE, flags)

    def cast(request, payload):
        """Runs one loop; the headers' constructors take no attributes, the functions of the profile do."""
        array_cast.check_request(request, compiled.SATURATING_IN_CUDA, round_mode="up", in_profiles=True)
        return compiled.cast(loaded, request, payload)

    pairs = array_cast.casts(list(compiled.OF_CUDA))
    castproof_testee.serve(
        STREAM, "cuda-host", f"{cuda}, {said}", cast, pairs, features=compiled.FEATURES, profiles=("cuda-cvt",)
    )
