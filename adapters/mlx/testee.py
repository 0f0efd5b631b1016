"""MLX on the CPU as a castproof testee: array.astype, and to_fp8 and from_fp8. See --help."""

import argparse
import itertools
import sys
from importlib.metadata import version
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

import array_cast  # noqa: E402
import mlx.core as mx  # noqa: E402
import numpy  # noqa: E402
from castproof_testee import LAYOUTS, Request  # noqa: E402

# The dtypes of MLX.
DTYPES = {
    "bool": mx.bool_,
    "int8": mx.int8,
    "uint8": mx.uint8,
    "int16": mx.int16,
    "uint16": mx.uint16,
    "int32": mx.int32,
    "uint32": mx.uint32,
    "int64": mx.int64,
    "uint64": mx.uint64,
    "float16": mx.float16,
    "bfloat16": mx.bfloat16,
    "float32": mx.float32,
    "float64": mx.float64,
}

# A float8 is a uint8 in MLX, which two functions convert from and to floats. Both take float64, too, and read and
# write half of its bytes, as float32: the other half of the output is memory that nobody wrote.
FLOAT8 = "float8e4m3fn"
FLOATS = ("float16", "bfloat16", "float32")


def cast(request: Request, payload: bytes) -> bytes:
    """Runs the casts of a request, of which a chain has several, as one graph that is not compiled."""
    array_cast.check_request(request, (FLOAT8,))
    return run(request, payload, steps(request.dtypes))


def compiled_chain(request: Request, payload: bytes) -> bytes:
    """Runs a chain that MLX compiles, which makes one kernel of it."""
    array_cast.check_request(request, (FLOAT8,))
    return run(request, payload, mx.compile(steps(request.dtypes)))


def run(request: Request, payload: bytes, function) -> bytes:
    """Runs a function on a view of the input."""
    array = array_cast.to_array(request.source, payload, request.shape)
    memory = array_cast.memory_of(request.source, array, request.layout)
    tensor = mx.array(memory.view(codes(request.source))).view(DTYPES.get(request.source, mx.uint8))
    output = function(array_cast.view_of(mx, tensor, request.layout, request.shape))
    if output.dtype != DTYPES.get(request.target, mx.uint8) or output.shape != request.shape:
        raise RuntimeError(f"the output is {output.dtype} of shape {output.shape}")
    width = mx.uint8 if output.dtype == mx.bool_ else getattr(mx, codes(request.target))
    return numpy.array(output.view(width)).tobytes()


def codes(name: str) -> str:
    """Returns the unsigned integers of a dtype's width, as which numpy and MLX share what both hold."""
    return f"uint{castproof_testee.ELEMENT_BITS[name]}"


def steps(dtypes: tuple[str, ...]):
    """Returns the function that casts from the first dtype to the last."""

    def of_array(x):
        for source, target in itertools.pairwise(dtypes):
            if target == FLOAT8:
                x = mx.to_fp8(x)
            elif source == FLOAT8:
                x = mx.from_fp8(x, DTYPES[target])
            else:
                x = x.astype(DTYPES[target])
        return x

    return of_array


def has(source: str, target: str) -> bool:
    """Has MLX a function for this pair that gives the same each time?"""
    if FLOAT8 in (source, target):
        return source in FLOATS or target in FLOATS
    return True


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compile", action="store_true", help="compile chains, with a C++ compiler")
    compiles = parser.parse_args().compile
    mx.set_default_device(mx.cpu)
    names = [*DTYPES, FLOAT8]
    casts = [
        {"from": source, "to": [to for to in names if has(source, to)], "opsets": [array_cast.NEWEST_OPSET]}
        for source in names
    ]
    castproof_testee.serve(
        STREAM,
        "mlx compile" if compiles else "mlx",
        version("mlx"),
        cast,
        casts,
        features=("shapes", *LAYOUTS),
        chain=compiled_chain if compiles else cast,
    )
