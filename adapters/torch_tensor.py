"""Tensors of torch as arrays of numpy, byte for byte. Each sub-byte element has a byte."""

import numpy
import torch

if __package__:  # in the Python package castproof
    from . import array_cast
    from .castproof_testee import ELEMENT_BITS
else:
    import array_cast
    from castproof_testee import ELEMENT_BITS

# Integers of torch by bytes. torch views any dtype as an integer, in any layout.
INTEGERS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def torch_dtype(name: str) -> torch.dtype | None:
    """Returns torch's dtype of a protocol name, if any."""
    return getattr(torch, array_cast.NAMES.get(name, name), None)


def of_array(name: str, array: numpy.ndarray) -> torch.Tensor:
    """Returns a contiguous array that can be written as a tensor that shares its memory."""
    width = array.dtype.itemsize
    codes = array.view(numpy.uint8 if width == 1 else f"int{8 * width}")
    return torch.from_numpy(codes).view(torch_dtype(name))


def to_array(tensor: torch.Tensor) -> numpy.ndarray:
    """Returns a tensor as an array with the same strides."""
    names = (name for name in ELEMENT_BITS if torch_dtype(name) == tensor.dtype)
    name = next(names, None)
    if name is None:
        raise TypeError(f"{tensor.dtype} has no name here")
    codes = tensor.detach().cpu().view(INTEGERS[tensor.element_size()]).numpy()
    return codes.view(array_cast.dtype(name))
