"""Checks of a function that quantises blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, Literal

import numpy as np

from castproof import _arrays, _native
from castproof._check import Summary, concluded
from castproof.adapters import array_cast


def check_blocks(
    function: Callable[..., Any],
    rule: str,
    elements: _arrays.DTypeLike | Sequence[_arrays.DTypeLike] | None = None,
    *,
    source: _arrays.DTypeLike = "float32",
    arrays: Literal["numpy", "torch"] = "numpy",
    level: Literal["core", "standard", "full"] = "core",
    strict: bool = False,
    json: str | PathLike[str] | None = None,
) -> Summary:
    """Holds a function that quantises blocks to one rule, as `castproof gate --rule` does.

    The function takes an array of `source`'s dtype, of rank 1 or more, whose last axis is divided into blocks, and
    returns the scales and the elements. The scales have the shape of the array with one for each block of the last axis; the
    elements have the shape of the array. Each is an array of codes, a byte each, of the dtype of ml_dtypes, or a tensor of torch.
    With a rule of NVFP4 it is called with a second argument, the largest magnitude of the whole tensor, a float. Where
    `elements` has several dtypes, it is called with the name of one as `elements=`.

    `rule` is one of docs/blocks.md, such as "mx-rceil". `elements` is a dtype, or several; without it the only one that the
    rule has. `arrays` says whether the function takes arrays of numpy or tensors of torch. The other parameters are those
    of `check`.

    Raises AssertionError with the findings if a scale or an element is wrong; ValueError for an unknown rule, and for a
    result of another shape. An exception of the function is raised as it is.
    """
    __tracebackhide__ = True  # pytest shows the place of the call
    if not callable(function):
        raise TypeError(f"the function is a {type(function).__name__}; it must be called with an array")
    if arrays not in ("numpy", "torch"):
        raise ValueError(f"arrays is {arrays!r}; it must be one of numpy, torch")
    size, scale, _, sources, targets = _native.block_rule(rule)
    given = _arrays.dtype_name(source, "source")
    asked = _targets(elements, targets, rule)
    if given not in sources:
        raise ValueError(f"{rule} quantises {', '.join(sources)}, not {given}")
    name = str(getattr(function, "__qualname__", type(function).__qualname__))
    ask = _Asked(function, name, arrays, size, scale, len(asked) > 1)
    passed, report, counts = _native.check_blocks(
        ask,
        rule,
        given,
        asked,
        level=level,
        strict=strict,
        json=None if json is None else fspath(json),
    )
    return concluded(passed, f"{name}, {rule} of {given} to {', '.join(asked)}\n{report}", counts)


def _targets(elements: Any, known: list[str], rule: str) -> list[str]:
    """Returns the names of the dtypes of elements that are asked."""
    if elements is None:
        if len(known) > 1:
            raise ValueError(f"{rule} has elements of {', '.join(known)}: name one or several of them")
        return known
    several = elements if isinstance(elements, (list, tuple)) else [elements]
    names = [_arrays.dtype_name(one, "elements") for one in several]
    if wrong := [name for name in names if name not in known]:
        raise ValueError(f"{rule} has no elements of {wrong[0]}; known are {', '.join(known)}")
    return names


@dataclass(frozen=True)
class _Asked:
    """Asks a function for one tensor after the other."""

    function: Callable[..., Any]
    name: str
    arrays: str
    size: int
    scale: str
    is_named: bool

    def __call__(
        self,
        shape: tuple[int, ...],
        axis: int,
        source: str,
        target: str,
        largest: int | None,
        payload: bytes,
    ) -> bytes:
        """Returns the scales, a byte each, then the packed elements."""
        array = array_cast.to_array(source, payload, shape)
        # The function divides the last axis.
        turned = np.ascontiguousarray(np.moveaxis(array, axis, -1))
        given: Any = _arrays.to_tensor(source, turned.copy()) if self.arrays == "torch" else turned.copy()
        words = [] if largest is None else [float(np.uint32(largest).view(np.float32))]
        named = {"elements": target} if self.is_named else {}
        try:
            with np.errstate(all="ignore"):  # NaN and overflow are the subject here
                result = self.function(given, *words, **named)
        except SystemExit as error:
            # Raised on, it would end the program as if all were right.
            raise AssertionError(f"{self.name} ended the program with status {error.code!r}") from error
        except BaseException as error:
            error.add_note(f"castproof asked {self.name} for blocks of {source} to {target}, shape {turned.shape}")
            raise
        try:
            scales, elements = result
        except (TypeError, ValueError):
            raise TypeError(f"{self.name} must return scales and elements, not {type(result).__name__}") from None
        blocks = (*turned.shape[:-1], -(-turned.shape[-1] // self.size))
        scales = self._codes(self.scale, scales, "scales", blocks)
        elements = self._codes(target, elements, "elements", turned.shape)
        scales, elements = np.moveaxis(scales, -1, axis), np.moveaxis(elements, -1, axis)
        typed = np.ascontiguousarray(elements).view(array_cast.dtype(target))
        packed: bytes = array_cast.to_bytes(target, typed)
        return np.ascontiguousarray(scales).tobytes() + packed

    def _codes(self, dtype: str, given: object, what: str, shape: tuple[int, ...]) -> _arrays.Array:
        """Returns the codes of an array of the function."""
        of = f"the {what} of {self.name}"
        array = _arrays.of_any(given, of)
        if array.shape != shape:
            raise ValueError(f"{of} have shape {array.shape}; it must be {shape}")
        return _arrays.codes_of(dtype, array, of, coded=True)
