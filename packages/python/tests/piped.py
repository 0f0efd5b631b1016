"""A kernel of `kernels.py` behind the pipe, as an author without `castproof.check` would have it."""

import sys

from castproof.adapters import castproof_testee

STREAM = castproof_testee.claim_stdio()

import kernels  # noqa: E402
import numpy  # noqa: E402
from castproof.adapters import array_cast  # noqa: E402

KERNEL = (kernels.right() | kernels.wrong())[sys.argv[1]]


def cast(request: castproof_testee.Request, payload: bytes) -> bytes:
    """Runs the kernel, which knows attributes only by their defaults."""
    given = request.attributes[0]
    if request.target in array_cast.WITH_SATURATE and given.saturate == 0:
        raise castproof_testee.Unsupported("the kernel saturates")
    array = array_cast.to_array(request.source, payload, request.shape)
    memory = array_cast.memory_of(request.source, array, request.layout).copy()
    view = array_cast.view_of(numpy, memory, request.layout, request.shape)
    return array_cast.to_bytes(request.target, KERNEL.function(view))


if __name__ == "__main__":
    features = ("shapes", *castproof_testee.LAYOUTS)
    castproof_testee.serve(STREAM, sys.argv[1], "1", cast, features=features)
