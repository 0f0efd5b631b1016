"""`castproof.check`: what it finds, what it refuses, and that it asks what the program asks."""

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any

import kernels
import ml_dtypes
import numpy as np
import pytest

import castproof

HERE = Path(__file__).parent


@pytest.mark.parametrize("name", kernels.right())
def test_a_right_kernel_passes(name: str) -> None:
    kernel = kernels.right()[name]
    summary = castproof.check(kernel.function, kernel.source, kernel.target, **kernel.attributes)
    assert summary.executed > 20 and summary.tensors > 300
    # Nobody gave a flag.
    assert "PASS" in str(summary) and "REDUCED" not in str(summary)


@pytest.mark.parametrize("name", kernels.wrong())
def test_a_wrong_kernel_is_found(name: str) -> None:
    kernel = kernels.wrong()[name]
    with pytest.raises(AssertionError) as found:
        castproof.check(kernel.function, kernel.source, kernel.target, **kernel.attributes)
    text = str(found.value)
    assert f"{kernel.source} -> {kernel.target}" in text and re.search(r"  F-[0-9a-f]{6}\n", text) and "FAIL" in text
    assert "REDUCED" not in text


def test_the_message_is_that_of_a_finding() -> None:
    with pytest.raises(AssertionError) as found:
        castproof.check(kernels._truncates, "float32", "bfloat16")
    text = str(found.value)
    assert text.startswith("_truncates, Cast(28) float32 -> bfloat16\n")
    assert "low half of the source dropped" in text and "expected" in text and "FF-" in text
    # The parameter, not the option of the program.
    assert text.endswith("\nwith json=FILE, castproof show tells more of each")


def test_a_kernel_that_takes_some_tensors_passes_and_says_so() -> None:
    def narrow(x: Any) -> Any:
        if x.size == 0 or x.size % 8 or x.size > 4096 or x.ndim > 2:
            raise ValueError(f"no tensor of shape {x.shape}")
        return x.astype(np.float16)

    limits = {"elements": 4096, "multiple_of": 8, "empty": False, "ranks": [1, 2]}
    summary = castproof.check(narrow, "float32", "float16", limits=limits)
    stated = "limits of the testee: at most 4,096 elements, multiples of 8, no empty tensor, ranks 1 and 2"
    assert stated in str(summary) and summary.tensors > 100
    with pytest.raises(ValueError, match="no tensor of shape"):
        castproof.check(narrow, "float32", "float16")
    for wrong, said in [({"most": 8}, "limits has 'most'; known are elements"), ({"multiple_of": 0}, "`multipleOf` is none")]:
        with pytest.raises(ValueError, match=said):
            castproof.check(narrow, "float32", "float16", limits=wrong)


@pytest.mark.parametrize("name", ["numpy", "truncates", "cuts the tail of 8", "ignores strides"])
def test_the_program_asks_the_same(name: str, tmp_path: Path) -> None:
    """The same function, in this process and behind the pipe: same counts, same findings."""
    is_right = name in kernels.right()
    kernel = (kernels.right() | kernels.wrong())[name]
    ours, theirs = tmp_path / "ours.json", tmp_path / "theirs.json"
    with nullcontext() if is_right else pytest.raises(AssertionError):
        castproof.check(kernel.function, kernel.source, kernel.target, json=ours)
    testee = f"{sys.executable} {HERE / 'piped.py'} '{name}'"
    pair = f"{kernel.source}:{kernel.target}"
    said = subprocess.run(
        [sys.executable, "-m", "castproof", "gate", "--testee", testee, "--pair", pair]
        + ["--kernel", "--json", str(theirs)],
        capture_output=True,
        text=True,
    )
    assert said.returncode == (0 if is_right else 1), said.stdout + said.stderr
    one, other = (json.loads(path.read_text()) for path in (ours, theirs))
    for member in ("totals", "findings", "cells", "arranged", "misplaced", "reductions", "lacking"):
        assert one.get(member) == other.get(member), member
    assert one["totals"]["executed"] > 100


def _returns(result: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return result


def _writes(x: Any) -> Any:
    result = x.astype(np.float16)
    if x.flags.writeable:
        x[...] = 0
    return result


@pytest.mark.parametrize(
    ("function", "error", "text"),
    [
        (lambda x: x, TypeError, "has dtype float32; it must be float16"),
        (lambda x: x.astype(np.float16).view(np.uint16), TypeError, "has dtype uint16"),
        (lambda x: x.astype(">f2"), TypeError, "has dtype >f2"),
        (lambda x: x.astype(np.float16).reshape(-1)[:3], ValueError, "has shape (3,)"),
        (lambda x: None, TypeError, "is NoneType; it must be an array"),
        (lambda x: [1.0], TypeError, "is list; it must be an array"),
        (_writes, ValueError, "_writes wrote into its input"),
        (lambda x: 1 // 0, ZeroDivisionError, "division"),
        (lambda: None, TypeError, "positional argument"),
    ],
)
def test_a_function_that_is_no_cast(
    function: Callable[[Any], Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error) as raised:
        castproof.check(function, "float32", "float16")
    notes = getattr(raised.value, "__notes__", [])
    assert text in str(raised.value) or text in " ".join(notes), raised.value
    assert not isinstance(raised.value, AssertionError)


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        ("sys.exit(0)", "AssertionError: kernel ended the program with status 0"),
        ("raise SystemExit", "AssertionError: kernel ended the program with status None"),
        ("ctypes.CDLL(None).exit(0)", "the program ends in the middle of a check"),
    ],
)
def test_a_function_that_ends_the_program_has_not_passed(ends: str, text: str) -> None:
    program = f"""
import ctypes, sys, castproof, numpy
def kernel(x):
    if x.size > 40:
        {ends}
    return x.astype(numpy.float16)
castproof.check(kernel, "float32", "float16")
"""
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert said.returncode == 1 and text in said.stderr, said


def test_codes_that_are_too_wide_are_named() -> None:
    with pytest.raises(ValueError, match="holds the code 0x1f; int4 has 4 bits"):
        castproof.check(lambda x: np.full(x.shape, 0x1F, np.uint8), "float32", "int4")


def test_an_exception_says_what_was_asked() -> None:
    def fails_on_empty(x: Any) -> Any:
        if x.size == 0:
            raise RuntimeError("no elements")
        return x.astype(np.float16)

    with pytest.raises(RuntimeError, match="no elements") as raised:
        castproof.check(fails_on_empty, "float32", "float16")
    assert "Cast(28) float32 -> float16, for a contiguous input of shape (0,)" in str(
        raised.value.__notes__
    )


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"source": "float33"}, "unknown dtype 'float33'"),
        ({"target": "string"}, "string is not a numeric dtype"),
        ({"saturate": 2}, "saturate is 2; it must be 0 or 1"),
        ({"round_mode": "sideways"}, "sideways"),
        ({"spec": "onnx-cast-20"}, "Cast has no version 20"),
        ({"spec": "onnx-castlike-25"}, "name a version of onnx-cast"),
        ({"target": "float8e4m3fn", "spec": "onnx-cast-13"}, "is refused [T-01"),
        ({"level": "most"}, "unknown level 'most'"),
        ({"features": ["sideways"]}, "unknown feature 'sideways'"),
        ({"arrays": "lists"}, "arrays is 'lists'"),
    ],
)
def test_words_that_are_not_known(arguments: dict[str, Any], text: str) -> None:
    words = {"source": "float32", "target": "float16"} | arguments
    with pytest.raises(ValueError) as raised:
        castproof.check(lambda x: x, **words)
    assert text in str(raised.value) and "\n" not in str(raised.value)


def test_an_unknown_attribute_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="rounding"):
        castproof.check(lambda x: x, "float32", "float16", rounding="up")  # type: ignore[call-arg]


def test_codes_in_and_out() -> None:
    def by_codes(x: Any) -> Any:
        assert x.dtype == np.uint16
        return (x.astype(np.uint32) << 16).astype(np.uint32)

    castproof.check(by_codes, "bfloat16", "float32", arrays="codes")
    with pytest.raises(TypeError, match="uint32"):
        castproof.check(lambda x: x.astype(np.uint16), "float32", "float32", arrays="codes")


@pytest.mark.torch
def test_tensors_of_torch() -> None:
    torch: Any = import_module("torch")
    castproof.check(lambda x: x.to(torch.bfloat16), "float32", "bfloat16", arrays="torch")
    with pytest.raises(AssertionError):
        castproof.check(
            lambda x: x.to(torch.float8_e4m3fn),
            "float32",
            "float8e4m3fn",
            arrays="torch",
            saturate=False,
        )


def test_a_profile() -> None:
    castproof.check(
        lambda x: castproof.cast(x, "int8", spec="rust-as"), "float32", "int8", spec="rust-as"
    )
    with pytest.raises(AssertionError):
        castproof.check(lambda x: x.astype(np.int8), "float32", "int8", spec="rust-as")


def test_other_threads_run_meanwhile() -> None:
    """The lock of the interpreter is free while Rust works."""
    done = threading.Event()
    counted = 0

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    codes = np.zeros(1 << 22, np.uint32)
    before = counted
    castproof.expect("float32", "float16", codes)
    after = counted
    done.set()
    thread.join()
    assert after - before > 100


@pytest.mark.parametrize("where", ["function", "rust"])
def test_ctrl_c_ends_a_check(where: str) -> None:
    script = f"""
import os, signal, threading, castproof, numpy as np
# A shell starts a job in the background with the signal ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
def slow(x):
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start() if not started else None
    started.append(1)
    while {where == "function"}:
        pass
    return x.astype(np.float16)
started = []
try:
    while True:
        castproof.check(slow, "float32", "float16")
except KeyboardInterrupt:
    print("ended")
"""
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert said.stdout == "ended\n", said.stderr


def test_results_are_read_by_the_program(tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    with pytest.raises(AssertionError) as found:
        castproof.check(kernels._truncates, "float32", "bfloat16", json=results)
    finding = str(found.value).split("  F-")[1].split()[0]
    words = ["show", f"F-{finding}", "--results", str(results)]
    said = subprocess.run(
        [sys.executable, "-m", "castproof", *words], capture_output=True, text=True
    )
    assert said.returncode == 0 and "low half of the source dropped" in said.stdout, said.stderr
    assert os.listdir(tmp_path) == ["results.json"]


def test_ml_dtypes_in_and_out() -> None:
    castproof.check(lambda x: x.astype(ml_dtypes.bfloat16), "float8e5m2", "bfloat16")


