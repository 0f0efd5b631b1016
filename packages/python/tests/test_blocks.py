"""`castproof.quantize`, `dequantize` and `check_blocks`: blocks that share a scale."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import castproof

RULES = ["mx-floor", "mx-ceil", "mx-rceil", "mx-even", "mx-rfit", "mx-torchao-floor", "mx-te"]


def drawn(count: int) -> Any:
    random = np.random.default_rng(1)
    return (random.standard_normal(count) * np.exp2(random.integers(-20, 20, count))).astype(np.float32)


@pytest.mark.parametrize("rule", RULES)
def test_blocks_are_those_of_the_program(rule: str) -> None:
    x = drawn(64)
    got = castproof.quantize(x, rule, "float8e4m3fn")
    words = ["quantize", "--elements", "float8e4m3fn", "--rule", rule, "--json"]
    numbers = [f"0x{code:08x}" for code in x.view(np.uint32)]
    said = subprocess.run(
        [sys.executable, "-m", "castproof", *words, *numbers], capture_output=True, text=True, check=True
    )
    blocks = [json.loads(line) for line in said.stdout.splitlines()]
    assert [int(block["scale"], 16) for block in blocks] == got.scales.tolist()
    assert [int(code, 16) for block in blocks for code in block["elements"]] == got.elements.tolist()
    assert got.rules.tolist() == [block["scaleClause"] for block in blocks]


def test_numbers_come_back() -> None:
    x = np.array([[464, 1, 0.001], [-6, 0, 2]], np.float32)
    blocks = castproof.quantize(x, "mx-rceil", ml_dtypes.float8_e4m3fn)
    assert blocks.scales.tolist() == [[0x80], [0x79]] and blocks.elements.shape == (2, 3)
    numbers = castproof.dequantize(blocks.elements, blocks.scales, "float8e4m3fn")
    due = blocks.elements.view(ml_dtypes.float8_e4m3fn).astype(np.float32)
    due = due * blocks.scales.view(ml_dtypes.float8_e8m0fnu).astype(np.float32)
    assert np.array_equal(numbers.numbers, due) and not numbers.undefined.any()
    half = castproof.dequantize(blocks.elements, blocks.scales, "float8e4m3fn", to="bfloat16")
    assert half.numbers.dtype == ml_dtypes.bfloat16


def test_a_list_holds_numbers_and_nan_is_open() -> None:
    blocks = castproof.quantize([464, 1, 0.001], "mx-floor", "float8_e4m3fn")
    assert blocks.scales.tolist() == [0x7F] and blocks.elements.tolist() == [0x7E, 0x38, 0x01]
    blocks = castproof.quantize([float("nan"), 1], "mx-floor", "float4e2m1")
    assert blocks.scales.tolist() == [0xFF] and blocks.undefined.all()
    blocks = castproof.quantize([0.0224609375], "nvfp4-te", "float4e2m1", largest=448)
    assert blocks.scales.tolist() == [0x0C] and blocks.largest == 0x43E00000


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (([1.0], "mx-rcel", "float8e4m3fn"), "unknown rule 'mx-rcel'"),
        (([1.0], "mx-rceil", "int8"), "not float32 to int8"),
        (([1.0], "nvfp4-te", "float8e5m2"), "not float32 to float8e5m2"),
        ((["x"], "mx-rceil", "float8e5m2"), "'x' is neither a number"),
    ],
)
def test_what_cannot_be_asked_is_said(words: tuple[Any, ...], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        castproof.quantize(*words)


def test_scales_have_the_shape_of_the_blocks() -> None:
    with pytest.raises(ValueError, match=r"scales has shape \(1,\); it must be \(2,\)"):
        castproof.dequantize(np.zeros(33, np.uint8), np.zeros(1, np.uint8), "float8e4m3fn")
    with pytest.raises(ValueError, match="nvfp4 has no elements of float8e4m3fn"):
        castproof.dequantize(np.zeros(1, np.uint8), np.zeros(1, np.uint8), "float8e4m3fn", format="nvfp4")


def floor_scale(x: Any, shift: int = 8, *, tie: float = 1.0) -> Any:
    """The scale exponents of mx-floor for float8e4m3fn."""
    count = x.shape[-1]
    padded = np.zeros((*x.shape[:-1], -(-count // 32) * 32), np.float64)
    padded[..., :count] = x
    largest = np.abs(padded.reshape(*x.shape[:-1], -1, 32)).max(-1) * tie
    exponent = np.frexp(largest)[1] - 1
    return np.where(largest == 0, -127, np.maximum(exponent - shift, -127))


def quantiser(fault: str = "") -> Any:
    """A quantiser by mx-floor in float64, or a wrong one."""

    def mine(x: Any) -> Any:
        wide = x.astype(np.float64)
        exponents = floor_scale(np.nan_to_num(wide, posinf=0, neginf=0), 7 if fault == "emax" else 8)
        bad = ~np.isfinite(wide)
        rows = np.repeat(exponents, 32, axis=-1)[..., : x.shape[-1]]
        scaled = np.nan_to_num(np.ldexp(wide, -rows.astype(np.int64)))
        scaled = np.clip(scaled, -448, 448)
        if fault == "truncates":
            codes = scaled.astype(ml_dtypes.float8_e4m3fn)
            away = np.abs(codes.astype(np.float64)) > np.abs(scaled)
            elements = codes.view(np.uint8) - away.astype(np.uint8)
        else:
            elements = scaled.astype(ml_dtypes.float8_e4m3fn).view(np.uint8)
        if fault == "sign":
            elements = elements & 0x7F
        if fault == "flushes":
            elements = np.where(elements & 0x78, elements, elements & 0x80)
        scales = (exponents + 127).astype(np.uint8)
        blocks = np.zeros((*x.shape[:-1], scales.shape[-1] * 32), bool)
        blocks[..., : x.shape[-1]] = bad
        if fault != "nan":
            scales[blocks.reshape(*scales.shape, 32).any(-1)] = 0xFF
        if fault == "last" and scales.size > 1:
            scales[..., -1] = scales[..., 0]
        return scales, elements

    return mine


def test_a_right_quantiser_passes() -> None:
    summary = castproof.check_blocks(quantiser(), "mx-floor", "float8e4m3fn")
    assert summary.executed > 200


@pytest.mark.parametrize("fault", ["emax", "truncates", "sign", "flushes", "nan", "last"])
def test_a_wrong_quantiser_fails(fault: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="mx-floor of float32 to float8e4m3fn"):
        castproof.check_blocks(quantiser(fault), "mx-floor", "float8e4m3fn", json=tmp_path / "results.json")
    assert json.loads((tmp_path / "results.json").read_text())["findings"]


def test_another_rule_is_told() -> None:
    with pytest.raises(AssertionError, match="scale as mx-floor"):
        castproof.check_blocks(quantiser(), "mx-rceil", "float8e4m3fn")


def test_several_dtypes_are_named() -> None:
    def mine(x: Any, *, elements: str) -> Any:
        blocks = castproof.quantize(x, "mx-even", elements)
        return blocks.scales, blocks.elements

    castproof.check_blocks(mine, "mx-even", ["float4e2m1", "float6e2m3"], source=ml_dtypes.bfloat16)

    def of_tensor(x: Any, largest: float) -> Any:
        blocks = castproof.quantize(x, "nvfp4-te", "float4e2m1", largest=largest)
        return blocks.scales, blocks.elements

    castproof.check_blocks(of_tensor, "nvfp4-te")


@pytest.mark.torch
def test_tensors_of_torch_are_taken() -> None:
    def mine(x: Any) -> Any:
        import torch

        assert isinstance(x, torch.Tensor)
        scales, elements = quantiser()(x.numpy())
        return torch.from_numpy(scales), torch.from_numpy(elements)

    castproof.check_blocks(mine, "mx-floor", "float8e4m3fn", arrays="torch")


def test_what_a_function_may_not_return_is_said() -> None:
    for function, kind, said in [
        (lambda x: x, ValueError, "must return scales and elements|have shape"),
        (lambda x: (np.zeros(7, np.uint8), np.zeros(x.shape, np.uint8)), ValueError, "the scales of .* have shape"),
        (lambda x: None, TypeError, "must return scales and elements, not NoneType"),
    ]:
        with pytest.raises((kind, TypeError), match=said):
            castproof.check_blocks(function, "mx-floor", "float8e4m3fn")
    with pytest.raises(ValueError, match="name one or several"):
        castproof.check_blocks(quantiser(), "mx-floor")
    with pytest.raises(ValueError, match="mx-te has no elements of float4e2m1"):
        castproof.check_blocks(quantiser(), "mx-te", "float4e2m1")
