"""`castproof.cast`: every pair against `castproof.expect`, shapes, `out`, bad input."""

from importlib import import_module
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import castproof

DTYPES = [name for name, _ in castproof._native.dtypes()]
BITS = dict(castproof._native.dtypes())


def _some(source: str) -> Any:
    from castproof.adapters import array_cast

    bits = BITS[source]
    width = 1 if source == "bool" else bits
    random = np.random.default_rng(1)
    codes = random.integers(0, (1 << width) - 1, 1000, np.uint64, endpoint=True)
    return codes.astype(f"uint{max(bits, 8)}").view(array_cast.dtype(source))


@pytest.mark.parametrize("source", DTYPES)
def test_every_pair_gives_what_is_expected(source: str) -> None:
    array = _some(source)
    for target in DTYPES:
        expected = castproof.expect(source, target, array)
        assert expected.admits(castproof.cast(array, target), strict=True).all(), target


def test_arrays_of_any_layout() -> None:
    array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for view in [array, array[:, ::2], array.T, array[0, 0, 0], array[:0], array[..., ::-1]]:
        result = castproof.cast(view, "float16")
        assert result.shape == view.shape and (result == view.astype(np.float16)).all()
    assert castproof.cast(np.float32(1.5), "bfloat16") == ml_dtypes.bfloat16(1.5)


def test_out_takes_the_result() -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    out = np.zeros((2, 3), np.float16)
    assert castproof.cast(array, "float16", out=out) is out
    assert (out == array).all()
    for wrong, error, text in [
        (np.zeros((3, 2), np.float16), ValueError, "out has shape"),
        (np.zeros((2, 3), np.float32), TypeError, "out has dtype float32"),
        (np.zeros((2, 6), np.float16)[:, ::2], ValueError, "out must be contiguous"),
    ]:
        with pytest.raises(error, match=text):
            castproof.cast(array, "float16", out=wrong)
    shared = np.zeros(4, np.float32)
    with pytest.raises(ValueError, match="shares memory"):
        castproof.cast(shared, "int32", out=shared.view(np.int32))


def test_attributes_and_specs() -> None:
    big = np.array([1e9], np.float32)
    assert castproof.cast(big, "float8e4m3fn").view(np.uint8) == 0x7E
    assert castproof.cast(big, "float8e4m3fn", saturate=False).view(np.uint8) == 0x7F
    assert castproof.cast(big, "int8", spec="rust-as") == 127
    three = np.array([3.0], np.float32)
    assert castproof.cast(three, "float8e8m0", round_mode="down").astype(np.float32) == 2


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (([1.0], "float16"), TypeError, "the array is list; it must be an array"),
        ((np.zeros(2, np.complex64), "float16"), TypeError, "the array has dtype complex64"),
        ((np.zeros(2, ">f4"), "float16"), TypeError, "native byte order"),
        ((np.zeros(2, np.float32), "float17"), ValueError, "unknown dtype 'float17'"),
        ((np.zeros(2, np.float32), "string"), ValueError, "not a numeric dtype"),
        ((np.array([31], np.uint8).view(ml_dtypes.int4), "int8"), ValueError, "0x1f is wider"),
    ],
)
def test_bad_input(arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    with pytest.raises(error) as raised:
        castproof.cast(*arguments)
    assert text in str(raised.value) and "\n" not in str(raised.value)


def test_a_refused_cast_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="does not take float8e4m3fn"):
        castproof.cast(np.zeros(2, np.float32), "float8e4m3fn", spec="onnx-cast-13")


@pytest.mark.torch
def test_tensors_stay_tensors() -> None:
    torch: Any = import_module("torch")
    result = castproof.cast(torch.tensor([[1.0, 2.0]]), "float8e4m3fn")
    assert result.dtype == torch.float8_e4m3fn and result.shape == (1, 2)
