"""PyTorch (CPU) as a castproof testee: `Tensor.to(dtype)`."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee  # noqa: E402

STREAM = castproof_testee.claim_stdio()

import array_cast  # noqa: E402
import torch  # noqa: E402
from castproof_testee import ELEMENT_BITS, LAYOUTS, Request, Unsupported, message_of  # noqa: E402
from torch_tensor import of_array, to_array, torch_dtype  # noqa: E402

# Casts to the other float8 dtypes overflow to infinity or NaN.
SATURATING = ("float8e4m3fn", "float8e8m0")

# torch has no negative strides.
FEATURES = ("shapes", *(layout for layout in LAYOUTS if layout != "reversed"))


def cast(request: Request, payload: bytes) -> bytes:
    """Runs one `Tensor.to`."""
    array_cast.check_request(request, SATURATING)
    array = array_cast.to_array(request.source, payload, request.shape)
    memory = array_cast.memory_of(request.source, array, request.layout)
    tensor = of_array(request.source, memory.copy())
    view = array_cast.view_of(torch, tensor, request.layout, request.shape)
    try:
        output = view.to(torch_dtype(request.target))
    except NotImplementedError as refusal:
        raise Unsupported(message_of(refusal)) from refusal
    if output.dtype != torch_dtype(request.target):
        raise RuntimeError(f"the output is {output.dtype}")
    return array_cast.to_bytes(request.target, to_array(output))


if __name__ == "__main__":
    torch.set_num_threads(1)
    version = torch.__version__.split("+")[0]
    casts = array_cast.casts([name for name in ELEMENT_BITS if torch_dtype(name) is not None])
    castproof_testee.serve(STREAM, "torch", version, cast, casts, features=FEATURES)
