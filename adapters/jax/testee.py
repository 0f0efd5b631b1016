"""JAX as a castproof testee: jax.lax.convert_element_type, compiled. See --help."""

import argparse
import functools
import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

# Several processes share the memory of a GPU.
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"

import array_cast  # noqa: E402
import jax  # noqa: E402
import numpy  # noqa: E402
from castproof_testee import ELEMENT_BITS, LAYOUTS, Request  # noqa: E402

SMALLEST = 128
PROGRAMS_KEPT = 4096


def cast(request: Request, payload: bytes) -> bytes:
    """Runs one conversion, or a chain, on a tensor that is padded to a power of two."""
    array_cast.check_request(request)
    source = array_cast.to_array(request.source, payload, request.shape).ravel()
    # XLA compiles for each shape; powers of two keep the shapes of each pair to a few.
    size = max(SMALLEST, 1 << (source.size - 1).bit_length()) if source.size else 0
    padded = numpy.resize(source, size)
    output = program(request.steps)(padded)
    return array_cast.to_bytes(request.target, numpy.asarray(output)[: source.size])


def chains(requests: list[tuple[Request, bytes]]) -> list[bytes]:
    """Runs chains as one program; each has an input of its own."""
    inputs, sizes = [], []
    for request, payload in requests:
        array_cast.check_request(request)
        source = array_cast.to_array(request.source, payload, request.shape).ravel()
        inputs.append(numpy.resize(source, SMALLEST) if source.size <= SMALLEST else source)
        sizes.append(source.size)
    steps = [request.steps for request, _ in requests]
    run_all = jax.jit(lambda *each: [
        convert(memory, row, "contiguous", ()) for memory, row in zip(each, steps, strict=True)
    ])
    outputs = run_all(*inputs)
    return [
        array_cast.to_bytes(request.target, numpy.asarray(output)[:size])
        for (request, _), output, size in zip(requests, outputs, sizes, strict=True)
    ]


def exact_cast(request: Request, payload: bytes) -> bytes:
    """Runs one conversion, or a chain, on the tensor as it is asked."""
    array_cast.check_request(request)
    array = array_cast.to_array(request.source, payload, request.shape)
    memory = array_cast.memory_of(request.source, array, request.layout)
    layout = request.layout, request.shape
    if request.constant:
        output = jax.jit(lambda: convert(memory, request.steps, *layout))()
    else:
        output = program(request.steps, *layout)(memory)
    return array_cast.to_bytes(request.target, numpy.asarray(output))


@functools.lru_cache(maxsize=PROGRAMS_KEPT)
def program(steps: tuple[tuple[str, str], ...], layout="contiguous", shape=()):
    """Returns the compiled function of a memory."""
    return jax.jit(lambda memory: convert(memory, steps, layout, shape))


def convert(memory, steps: tuple[tuple[str, str], ...], layout: str, shape: tuple[int, ...]):
    """Makes a view of the memory and runs the steps. This function is compiled."""
    elements = array_cast.view_of(jax.numpy, jax.numpy.asarray(memory), layout, shape)
    for operator, name in steps:
        run_step = jax.lax.bitcast_convert_type if operator == "bitcast" else jax.lax.convert_element_type
        elements = run_step(elements, array_cast.dtype(name))
    return elements


def has(name: str) -> bool:
    """Does JAX take arrays of this dtype?"""
    try:
        jax.numpy.asarray(numpy.zeros(1, array_cast.dtype(name)))
    except (TypeError, jax.errors.JaxRuntimeError):
        return False
    return True


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exact", action="store_true", help="leave every tensor as it is asked")
    parser.add_argument(
        "--device", default="cpu", choices=["cpu", "cuda"], help="where casts run (default: cpu)"
    )
    arguments = parser.parse_args()
    exact = arguments.exact
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_platforms", arguments.device)
    name, version = "jax exact" if exact else "jax", jax.__version__
    if arguments.device == "cuda":
        try:
            card = jax.devices()[0].device_kind
        except (RuntimeError, AssertionError):
            sys.exit("this JAX finds no GPU; leave out --device, or install jax[cuda13]")
        name, version = f"{name} cuda", f"{version}, {card}"
    run = exact_cast if exact else cast
    castproof_testee.serve(
        STREAM,
        name,
        version,
        run,
        array_cast.casts([dtype for dtype in ELEMENT_BITS if has(dtype)]),
        features=("chain-bitcast", "shapes", "constant", *LAYOUTS) if exact else ("chain-bitcast",),
        chain=run,
        chains=None if exact else chains,
    )
