"""Arrays of numpy and ml_dtypes, tensors of torch, and arrays of codes, by the names of dtypes."""

from __future__ import annotations

import sys
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from castproof import _native
from castproof.adapters import array_cast

Array: TypeAlias = NDArray[Any]

BITS = dict(_native.dtypes())

# The name of each numpy dtype, those of ml_dtypes included.
NAMES = {array_cast.dtype(name): name for name in BITS}


# A dtype by its name, ours or that of another project, or as numpy, ml_dtypes, torch and JAX have it.
DTypeLike: TypeAlias = Any


def dtype_name(dtype: DTypeLike, what: str) -> str:
    """Returns our name of a dtype; `what` names it in the error."""
    if isinstance(dtype, str):
        return _native.dtype(dtype)
    if type(dtype).__module__.partition(".")[0] == "torch":
        return _native.dtype(str(dtype))
    try:
        return _native.dtype(np.dtype(dtype).name)
    except TypeError:
        given = type(dtype).__name__
        raise TypeError(f'{what} is a {given}; it must be a dtype, such as "float32" or numpy.float32') from None


def code_dtype(name: str) -> np.dtype[Any]:
    """Returns the unsigned dtype of numpy that holds the codes of a dtype."""
    return np.dtype(f"uint{max(BITS[name], 8)}")


def array_dtype(name: str) -> np.dtype[Any]:
    """Returns the dtype of numpy or ml_dtypes with this name."""
    own: np.dtype[Any] = array_cast.dtype(name)
    return own


def code_bytes(array: Array) -> NDArray[np.uint8]:
    """Returns the bytes of an array in row-major order, without a copy if it is contiguous."""
    flat: NDArray[np.uint8] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return flat


def is_tensor(array: object) -> bool:
    """Is it a tensor of torch?"""
    torch = sys.modules.get("torch")
    return torch is not None and bool(isinstance(array, torch.Tensor))


def of_tensor(tensor: Any) -> Array:
    """Returns a tensor of torch as an array, which shares its memory if that is the host's."""
    from castproof.adapters import torch_tensor

    array: Array = torch_tensor.to_array(tensor)
    return array


def to_tensor(name: str, array: Array) -> Any:
    """Returns a contiguous array as a tensor of torch that shares its memory."""
    from castproof.adapters import torch_tensor

    return torch_tensor.of_array(name, array)


def of_any(array: object, what: str) -> Array:
    """Returns an array, a scalar of numpy or a tensor as an array; `what` names it in the error."""
    if is_tensor(array):
        return of_tensor(array)
    if isinstance(array, (np.ndarray, np.generic)) or hasattr(array, "__array__"):
        return np.asarray(array)
    raise TypeError(f"{what} is {type(array).__name__}; it must be an array")


def name_of(array: Array, what: str) -> str:
    """Returns the name of an array's dtype."""
    name = NAMES.get(array.dtype)
    if name is None:
        known = ", ".join(BITS)
        raise TypeError(f"{what} has dtype {array.dtype}; known are {known}, in native byte order")
    return name


def codes_of(name: str, array: Array, what: str, *, coded: bool) -> Array:
    """Returns the codes of an array of a dtype. `coded`: may the array hold the codes itself?"""
    own, codes = array_cast.dtype(name), code_dtype(name)
    if array.dtype != own and not (coded and array.dtype == codes):
        also = f", or {codes} with its codes" if coded and own != codes else ""
        raise TypeError(f"{what} has dtype {array.dtype}; it must be {own}{also}")
    found = array.view(codes)
    if BITS[name] < 8 and found.size and found.max() >= 1 << BITS[name]:
        raise ValueError(f"{what} holds the code {found.max():#x}; {name} has {BITS[name]} bits")
    return found


def is_of_numpy(name: str) -> bool:
    """Does numpy itself have the dtype?"""
    return bool(array_cast.dtype(name).isbuiltin == 1)
