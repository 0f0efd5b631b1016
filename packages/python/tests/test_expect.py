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
        input="".join(f"0x{code:0{-(-bits // 4)}x}\n" for code in codes),
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
        assert expected.choice[place] == ("oneOf" in due or "quietNaN" in due)
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
    expected = castproof.expect("float64", "float16", ["0x3ff0020000000001"])
    assert expected.tolerated.all() and expected.rules.tolist() == ["FF-10"]
    twice = np.array([0x3C00], np.uint16)
    assert expected.admits(twice.view(np.float16)).all()
    assert not expected.admits(twice.view(np.float16), strict=True).any()


def test_a_list_holds_numbers() -> None:
    expected = castproof.expect("float32", "float16", [464, -0.0, float("nan"), "0x43e80000", np.float32(0.1)])
    assert expected.codes.tolist() == [0x5F40, 0x8000, expected.codes[2], 0x5F40, 0x2E66]
    assert expected.any_nan.tolist() == [False, False, True, False, False]
    assert castproof.expect("int16", "int8", [[-5, 464]]).codes.tolist() == [[0xFB, 0xD0]]
    assert castproof.expect("float32", "float16", 464).codes == 0x5F40
    assert castproof.expect("float32", "float16", [0.1], nearest=True).codes.tolist() == [0x2E66]


def test_dtypes_of_libraries_are_taken() -> None:
    x = np.array([464.0], np.float32)
    for source, target in [
        (np.float32, ml_dtypes.float8_e4m3fn),
        (np.dtype("float32"), np.dtype(ml_dtypes.float8_e4m3fn)),
        ("f32", "float8_e4m3fn"),
        ("numpy.float32", "torch.float8_e4m3fn"),
        ("FLOAT", "F8_E4M3"),
    ]:
        assert castproof.expect(source, target, x).codes.tolist() == [0x7E]
    assert castproof.cast(x, ml_dtypes.bfloat16).dtype == ml_dtypes.bfloat16
    castproof.check(lambda x: x.astype(np.float16), np.float32, np.float16, features=[])
    with pytest.raises(TypeError, match="source is a int; it must be a dtype"):
        castproof.check(lambda x: x, 1, np.float16)
    with pytest.raises(TypeError, match="the function is a str; it must be called"):
        castproof.check("float32", "float16", lambda x: x)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="int8 in MLIR and Rust, and int64 in numpy"):
        castproof.expect("i8", "int16", [1])


def test_shapes_stay() -> None:
    for shape in [(), (0,), (2, 0, 3), (2, 3)]:
        expected = castproof.expect("int8", "int16", np.zeros(shape, np.int8))
        assert expected.codes.shape == expected.any_nan.shape == expected.rules.shape == shape
        assert expected.admits(np.zeros(shape, np.int16)).shape == shape


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (("float32", "float16", np.zeros(2, np.float64)), TypeError, "it must be float32, or uint32"),
        (("float32", "float16", [(1 << 24) + 1]), ValueError, "nearest=True for 0x4b800000"),
        (("float32", "float16", [0.1]), ValueError, "float32 does not hold 0x1.999999999999ap-4 exactly"),
        (("uint8", "float16", [-1]), ValueError, "above it is 0 (0x00)"),
        (("float32", "float16", ["a"]), ValueError, "'a' is neither a number nor a code of float32"),
        (("float32", "float16", ["0x3f8"]), ValueError, "0x3f800000 for a code, or 1016 for the number"),
        (("float32", "float16", [[1], [1, 2]]), ValueError, "equal lengths"),
        (("int4", "int8", np.array([16], np.uint8)), ValueError, "code 0x10"),
        (("float32", "float16", {}), TypeError, "it must be an array"),
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


@pytest.mark.parametrize("codes", [[464, -0.0], "464", 464, np.array([464], np.float32), ["0x43e80000"]])
def test_the_array_comes_first_as_in_cast(codes: Any) -> None:
    before = castproof.expect("float32", "float8e4m3fn", codes)
    expected = castproof.expect(codes, "float32", ml_dtypes.float8_e4m3fn)
    named = castproof.expect(target="float8e4m3fn", source=np.float32, codes=codes)
    assert expected.codes.tolist() == before.codes.tolist() == named.codes.tolist()
    assert expected.codes.reshape(-1)[0] == 0x7E


def test_an_array_of_another_library_is_no_dtype() -> None:
    class Array:
        dtype = np.dtype(np.float32)

        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.array([464], np.float32)

    assert castproof.expect("float32", "float8e4m3fn", Array()).codes.tolist() == [0x7E]
    assert castproof.expect(Array(), "float32", "float8e4m3fn").codes.tolist() == [0x7E]
