"""TOSA's reference model as a castproof testee."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

import array_cast  # noqa: E402
import numpy  # noqa: E402
import tosa_model  # noqa: E402
from castproof_testee import LAYOUTS, Request  # noqa: E402


def cast(request: Request, payload: bytes) -> bytes:
    """Runs one graph of CAST, or of a chain of them. CAST has no attributes and never saturates a float8."""
    array_cast.check_request(request)
    array = array_cast.to_array(request.source, payload, request.shape)
    memory = array_cast.memory_of(request.source, array, request.layout)
    view = array_cast.view_of(numpy, memory, request.layout, request.shape)
    output = tosa_model.cast(request.dtypes, view.view(tosa_model.as_held(view.dtype)))
    target = array_cast.dtype(request.target)
    if output.dtype != tosa_model.as_held(target):
        raise RuntimeError(f"the output is {output.dtype}")
    return array_cast.to_bytes(request.target, output.view(target))


if __name__ == "__main__":
    castproof_testee.serve(
        STREAM,
        "tosa-reference",
        version_of("tosa-tools"),
        cast,
        array_cast.casts(list(tosa_model.TYPES)),
        features=("shapes", *LAYOUTS),
        chain=cast,
        profiles=("tosa-cast",),
    )
