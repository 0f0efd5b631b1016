"""numpy's astype, with the dtypes of ml_dtypes, as a castproof testee."""

import sys
import warnings
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

import array_cast  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy  # noqa: E402
from castproof_testee import LAYOUTS, Request, Unsupported  # noqa: E402


def cast(request: Request, payload: bytes) -> bytes:
    """Runs one `astype`; in place, it assigns to a view of the input's memory."""
    array_cast.check_request(request)
    source, target = (array_cast.dtype(name) for name in request.dtypes)
    if not numpy.can_cast(source, target, "unsafe"):
        raise Unsupported(f"numpy says that it cannot cast {source} to {target}")
    array = array_cast.to_array(request.source, payload, request.shape)
    memory = array_cast.memory_of(request.source, array, request.layout).copy()
    view = array_cast.view_of(numpy, memory, request.layout, request.shape)
    if request.in_place:
        output = view.view(target)
        output[...] = view
    else:
        output = view.astype(target)
    return array_cast.to_bytes(request.target, output)


def ask(question: dict, payload: bytes) -> tuple[dict, bytes]:
    """Runs one `astype` from or to a complex dtype."""
    if question["op"] != "complexcast" or question["profile"] != "numpy-astype":
        raise Unsupported("numpy has no such operation")
    source = array_cast.to_array(question["from"], payload, (1,))
    with warnings.catch_warnings(action="ignore", category=numpy.exceptions.ComplexWarning):
        output = source.astype(array_cast.dtype(question["to"]))
    return {}, array_cast.to_bytes(question["to"], output)


if __name__ == "__main__":
    numpy.seterr(all="ignore")  # NaN and overflow are the subject here
    version = f"{numpy.__version__}+ml_dtypes-{ml_dtypes.__version__}"
    names = [name for name in castproof_testee.ELEMENT_BITS if array_cast.has(name)]
    casts = array_cast.casts(names)
    features = ("shapes", *LAYOUTS, "in-place")
    profiles = ("ml-dtypes",)
    castproof_testee.serve(
        STREAM, "numpy-ml-dtypes", version, cast, casts, ask, features=features, profiles=profiles
    )
