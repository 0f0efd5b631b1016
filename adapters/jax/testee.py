"""JAX (CPU) as a castproof testee: jax.lax.convert_element_type, compiled."""

import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee  # noqa: E402

STREAM = castproof_testee.claim_stdio()

os.environ["JAX_PLATFORMS"] = "cpu"

import array_cast  # noqa: E402
import jax  # noqa: E402
import numpy  # noqa: E402
from castproof_testee import Request  # noqa: E402

BLOCK = 128

# Dtypes of ml_dtypes that JAX does not take.
MISSING = ("float6e2m3", "float6e3m2")


def cast(request: Request, payload: bytes) -> bytes:
    """One conversion."""
    array_cast.check_request(request)
    (count,) = request.shape
    source = array_cast.to_array(request.source, payload, count)
    # XLA compiles for each shape; whole blocks keep that to a few for each pair.
    padded = numpy.resize(source, -(-count // BLOCK) * BLOCK) if count else source
    output = jax.lax.convert_element_type(jax.numpy.asarray(padded), array_cast.dtype(request.target))
    return array_cast.to_bytes(request.target, numpy.asarray(output)[:count])


if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    names = [name for name in castproof_testee.ELEMENT_BITS if name not in MISSING]
    castproof_testee.serve(STREAM, "jax", jax.__version__, cast, array_cast.casts(names))
