"""Checks of functions that quantise or dequantise linearly, as ONNX has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, Literal

import numpy as np

from castproof import _arrays, _native
from castproof._check import Summary, concluded
from castproof.adapters import array_cast

# What numbers can share a scale.
SHARED = ("tensor", "axis", "blocks")


def check_quantize_linear(
    function: Callable[..., Any],
    target: _arrays.DTypeLike = "uint8",
    *,
    source: _arrays.DTypeLike = "float32",
    scales: str | Sequence[str] = "tensor",
    saturate: bool | int = True,
    arrays: Literal["numpy", "torch"] = "numpy",
    level: Literal["core", "standard", "full"] = "core",
    strict: bool = False,
    json: str | PathLike[str] | None = None,
) -> Summary:
    """Holds a function to ONNX's QuantizeLinear, as `castproof gate --suite onnx-quantize` does.

    The function is called as `function(x, scale, zero_point)` and returns an array of x's shape and of `target`'s dtype, or
    of its codes. x and scale have `source`'s dtype, zero_point has `target`'s; it is 0 where ONNX's node has none.

    `scales` says which numbers share a scale, one of the three or several. With "tensor" scale and zero_point have no
    dimension. With "axis" both have one, and the function is also given `axis=`, counted from 0. With "blocks" both have the
    rank of x, and the function is given `axis=` and `block_size=`; the last block may be short.

    `saturate` is the attribute of that name, which targets of float8 have. The other parameters are those of `check`. Nodes whose scale
    has another dtype than x, and nodes with another `precision`, are not asked.

    Raises AssertionError with the findings if an element is wrong; ValueError for dtypes that QuantizeLinear does not have,
    and for a result of another shape. An exception of the function is raised as it is.
    """
    __tracebackhide__ = True  # pytest shows the place of the call
    ask = _asked("QuantizeLinear", source, target, function, arrays)
    return _checked(ask, scales, saturate, level, strict, json)


def check_dequantize_linear(
    function: Callable[..., Any],
    source: _arrays.DTypeLike = "uint8",
    *,
    target: _arrays.DTypeLike = "float32",
    scales: str | Sequence[str] = "tensor",
    arrays: Literal["numpy", "torch"] = "numpy",
    level: Literal["core", "standard", "full"] = "core",
    strict: bool = False,
    json: str | PathLike[str] | None = None,
) -> Summary:
    """Holds a function to ONNX's DequantizeLinear, as `castproof gate --suite onnx-quantize` does.

    The function is called as `function(x, scale, zero_point)` and returns an array of x's shape and of `target`'s dtype. x and
    zero_point have `source`'s dtype, scale has `target`'s. The other parameters, and what is raised, are those of
    `check_quantize_linear`.
    """
    __tracebackhide__ = True
    ask = _asked("DequantizeLinear", source, target, function, arrays)
    return _checked(ask, scales, True, level, strict, json)


def _asked(
    operator: str,
    source: _arrays.DTypeLike,
    target: _arrays.DTypeLike,
    function: Callable[..., Any],
    arrays: str,
) -> _Asked:
    """Returns what asks a function for nodes of an operator."""
    source, target = _arrays.dtype_name(source, "source"), _arrays.dtype_name(target, "target")
    if not callable(function):
        raise TypeError(f"the function is a {type(function).__name__}; it must be called with three arrays")
    if arrays not in ("numpy", "torch"):
        raise ValueError(f"arrays is {arrays!r}; it must be one of numpy, torch")
    name = str(getattr(function, "__qualname__", type(function).__qualname__))
    return _Asked(operator, source, target, function, name, arrays)


def _checked(
    ask: _Asked,
    scales: str | Sequence[str],
    saturate: bool | int,
    level: str,
    strict: bool,
    json: str | PathLike[str] | None,
) -> Summary:
    """Runs the gate on a function."""
    __tracebackhide__ = True
    shared = [scales] if isinstance(scales, str) else list(scales)
    if unknown := [word for word in shared if word not in SHARED]:
        raise ValueError(f"scales is {unknown[0]!r}; it must be one or several of {', '.join(SHARED)}")
    passed, report, counts = _native.check_linear(
        ask,
        ask.operator == "QuantizeLinear",
        ask.source,
        ask.target,
        shared,
        bool(saturate),
        level=level,
        strict=strict,
        json=None if json is None else fspath(json),
    )
    return concluded(passed, f"{ask.name}, {ask.operator} of {ask.source} to {ask.target}\n{report}", counts)


@dataclass(frozen=True)
class _Asked:
    """Asks a function for one node after the other."""

    operator: str
    source: str
    target: str
    function: Callable[..., Any]
    name: str
    arrays: str

    def __call__(
        self,
        shape: tuple[int, ...],
        scale_shape: tuple[int, ...],
        axis: int | None,
        block_size: int | None,
        elements: bytes,
        scales: bytes,
        zero_points: bytes,
    ) -> bytes:
        """Returns the packed elements of the output."""
        number, small = self.source, self.target
        if self.operator == "DequantizeLinear":
            number, small = small, number
        given = [
            self._array(self.source, elements, shape),
            self._array(number, scales, scale_shape),
            self._array(small, zero_points, scale_shape),
        ]
        named = {"axis": axis, "block_size": block_size}
        try:
            with np.errstate(all="ignore"):  # NaN and overflow are the subject here
                result = self.function(*given, **{name: word for name, word in named.items() if word is not None})
        except SystemExit as error:
            # Raised on, it would end the program as if all were right.
            raise AssertionError(f"{self.name} ended the program with status {error.code!r}") from error
        except BaseException as error:
            asked = f"{self.operator} of {self.source} to {self.target}, shape {shape}, scales of shape {scale_shape}"
            error.add_note(f"castproof asked {self.name} for {asked}")
            raise
        what = f"the result of {self.name}"
        array = _arrays.of_any(result, what)
        if array.shape != shape:
            raise ValueError(f"{what} has shape {array.shape}; it must be {shape}")
        coded = not _arrays.is_of_numpy(self.target)
        codes = np.ascontiguousarray(_arrays.codes_of(self.target, array, what, coded=coded))
        packed: bytes = array_cast.to_bytes(self.target, codes.view(array_cast.dtype(self.target)))
        return packed

    def _array(self, dtype: str, payload: bytes, shape: tuple[int, ...]) -> Any:
        """Returns what the function is called with, which it may write into."""
        array = array_cast.to_array(dtype, payload, shape).copy()
        return _arrays.to_tensor(dtype, array) if self.arrays == "torch" else array
