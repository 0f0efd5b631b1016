"""What a cast must give."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from castproof import _arrays, _native


@dataclass(frozen=True, eq=False)
class Expected:
    """What a cast must make of each element of an array. All arrays have the shape of the input.

    Where `any_nan`, `undefined` and `choice` are false, the only right result is that of `codes`.
    """

    codes: NDArray[Any]
    """The code of the result, in an unsigned dtype."""
    any_nan: NDArray[np.bool_]
    """Any NaN is right; the code is that of one."""
    undefined: NDArray[np.bool_]
    """The specification leaves the result open; the code is 0."""
    choice: NDArray[np.bool_]
    """Several codes are right, such as all quiet NaN; the code is the lowest of them."""
    tolerated: NDArray[np.bool_]
    """Another result is tolerated."""
    rules: NDArray[np.str_]
    """The id of the rule that decides, as `castproof rules` explains it."""
    _cast: _native.Cast = field(repr=False)
    _target: str = field(repr=False)
    _inputs: NDArray[np.uint8] = field(repr=False)

    def admits(self, results: Any, *, strict: bool = False) -> NDArray[np.bool_]:
        """Says of each result whether it is right, or tolerated unless `strict`.

        `results` is an array of the target's dtype or of its codes, or a tensor of torch.
        """
        array = _arrays.of_any(results, "results")
        if array.shape != self.codes.shape:
            raise ValueError(f"results has shape {array.shape}, the input {self.codes.shape}")
        codes = _arrays.codes_of(self._target, array, "results", coded=True)
        admitted = np.empty(codes.size, np.bool_)
        data = _arrays.code_bytes(codes)
        _native.admits(self._cast, self._inputs, data, strict, admitted)
        return admitted.reshape(codes.shape)


def expect(
    codes: Any,
    source: _arrays.DTypeLike,
    target: _arrays.DTypeLike,
    *,
    nearest: bool = False,
    saturate: bool | int | None = None,
    round_mode: str | None = None,
    spec: str | None = None,
) -> Expected:
    """Returns what a cast from `source` to `target` must make of each element of `codes`.

    `source` and `target` are dtypes as in `check`; `expect(source, target, codes)`, the order of before, is taken
    too. `codes` is an array of the source's dtype, or of its
    codes in an unsigned dtype of the same width. A list holds numbers: 464, -0.0, float("nan"), or texts as
    `castproof expect` takes them, such as "0x43e80000" for a code. A number that the source does not hold
    exactly is refused, or with `nearest` rounded to nearest even. The other parameters are those of `cast`.

    Raises TypeError for an array of another dtype, ValueError for a cast that there is not.
    """
    if not _is_dtype(target) and (_is_dtype(codes) or not isinstance(target, str)):
        codes, source, target = target, codes, source
    source, target = _arrays.dtype_name(source, "source"), _arrays.dtype_name(target, "target")
    cast = _native.Cast(source, target, spec, saturate, round_mode)
    if isinstance(codes, (list, tuple, int, float, str)):
        codes = of_numbers(codes, source, nearest)
    array = _arrays.of_any(codes, "codes")
    inputs = _arrays.code_bytes(_arrays.codes_of(source, array, "codes", coded=True))
    expected = np.empty(array.shape, _arrays.code_dtype(target))
    kinds = np.empty(array.size, np.uint8)
    places = np.empty(array.size, np.uint16)
    names = _native.expect(cast, inputs, expected.reshape(-1).view(np.uint8), kinds, places)
    any_nan, undefined, choice, tolerated = (
        (kinds & bit != 0).reshape(array.shape) for bit in (1, 2, 4, 8)
    )
    rules = np.array(names or [""])[places].reshape(array.shape)
    return Expected(
        expected, any_nan, undefined, choice, tolerated, rules, cast, target, inputs.copy()
    )


def _is_dtype(given: Any) -> bool:
    """Is it a dtype, and no array or number? The text of a number names no dtype."""
    if not isinstance(given, type) and hasattr(given, "__array__"):
        return False  # numpy takes an array of JAX, which has a dtype, for that dtype
    try:
        _arrays.dtype_name(given, "dtype")
    except (TypeError, ValueError):
        return False
    return not isinstance(given, str) or not given[:1].isdigit()


def of_numbers(numbers: Any, source: str, nearest: bool) -> NDArray[Any]:
    """Returns numbers, or texts, as an array of their codes."""
    array = np.array(numbers, object)
    texts = [_text(number) for number in array.flat]
    codes = np.array(_native.elements(source, texts, nearest), np.uint64)
    return codes.astype(_arrays.code_dtype(source)).reshape(array.shape)


def _text(number: object) -> str:
    """Writes a number exactly, as the program reads it."""
    if isinstance(number, str):
        return number
    if isinstance(number, (int, np.integer, np.bool_)):
        return str(int(number))
    if isinstance(number, (float, np.floating)):
        return float(number).hex()
    given = type(number).__name__
    raise ValueError(f"a list holds numbers, in lists of equal lengths; this one has a {given}")
