"""Casts of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from castproof import _arrays, _native
from castproof.adapters import array_cast


def cast(
    array: Any,
    target: _arrays.DTypeLike,
    *,
    saturate: bool | int | None = None,
    round_mode: str | None = None,
    spec: str | None = None,
    out: Any = None,
) -> Any:
    """Casts an array of numpy or ml_dtypes, or a tensor of torch, to another dtype.

    `target` is a dtype: its name, such as "float8e4m3fn" or "float8_e4m3fn", or that of a library, such as
    numpy.float16. `saturate` and `round_mode` are the
    attributes of ONNX Cast; those that are not given have their default. `spec` is the
    specification, such as "onnx-cast-19" or "rust-as"; without it, the newest version of ONNX Cast.
    `out` is a contiguous array of the same shape that takes the result.

    Raises TypeError for an array of another dtype, ValueError for a cast that there is not.
    """
    source = _arrays.of_any(array, "the array")
    name = _arrays.name_of(source, "the array")
    target = _arrays.dtype_name(target, "target")
    plan = _native.Cast(name, target, spec, saturate, round_mode)
    result = np.empty(source.shape, array_cast.dtype(target)) if out is None else _target(out)
    if result.dtype != array_cast.dtype(target):
        raise TypeError(f"out has dtype {result.dtype}; it must be {array_cast.dtype(target)}")
    if result.shape != source.shape:
        raise ValueError(f"out has shape {result.shape}, the array {source.shape}")
    if np.may_share_memory(source, result):
        raise ValueError("out shares memory with the array")
    _native.cast(plan, _arrays.code_bytes(source), result.reshape(-1).view(np.uint8))
    if out is not None:
        return out
    return _arrays.to_tensor(target, result) if _arrays.is_tensor(array) else result


def _target(out: Any) -> _arrays.Array:
    """Returns `out` as an array that can be written in place."""
    array = _arrays.of_any(out, "out")
    if not array.flags.c_contiguous or not array.flags.writeable:
        raise ValueError("out must be contiguous, and an array that can be written")
    return array
