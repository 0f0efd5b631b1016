"""`castproof.expect`: the same answers as those of the program, and a judge of results."""

import json
import subprocess
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import castproof


@pytest.mark.parametrize(
    ("source", "target", "words"),
    [
        ("float32", "float8e4m3fn", {"saturate": 0, "opset": 19}),
        ("float64", "float16", {"opset": 13}),
        ("float16", "int4", {}),
        ("float8e8m0", "float64", {}),
        ("float32", "float8e8m0", {"round_mode": "nearest"}),
        ("int64", "bool", {}),
        ("float16", "uint8", {}),
    ],
)
def test_answers_are_those_of_the_program(source: str, target: str, words: dict[str, Any]) -> None:
    bits = dict(castproof._native.dtypes())[source]
    random = np.random.default_rng(0)
    codes = random.integers(0, 1 << bits, 400, np.uint64, endpoint=False) if bits < 64 else (
        random.integers(0, (1 << 64) - 1, 400, np.uint64, endpoint=True)
    )
    codes = codes.astype(f"uint{max(bits, 8)}")
    spec = f"onnx-cast-{words.get('opset', 28)}"
    attributes = {name: value for name, value in words.items() if name != "opset"}
    expected = castproof.expect(source, target, codes, spec=spec, **attributes)
    options = [f"--{name.replace('_', '-')}={value}" for name, value in words.items()]
    said = subprocess.run(
        [sys.executable, "-m", "castproof", "expect", "--from", source, "--to", target, *options],
        input="".join(f"{code:#x}\n" for code in codes),
        capture_output=True,
        text=True,
        check=True,
    )
    answers = [json.loads(line) for line in said.stdout.splitlines()]
    assert len(answers) == len(codes)
    for place, answer in enumerate(answers):
        due = answer["expect"]
        code = int(expected.codes[place])
        assert expected.any_nan[place] == ("anyNaN" in due)
        assert expected.undefined[place] == ("any" in due)
        assert expected.choice[place] == ("oneOf" in due)
        assert expected.tolerated[place] == ("tolerate" in answer)
        assert expected.rules[place] == answer["clause"]
        if "code" in due:
            assert code == int(due["code"], 16)
        if "oneOf" in due:
            assert code == min(int(one, 16) for one in due["oneOf"])


def test_results_are_judged() -> None:
    x = np.array([1.0, 464.0, 480.0, np.nan, -0.0], np.float32)
    expected = castproof.expect("float32", "float8e4m3fn", x, saturate=0)
    assert expected.any_nan.tolist() == [False, False, True, True, False]
    with np.errstate(all="ignore"):
        results = x.astype(ml_dtypes.float8_e4m3fn)
    assert expected.admits(results).all()
    assert expected.admits(results.view(np.uint8)).all()
    clamped = castproof.cast(x, "float8e4m3fn")
    assert expected.admits(clamped).tolist() == [True, True, False, True, True]
    with pytest.raises(ValueError, match="shape"):
        expected.admits(results[:3])
    with pytest.raises(TypeError, match="float8_e4m3fn, or uint8 with its codes"):
        expected.admits(x)


def test_what_is_tolerated_fails_only_when_strict() -> None:
    expected = castproof.expect("float64", "float16", [0x3FF0020000000001])
    assert expected.tolerated.all() and expected.rules.tolist() == ["FF-10"]
    twice = np.array([0x3C00], np.uint16)
    assert expected.admits(twice.view(np.float16)).all()
    assert not expected.admits(twice.view(np.float16), strict=True).any()


def test_shapes_stay() -> None:
    for shape in [(), (0,), (2, 0, 3), (2, 3)]:
        expected = castproof.expect("int8", "int16", np.zeros(shape, np.int8))
        assert expected.codes.shape == expected.any_nan.shape == expected.rules.shape == shape
        assert expected.admits(np.zeros(shape, np.int16)).shape == shape


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (("float32", "float16", np.zeros(2, np.float64)), TypeError, "it must be float32, or uint32"),
        (("float32", "float16", [1 << 32]), ValueError, "32 bits"),
        (("float32", "float16", [-1]), ValueError, "32 bits"),
        (("float32", "float16", ["a"]), ValueError, "32 bits"),
        (("float32", "float16", [[1], [1, 2]]), ValueError, "equal lengths"),
        (("int4", "int8", np.array([16], np.uint8)), ValueError, "code 0x10"),
        (("float32", "float16", "0x1"), TypeError, "it must be an array"),
        (("float32", "floaty", [1]), ValueError, "unknown dtype 'floaty'"),
        (("string", "float32", [1]), ValueError, "string is not a numeric dtype"),
    ],
)
def test_bad_input(arguments: tuple[Any, ...], error: type[Exception], text: str) -> None:
    with pytest.raises(error) as raised:
        castproof.expect(*arguments)
    assert text in str(raised.value) and "\n" not in str(raised.value)


def test_a_refused_cast_is_a_value_error() -> None:
    with pytest.raises(ValueError, match=r"Cast\(13\) float32 -> float8e4m3fn is refused \[T-01"):
        castproof.expect("float32", "float8e4m3fn", [1], spec="onnx-cast-13")
