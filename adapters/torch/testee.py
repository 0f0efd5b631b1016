"""PyTorch (CPU) as a castproof testee: `Tensor.to(dtype)`."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee  # noqa: E402

STREAM = castproof_testee.claim_stdio()

import array_cast  # noqa: E402
import torch  # noqa: E402
from castproof_testee import ELEMENT_BITS, Request  # noqa: E402

# Casts to the other float8 dtypes overflow to infinity or NaN.
SATURATING = ("float8e4m3fn", "float8e8m0")


def torch_dtype(name: str) -> torch.dtype | None:
    """torch's dtype of a protocol name; None for sub-byte dtypes, between which it cannot cast."""
    if ELEMENT_BITS[name] < 8:
        return None
    return getattr(torch, array_cast.NAMES.get(name, name), None)


def cast(request: Request, payload: bytes) -> bytes:
    """One `Tensor.to`."""
    array_cast.check_request(request, SATURATING)
    source, target = torch_dtype(request.source), torch_dtype(request.target)
    (count,) = request.shape
    # `frombuffer` takes neither an empty buffer nor one that cannot be written.
    tensor = torch.empty(0, dtype=source)
    if count > 0:
        tensor = torch.frombuffer(bytearray(payload), dtype=source)
    output = tensor.to(target)
    if output.dtype != target:
        raise RuntimeError(f"the output is {output.dtype}")
    return output.view(torch.uint8).numpy().tobytes()


if __name__ == "__main__":
    torch.set_num_threads(1)
    version = torch.__version__.split("+")[0]
    names = [name for name in ELEMENT_BITS if torch_dtype(name) is not None]
    castproof_testee.serve(STREAM, "torch", version, cast, array_cast.casts(names))
