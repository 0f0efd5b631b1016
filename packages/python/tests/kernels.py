"""Functions that cast: right ones, and wrong ones, each with one fault of those that kernels have."""

from collections.abc import Callable
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

import castproof


class Kernel(NamedTuple):
    """A function, and the cast that it claims to do."""

    function: Callable[[Any], Any]
    source: str
    target: str
    attributes: dict[str, Any] = {}


def _exact(target: str, **attributes: Any) -> Callable[[Any], Any]:
    return lambda x: castproof.cast(x, target, **attributes)


E4M3 = ml_dtypes.float8_e4m3fn
_to_e4m3 = _exact("float8e4m3fn")
_to_half = _exact("float16")
_to_single = _exact("float32")


def right() -> dict[str, Kernel]:
    """Right kernels."""
    return {
        "numpy": Kernel(lambda x: x.astype(np.float16), "float32", "float16"),
        "ml_dtypes without saturation": Kernel(
            lambda x: x.astype(E4M3), "float32", "float8e4m3fn", {"saturate": False}
        ),
        "saturates": Kernel(_to_e4m3, "float16", "float8e4m3fn"),
        "codes of sub-byte integers": Kernel(
            lambda x: castproof.cast(x, "int4").view(np.uint8), "float32", "int4"
        ),
        "an older version": Kernel(
            _exact("float8e5m2fnuz", spec="onnx-cast-19"),
            "float32",
            "float8e5m2fnuz",
            {"spec": "onnx-cast-19"},
        ),
        "rounds as it is told": Kernel(
            _exact("float8e8m0", round_mode="nearest"),
            "float32",
            "float8e8m0",
            {"round_mode": "nearest"},
        ),
    }


def _truncates(x: Any) -> Any:
    return (x.view(np.uint32) >> 16).astype(np.uint16).view(ml_dtypes.bfloat16)


def _rounds_half_up(x: Any) -> Any:
    rounded = (x.view(np.uint32) + np.uint32(0x8000)) >> 16
    nan = np.uint32(0x7FC0)
    return np.where(np.isnan(x), nan, rounded).astype(np.uint16).view(ml_dtypes.bfloat16)


def _clamps(x: Any) -> Any:
    with np.errstate(invalid="ignore"):
        return np.clip(x, -448, 448).astype(E4M3)


def _loses_nan(x: Any) -> Any:
    return np.where(np.isnan(x), np.float16(0), _to_half(x))


def _cuts_the_tail(x: Any) -> Any:
    result = np.array(_to_half(x)).reshape(-1)
    tail = x.reshape(-1)[result.size // 8 * 8 :].view(np.uint32) & np.uint32(0xFFFFE000)
    result[result.size // 8 * 8 :] = _to_half(tail.view(np.float32))
    return result.reshape(x.shape)


def _forgets_low_bits(x: Any) -> Any:
    return _to_single((x.view(np.uint64) & np.uint64(0xFFFFFFFFFFFF0000)).view(np.float64))


def _loses_the_sign_of_zero(x: Any) -> Any:
    return _to_half(np.where(x == 0, np.float32(0), x))


def _flushes_subnormals(x: Any) -> Any:
    return np.where(np.abs(x) < np.float32(2**-14), np.float16(0), _to_half(x))


def _saturates_integers(x: Any) -> Any:
    return np.clip(x, -128, 127).astype(np.int8)


def _ignores_strides(x: Any) -> Any:
    base = x if x.base is None else x.base
    return _to_half(base.reshape(-1)[: x.size].reshape(x.shape)) if base.size >= x.size else _to_half(x)


def _fails_beyond_a_block(x: Any) -> Any:
    result = np.array(_to_half(x)).reshape(-1)
    result[1024:1040] = 0
    return result.reshape(x.shape)


def wrong() -> dict[str, Kernel]:
    """Wrong kernels."""
    return {
        "truncates": Kernel(_truncates, "float32", "bfloat16"),
        "rounds ties up": Kernel(_rounds_half_up, "float32", "bfloat16"),
        "rounds twice": Kernel(lambda x: _to_e4m3(_to_half(x)), "float32", "float8e4m3fn"),
        "never saturates": Kernel(lambda x: x.astype(E4M3), "float32", "float8e4m3fn"),
        "saturates when told not to": Kernel(
            _clamps, "float32", "float8e4m3fn", {"saturate": False}
        ),
        "turns NaN into zero": Kernel(_loses_nan, "float32", "float16"),
        "cuts the tail of 8": Kernel(_cuts_the_tail, "float32", "float16"),
        "forgets the low bits": Kernel(_forgets_low_bits, "float64", "float32"),
        "loses the sign of zero": Kernel(_loses_the_sign_of_zero, "float32", "float16"),
        "flushes subnormals": Kernel(_flushes_subnormals, "float32", "float16"),
        "saturates integers": Kernel(_saturates_integers, "int64", "int8"),
        "ignores strides": Kernel(_ignores_strides, "float32", "float16"),
        "fails beyond a block": Kernel(_fails_beyond_a_block, "float32", "float16"),
        "reads an absent attribute as nearest": Kernel(
            _exact("float8e8m0", round_mode="nearest"), "float32", "float8e8m0"
        ),
        "reads bool as positive": Kernel(lambda x: x > 0, "float32", "bool"),
    }
