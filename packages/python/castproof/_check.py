"""Checks of a function."""

from __future__ import annotations

import json as _json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, Literal

import numpy as np

from castproof import _arrays, _native
from castproof.adapters import array_cast, castproof_testee

# torch has no negative strides.
FEATURES = {
    "numpy": ("shapes", *castproof_testee.LAYOUTS),
    "codes": ("shapes", *castproof_testee.LAYOUTS),
    "torch": ("shapes", *(it for it in castproof_testee.LAYOUTS if it != "reversed")),
}


@dataclass(frozen=True)
class Summary:
    """What was asked of a function that passed."""

    executed: int
    """Tests of the vectors that were executed."""
    tolerated: int
    """Tests with a result that is tolerated, but not the recommended one."""
    undefined: int
    """Tests whose result the specification leaves open."""
    tensors: int
    """Further tensors, of other counts, shapes, layouts and codes."""
    elements: int
    """Elements of those tensors."""
    report: str
    """The report of the gate."""

    def __str__(self) -> str:
        return self.report


def check(
    function: Callable[[Any], Any],
    source: _arrays.DTypeLike,
    target: _arrays.DTypeLike,
    *,
    saturate: bool | int | None = None,
    round_mode: str | None = None,
    spec: str | None = None,
    arrays: Literal["numpy", "torch", "codes"] = "numpy",
    features: Sequence[str] | None = None,
    limits: Mapping[str, object] | None = None,
    level: Literal["core", "standard", "full"] = "core",
    strict: bool = False,
    json: str | PathLike[str] | None = None,
) -> Summary:
    """Holds a function from array to array to the exact answers, as `castproof gate` does.

    The function takes an array of `source`'s dtype and returns one of the same shape and of
    `target`'s dtype. It is asked for the vectors, for the same codes in tensors of many counts,
    shapes and layouts, and for every code of a source up to 16 bits or codes drawn from the answers.

    `source` and `target` are dtypes: names, such as "float32", or those of a library, such as
    numpy.float32, ml_dtypes.bfloat16 or torch.float16.

    `saturate`, `round_mode` and `spec` say what the function does, as in `cast`. `arrays` says what
    it takes: arrays of numpy and ml_dtypes, tensors of torch, or codes, which are unsigned arrays.
    It may return any of the three; codes only with `arrays="codes"`, or where numpy lacks the dtype.
    `features` are the forms of tensors that are asked beside contiguous ones of rank 1; by default
    all of FEATURES. `limits` are of the tensors that the function takes, such as
    {"elements": 65536, "multiple_of": 8, "empty": False, "ranks": [1, 2]}: at most so many elements,
    multiples of 8, no empty ones, of these ranks. What is longer is asked in pieces, and the report
    states the limits. `level` says how many vectors are asked. With `strict`, results that are
    tolerated fail. `json` is a file for the results, which `castproof show` and `castproof report`
    read.

    Raises AssertionError with the findings if a result is wrong; TypeError and ValueError for a
    result of another dtype or shape, for a function that writes into its input, and for a cast that
    there is not. An exception of the function is raised as it is, with a note on what was asked; SystemExit
    becomes an AssertionError. A program that C code ends in the function by exit(0) has status 1; os._exit
    cannot be noticed.
    """
    __tracebackhide__ = True  # pytest shows the place of the call
    if arrays not in FEATURES:
        raise ValueError(f"arrays is {arrays!r}; it must be one of {', '.join(FEATURES)}")
    if not callable(function):
        raise TypeError(f"the function is a {type(function).__name__}; it must be called with an array")
    source, target = _arrays.dtype_name(source, "source"), _arrays.dtype_name(target, "target")
    name = str(getattr(function, "__qualname__", type(function).__qualname__))
    cast = _native.Cast(source, target, spec, saturate, round_mode)
    asked = _Asked(function, name, source, target, arrays, str(cast))
    passed, report, counts = _native.check(
        asked,
        cast,
        features=list(FEATURES[arrays] if features is None else features),
        limits=_limits(limits or {}),
        level=level,
        strict=strict,
        json=None if json is None else fspath(json),
    )
    return concluded(passed, f"{name}, {cast}\n{report}", counts)


def concluded(passed: bool, report: str, counts: Mapping[str, int]) -> Summary:
    """Returns what was asked of a function that passed. Raises AssertionError with the report of one that did not."""
    __tracebackhide__ = True
    if not passed:
        raise AssertionError(report)
    return Summary(
        executed=counts["executed"],
        tolerated=counts["tolerated"],
        undefined=counts["undefined"],
        tensors=counts["tensors"],
        elements=counts["elements"],
        report=report,
    )


def _limits(limits: Mapping[str, object]) -> str:
    """Returns limits as a hello of the protocol states them."""
    names = {"elements": "elements", "multiple_of": "multipleOf", "empty": "empty", "ranks": "ranks"}
    if unknown := set(limits) - set(names):
        raise ValueError(f"limits has {sorted(unknown)[0]!r}; known are {', '.join(names)}")
    return _json.dumps({names[name]: limit for name, limit in limits.items()})


@dataclass(frozen=True)
class _Asked:
    """Asks a function for one tensor after the other."""

    function: Callable[[Any], Any]
    name: str
    source: str
    target: str
    arrays: str
    cast: str

    def __call__(self, shape: tuple[int, ...], layout: str, payload: bytes) -> bytes:
        """Returns the packed elements of the output."""
        array = array_cast.to_array(self.source, payload, shape)
        memory = array_cast.memory_of(self.source, array, layout).copy()
        before = memory.tobytes()
        try:
            with np.errstate(all="ignore"):  # NaN and overflow are the subject here
                result = self.function(self._view(memory, layout, shape))
        except SystemExit as error:
            # Raised on, it would end the program as if all were right.
            ended = f"{self.name} ended the program with status {error.code!r}, {_form(shape, layout)}"
            raise AssertionError(f"{ended}: it must return an array") from error
        except BaseException as error:
            error.add_note(f"castproof asked {self.name} for {self.cast}, {_form(shape, layout)}")
            raise
        if memory.tobytes() != before:
            raise ValueError(f"{self.name} wrote into its input, {_form(shape, layout)}")
        return self._elements(result, shape, layout)

    def _view(self, memory: _arrays.Array, layout: str, shape: tuple[int, ...]) -> Any:
        """Returns what the function is called with."""
        if self.arrays == "torch":
            import torch

            tensor = _arrays.to_tensor(self.source, memory)
            return array_cast.view_of(torch, tensor, layout, shape)
        view = array_cast.view_of(np, memory, layout, shape)
        return view.view(_arrays.code_dtype(self.source)) if self.arrays == "codes" else view

    def _elements(self, result: object, shape: tuple[int, ...], layout: str) -> bytes:
        """Returns the packed elements of a result."""
        what = f"the result of {self.name}"
        array = _arrays.of_any(result, what)
        if array.shape != shape:
            raise ValueError(f"{what} has shape {array.shape}, {_form(shape, layout)}")
        coded = self.arrays == "codes" or not _arrays.is_of_numpy(self.target)
        codes = _arrays.codes_of(self.target, array, what, coded=coded)
        packed: bytes = array_cast.to_bytes(self.target, codes.view(array_cast.dtype(self.target)))
        return packed


def _form(shape: tuple[int, ...], layout: str) -> str:
    """Describes an input for people."""
    return f"for a {layout} input of shape {shape}"
