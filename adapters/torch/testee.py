"""PyTorch as a castproof testee: `Tensor.to(dtype)`. See --help."""

import argparse
import functools
import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

import array_cast  # noqa: E402
import torch  # noqa: E402
from castproof_testee import ELEMENT_BITS, LAYOUTS, Request, Unsupported, message_of  # noqa: E402
from torch_tensor import of_array, to_array, torch_dtype  # noqa: E402

# Casts to the other float8 dtypes overflow to infinity or NaN.
SATURATING = ("float8e4m3fn", "float8e8m0")

# The dtypes of compiled chains. More would take hours, because a C++ compiler runs for each graph.
COMPILED = ["int8", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64"]

# Versions before 2.8 have no such error.
ACCELERATOR_ERROR = getattr(torch, "AcceleratorError", ())

# torch has no negative strides.
FEATURES = ("shapes", *(layout for layout in LAYOUTS if layout != "reversed"))


def cast(request: Request, payload: bytes, device: str) -> bytes:
    """Runs one `Tensor.to` of a tensor on this device."""
    array_cast.check_request(request, SATURATING)
    array = array_cast.to_array(request.source, payload, request.shape)
    memory = array_cast.memory_of(request.source, array, request.layout)
    tensor = of_array(request.source, memory.copy()).to(device)
    view = array_cast.view_of(torch, tensor, request.layout, request.shape)
    try:
        output = to_bytes(request, view.to(torch_dtype(request.target)))
    except NotImplementedError as refusal:
        raise Unsupported(message_of(refusal)) from refusal
    except ACCELERATOR_ERROR as error:
        # The GPU takes nothing more from this process, so it ends, as the program of a user does.
        print(message_of(error), file=sys.stderr, flush=True)
        os._exit(1)
    return output


def chains(requests: list[tuple[Request, bytes]]) -> list[bytes]:
    """Compiles chains as one function; each has an input of its own."""
    tensors = []
    for request, payload in requests:
        array_cast.check_request(request, SATURATING)
        array = array_cast.to_array(request.source, payload, request.shape)
        tensors.append(of_array(request.source, array.copy()))
    steps = [[torch_dtype(name) for name in request.dtypes[1:]] for request, _ in requests]

    def run_all(*inputs):
        outputs = []
        for tensor, dtypes in zip(inputs, steps, strict=True):
            for dtype in dtypes:
                tensor = tensor.to(dtype)
            outputs.append(tensor)
        return outputs

    torch.compiler.reset()
    try:
        outputs = torch.compile(run_all, fullgraph=True)(*tensors)
    except NotImplementedError as refusal:
        raise Unsupported(message_of(refusal)) from refusal
    return [
        to_bytes(request, output) for (request, _), output in zip(requests, outputs, strict=True)
    ]


def chain(request: Request, payload: bytes) -> bytes:
    """Compiles one chain."""
    (output,) = chains([(request, payload)])
    return output


def to_bytes(request: Request, output: torch.Tensor) -> bytes:
    """Returns the elements of an output."""
    if output.dtype != torch_dtype(request.target):
        raise RuntimeError(f"the output is {output.dtype}")
    return array_cast.to_bytes(request.target, to_array(output))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--compile", action="store_true", help="run chains of casts by torch.compile"
    )
    parser.add_argument(
        "--device", default="cpu", choices=["cpu", "cuda"], help="where casts run (default: cpu)"
    )
    arguments = parser.parse_args()
    compiles = arguments.compile
    torch.set_num_threads(1)
    version = torch.__version__.split("+")[0]
    dtypes = [dtype for dtype in ELEMENT_BITS if torch_dtype(dtype) is not None]
    name = "torch compile" if compiles else "torch"
    if arguments.device == "cuda":
        if not torch.cuda.is_available():
            sys.exit("this torch finds no GPU; leave out --device, or install a torch with CUDA")
        name, version = "torch cuda", f"{version}, {torch.cuda.get_device_name()}"
        # An assertion of the device fails where one of less than a byte is cast.
        dtypes = [dtype for dtype in dtypes if ELEMENT_BITS[dtype] >= 8]
    castproof_testee.serve(
        STREAM,
        name,
        version,
        functools.partial(cast, device=arguments.device),
        array_cast.casts(COMPILED if compiles else dtypes),
        features=FEATURES,
        chain=chain if compiles else None,
        chains=chains if compiles else None,
    )
