"""Triton's interpreter on the CPU as a castproof testee: x.to(dtype) in a kernel."""

import os
import sys
import warnings
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

# Triton reads it when a kernel is defined.
os.environ["TRITON_INTERPRET"] = "1"

import array_cast  # noqa: E402
import torch  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from castproof_testee import Request  # noqa: E402
from torch_tensor import of_array, to_array, torch_dtype  # noqa: E402
from triton.runtime.errors import InterpreterError  # noqa: E402

# The dtypes of Triton that the protocol names.
TYPES = {
    "bool": tl.int1,
    "int8": tl.int8,
    "uint8": tl.uint8,
    "int16": tl.int16,
    "uint16": tl.uint16,
    "int32": tl.int32,
    "uint32": tl.uint32,
    "int64": tl.int64,
    "uint64": tl.uint64,
    "float8e4m3fn": tl.float8e4nv,
    "float8e4m3fnuz": tl.float8e4b8,
    "float8e5m2": tl.float8e5,
    "float8e5m2fnuz": tl.float8e5b16,
    "float16": tl.float16,
    "bfloat16": tl.bfloat16,
    "float32": tl.float32,
    "float64": tl.float64,
}

# What the compiler makes of an overflow on a GPU of NVIDIA; see README.md.
SATURATING = ("float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz")

# Triton has no larger block.
LARGEST_BLOCK = 1 << 20


@triton.jit
def kernel(x, y, count, steps: tl.constexpr, BLOCK: tl.constexpr):
    """Casts each element through all steps."""
    at = tl.arange(0, BLOCK)
    elements = tl.load(x + at, mask=at < count)
    for step in tl.static_range(len(steps)):
        elements = elements.to(steps[step])
    tl.store(y + at, elements, mask=at < count)


def cast(request: Request, payload: bytes) -> bytes:
    """Runs one kernel, with a cast for each step of a chain."""
    array_cast.check_request(request, SATURATING)
    source = of_array(request.source, array_cast.to_array(request.source, payload, request.shape).copy())
    output = run(source, torch_dtype(request.target), request.dtypes[1:])
    return array_cast.to_bytes(request.target, to_array(output))


def run(source: torch.Tensor, target: torch.dtype, names: tuple[str, ...]) -> torch.Tensor:
    """Launches one program of one block, because each program takes some milliseconds to interpret."""
    output = torch.empty(source.shape, dtype=target)
    block = triton.next_power_of_2(max(source.numel(), 1))
    kernel[(1,)](source, output, source.numel(), tuple(TYPES[name] for name in names), block)
    return output


def has(source: str, target: str) -> bool:
    """Has Triton a cast for this pair? What else goes wrong is an error of the cast."""
    try:
        run(torch.zeros(1, dtype=torch_dtype(source)), torch_dtype(target), (target,))
    except InterpreterError as error:
        return "cannot cast" not in str(error.__cause__)
    return True


if __name__ == "__main__":
    # numpy warns of NaN and overflow in casts to integers; here they are the subject.
    warnings.simplefilter("ignore", RuntimeWarning)
    torch.set_num_threads(1)
    casts = [
        {"from": source, "to": [to for to in TYPES if has(source, to)], "opsets": [array_cast.NEWEST_OPSET]}
        for source in TYPES
    ]
    castproof_testee.serve(
        STREAM,
        "triton interpreter",
        triton.__version__,
        cast,
        casts,
        chain=cast,
        limits={"elements": LARGEST_BLOCK},
    )
