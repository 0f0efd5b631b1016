"""tinygrad as a castproof testee: `Tensor.cast`. See --help."""

import argparse
import os
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--device", default="CPU", choices=["CPU", "PYTHON"], help="where casts run (default: CPU)")
device = parser.parse_args().device

# tinygrad reads these when it is imported. Kernels are compiled by clang 15 or newer: 14 has no bfloat16. A distribution may
# have several, each with its version in the name, beside an older `clang`.
os.environ["DEV"] = device
os.environ.setdefault("CC", next(filter(shutil.which, (f"clang-{number}" for number in range(15, 31))), "clang"))

from importlib.metadata import version  # noqa: E402

import array_cast  # noqa: E402
from castproof_testee import LAYOUTS, Request  # noqa: E402
from tinygrad import Tensor, dtypes  # noqa: E402

SPELLED = {
    "float8e4m3fn": "fp8e4m3",
    "float8e4m3fnuz": "fp8e4m3fnuz",
    "float8e5m2": "fp8e5m2",
    "float8e5m2fnuz": "fp8e5m2fnuz",
}

# The dtypes of tinygrad.
DTYPES = {
    name: getattr(dtypes, SPELLED.get(name, name))
    for name in castproof_testee.ELEMENT_BITS
    if hasattr(dtypes, SPELLED.get(name, name))
}

# Casts to these saturate; there is no attribute.
SATURATING = tuple(SPELLED)

MOVES = SimpleNamespace(swapaxes=Tensor.transpose, broadcast_to=Tensor.expand, reshape=Tensor.reshape)


def cast(request: Request, payload: bytes) -> bytes:
    """Runs the casts of a request, of which a chain has several, as one kernel on a view of the input."""
    array_cast.check_request(request, SATURATING)
    array = array_cast.to_array(request.source, payload, request.shape)
    memory = array_cast.memory_of(request.source, array, request.layout)
    tensor = Tensor(memory.tobytes(), dtype=DTYPES[request.source]).reshape(memory.shape).realize()
    output = array_cast.view_of(MOVES, tensor, request.layout, request.shape)
    for name in request.dtypes[1:]:
        output = output.cast(DTYPES[name])
    output = output.contiguous().realize()
    if output.dtype != DTYPES[request.target] or output.shape != request.shape:
        raise RuntimeError(f"the output is {output.dtype} of shape {output.shape}")
    return bytes(output._buffer().as_memoryview()) if output.numel() else b""


if __name__ == "__main__":
    castproof_testee.serve(
        STREAM,
        "tinygrad" if device == "CPU" else f"tinygrad {device.lower()}",
        version("tinygrad"),
        cast,
        array_cast.casts(list(DTYPES)),
        features=("shapes", *LAYOUTS),
        chain=cast,
    )
