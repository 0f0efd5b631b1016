"""`castproof.check_quantize_linear` and `check_dequantize_linear`: ONNX's linear quantisation."""

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import castproof


def along(x: Any, given: Any, axis: int | None, block_size: int | None) -> Any:
    """Returns a scale or a zero point for each element."""
    if axis is None:
        return given
    if block_size is not None:
        rows = np.repeat(given, block_size, axis=axis)
        return rows[tuple(slice(size) for size in x.shape)]
    return given.reshape([-1 if at == axis else 1 for at in range(x.ndim)])


def quantiser(target: Any, fault: str = "") -> Any:
    """QuantizeLinear to an integer by float32, or a wrong one."""
    iinfo: Any = ml_dtypes.iinfo
    ends = iinfo(target)

    def mine(x: Any, scale: Any, zero_point: Any, axis: int | None = None, block_size: int | None = None) -> Any:
        scale, zero_point = (along(x, it, axis, block_size) for it in (scale, zero_point))
        quotient = x * (1 / scale) if fault == "reciprocal" else x / scale
        if fault == "truncates":
            rounded = np.trunc(quotient)
        else:
            rounded = np.rint(quotient)
        zero = 0.0 if fault == "zero point" else zero_point.astype(np.float64)
        total = np.nan_to_num(rounded.astype(np.float64) + zero, nan=0.0, posinf=1e9, neginf=-1e9)
        result: Any = np.clip(total, ends.min, ends.max).astype(np.int32).astype(target)
        if fault == "last" and result.size > 1:
            result.reshape(-1)[-1] = result.reshape(-1)[0]
        return result

    return mine


@pytest.mark.parametrize(
    ("target", "scales"),
    [
        ("uint8", "tensor"),
        ("int8", ["tensor", "axis", "blocks"]),
        ("uint16", "blocks"),
        (ml_dtypes.int4, ["tensor", "blocks"]),
    ],
)
def test_a_right_quantiser_passes(target: Any, scales: Any) -> None:
    summary = castproof.check_quantize_linear(quantiser(np.dtype(target)), target, scales=scales)
    assert summary.executed > 5


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("reciprocal", "multiplied by the rounded 1/scale instead of divided by the scale"),
        ("truncates", "the quotient rounded toward zero"),
        ("zero point", "the zero point ignored"),
        ("last", "QL-"),
    ],
)
def test_a_wrong_quantiser_fails(fault: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="QuantizeLinear of float32 to int8") as raised:
        castproof.check_quantize_linear(quantiser(np.dtype("int8"), fault), "int8", json=tmp_path / "results.json")
    assert said in str(raised.value)
    assert json.loads((tmp_path / "results.json").read_text())["findings"]


def dequantise(x: Any, scale: Any, zero_point: Any, axis: int | None = None, block_size: int | None = None) -> Any:
    scale, zero_point = (along(x, it, axis, block_size) for it in (scale, zero_point))
    return ((x.astype(np.int64) - zero_point.astype(np.int64)).astype(np.float32) * scale).astype(scale.dtype)


@pytest.mark.parametrize("source", ["uint8", ml_dtypes.uint4])
def test_a_right_dequantiser_passes(source: Any) -> None:
    summary = castproof.check_dequantize_linear(dequantise, source, scales=["tensor", "axis", "blocks"])
    assert summary.executed > 20


def test_a_wrong_dequantiser_fails() -> None:
    def narrow(x: Any, scale: Any, zero_point: Any) -> Any:
        return (x - zero_point).astype(np.float32) * scale  # the difference wraps in 8 bits

    with pytest.raises(AssertionError, match="DequantizeLinear of uint8 to float32"):
        castproof.check_dequantize_linear(narrow, "uint8")


def test_float8_saturates_or_does_not() -> None:
    def saturated(x: Any, scale: Any, zero_point: Any) -> Any:
        quotient = x / scale
        return np.clip(quotient, -448, 448).astype(ml_dtypes.float8_e4m3fn)

    castproof.check_quantize_linear(saturated, "float8e4m3fn")
    with pytest.raises(AssertionError, match="QL-"):
        castproof.check_quantize_linear(saturated, "float8e4m3fn", saturate=False)


@pytest.mark.torch
def test_tensors_of_torch_are_taken() -> None:
    def mine(x: Any, scale: Any, zero_point: Any) -> Any:
        import torch

        total = torch.nan_to_num(torch.round(x / scale)).double() + zero_point.double()
        return torch.clamp(total, -128, 127).to(torch.int8)

    castproof.check_quantize_linear(mine, "int8", arrays="torch")


def test_what_cannot_be_asked_is_said() -> None:
    cases: list[tuple[tuple[Any, ...], dict[str, Any], type[Exception], str]] = [
        (("float32",), {}, RuntimeError, "no question of onnx-quantize"),
        (("uint8",), {"source": "float64"}, RuntimeError, "no question of onnx-quantize"),
        (("uint8",), {"scales": "rows"}, ValueError, "scales is 'rows'; it must be one or several of tensor, axis, blocks"),
        (("uint8",), {"arrays": "jax"}, ValueError, "arrays is 'jax'"),
    ]
    for words, named, kind, said in cases:
        with pytest.raises(kind, match=said):
            castproof.check_quantize_linear(quantiser(np.dtype("uint8")), *words, **named)
    with pytest.raises(ValueError, match=r"the result of .* has shape \(\); it must be"):
        castproof.check_quantize_linear(lambda x, scale, zero_point: np.uint8(0), "uint8")
    with pytest.raises(TypeError, match="has dtype float32; it must be uint8"):
        castproof.check_quantize_linear(lambda x, scale, zero_point: x, "uint8")
