"""Blocks of numbers that share a scale: MX, NVFP4, groups of FP8."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from castproof import _arrays, _expect, _native


@dataclass(frozen=True, eq=False)
class Blocks:
    """What a rule makes of an array whose last axis is divided into blocks."""

    scales: NDArray[Any]
    """The codes of the scales: the shape of the input, with one scale for each block of the last axis."""
    elements: NDArray[np.uint8]
    """The codes of the elements, a byte each, in the shape of the input."""
    undefined: NDArray[np.bool_]
    """The rule leaves the element open, as under a scale that is NaN; the code is 0."""
    rules: NDArray[np.str_]
    """The id of the rule of each scale, as `castproof rules` explains it."""
    scale: str
    """The dtype of the scales."""
    element: str
    """The dtype of the elements."""
    largest: int | None
    """The code of float32 of the largest magnitude of the tensor, where the rule has a scale of the tensor."""


@dataclass(frozen=True, eq=False)
class Numbers:
    """What elements under their scales stand for."""

    numbers: NDArray[Any]
    """The numbers, in the shape of the elements."""
    undefined: NDArray[np.bool_]
    """The format leaves the number open; it is 0 here."""


def quantize(x: Any, rule: str, elements: _arrays.DTypeLike, *, largest: float | None = None) -> Blocks:
    """Returns scales and elements of an array by one rule, such as "mx-rceil" or "nvfp4-te".

    `x` is an array of float32, float16 or bfloat16, or a tensor of torch; a list holds numbers, which are rounded to
    float32. Its last axis is divided into blocks of 32 (MX), 16 (NVFP4) or 128 (FP8) numbers. A shorter last block is filled with
    zeros, also where the rule refuses such a tensor. `elements` is the dtype of the elements. `largest` is the largest
    magnitude of the whole tensor for the rules of NVFP4; by default that of `x`, without NaN.

    The result is exact, computed from integers and rationals: some microseconds for each number. With ml_dtypes,
    `blocks.scales.view(ml_dtypes.float8_e8m0fnu)` are the scales of MX as numbers; scales of float32 are codes of 32 bits.

    Raises ValueError for an unknown rule, or one without such numbers or elements, TypeError for another array.
    """
    size, scale, of_tensor, sources, targets = _native.block_rule(rule)
    if isinstance(x, (list, tuple, int, float, str)):
        x = _expect.of_numbers(x, "float32", nearest=True).view(np.float32)
    array = np.atleast_1d(_arrays.of_any(x, "x"))
    source, target = _arrays.name_of(array, "x"), _arrays.dtype_name(elements, "elements")
    if source not in sources or target not in targets:
        raise ValueError(
            f"{rule} quantises {', '.join(sources)} to {', '.join(targets)}, not {source} to {target}"
        )
    greatest = _largest(array, largest) if of_tensor else None
    count = array.shape[-1]
    shape = (*array.shape[:-1], -(-count // size))
    scales = np.zeros(shape, _arrays.code_dtype(scale))
    codes = np.zeros(array.shape, np.uint8)
    undefined = np.zeros(array.shape, np.bool_)
    ids = _native.quantize(
        rule,
        source,
        target,
        _arrays.code_bytes(array),
        count,
        greatest,
        scales.reshape(-1).view(np.uint8),
        codes.reshape(-1),
        undefined.reshape(-1),
    )
    return Blocks(
        scales, codes, undefined, np.array(ids, np.str_).reshape(shape), scale, target, greatest
    )


def dequantize(
    elements: Any,
    scales: Any,
    dtype: _arrays.DTypeLike,
    *,
    format: str = "mx",
    to: _arrays.DTypeLike = "float32",
) -> Numbers:
    """Returns the numbers that elements of `dtype` stand for under the scales of their blocks.

    `elements` and `scales` are arrays of codes, a byte each, or of the dtypes of ml_dtypes. `format` is "mx", whose blocks
    have 32 elements and scales of float8e8m0, "nvfp4", with 16 and float8e4m3fn, or "fp8" and "fp8-ue8m0", with 128 and
    scales of float32 or float8e8m0. The scales have the shape of the
    elements, with one for each block of the last axis. `to` is the dtype of the numbers: float32, bfloat16 or float16.

    Raises ValueError for an unknown format, or one without such elements, and for scales of another shape.
    """
    size, scale, known = _native.block_format(format)
    source, target = _arrays.dtype_name(dtype, "dtype"), _arrays.dtype_name(to, "to")
    if source not in known:
        raise ValueError(f"{format} has no elements of {source}; known are {', '.join(known)}")
    given = np.atleast_1d(_arrays.of_any(elements, "elements"))
    codes = _arrays.codes_of(source, given, "elements", coded=True)
    factors = np.atleast_1d(_arrays.of_any(scales, "scales"))
    factors = _arrays.codes_of(scale, factors, "scales", coded=True)
    count = codes.shape[-1]
    shape = (*codes.shape[:-1], -(-count // size))
    if factors.shape != shape:
        raise ValueError(f"scales has shape {factors.shape}; it must be {shape}, one for each {size} elements")
    numbers = np.zeros(codes.shape, _arrays.code_dtype(target))
    undefined = np.zeros(codes.shape, np.bool_)
    _native.dequantize(
        format,
        source,
        target,
        _arrays.code_bytes(codes),
        _arrays.code_bytes(factors),
        count,
        numbers.reshape(-1).view(np.uint8),
        undefined.reshape(-1),
    )
    return Numbers(numbers.view(_arrays.array_dtype(target)), undefined)


def _largest(array: _arrays.Array, largest: float | None) -> int:
    """Returns the largest magnitude as a code of float32."""
    if largest is None:
        magnitudes = np.abs(array.astype(np.float32))
        largest = float(np.max(magnitudes, initial=0, where=~np.isnan(magnitudes)))
    return int(np.abs(np.float32(largest)).view(np.uint32))
