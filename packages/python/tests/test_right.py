"""Right kernels in C, written in ways that differ from each other, pass; those with limits within them."""

import ctypes
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import castproof

SOURCE = Path(__file__).parent / "right.c"
ROW = re.compile(r'^    {"(\w+)", "(\w+)", "(\w+)", \w+, (?:ALL|{(\d+), (\d+), (\d+)})},$', re.MULTILINE)
ROWS = ROW.findall(SOURCE.read_text())
SMALL = {"bfloat16": ml_dtypes.bfloat16, "float8e4m3fn": ml_dtypes.float8_e4m3fn}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The table of kernels as a library, with a function that calls one by its place."""
    folder = tmp_path_factory.mktemp("right")
    entry = folder / "entry.c"
    entry.write_text(
        f'#define ONLY_TABLE\n#include "{SOURCE}"\n'
        "void cast(size_t place, const void *in, void *out, size_t n) { rights[place].cast(in, out, n); }\n"
    )
    built = folder / "libright.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", entry, "-o", built, "-lpthread", "-lm"], check=True)
    loaded = ctypes.CDLL(str(built))
    loaded.cast.argtypes = [ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    loaded.cast.restype = None
    return loaded


def function(library: ctypes.CDLL, place: int, source: str, target: str) -> Callable[[Any], Any]:
    """A function from array to array that calls a kernel."""

    def cast(x: Any) -> Any:
        flat = np.ascontiguousarray(x).reshape(-1)
        if source == "int4":  # the kernel takes two elements a byte
            codes = np.append(flat.view(np.uint8) & 15, np.uint8(0))[: flat.size + flat.size % 2]
            flat = codes[::2] | codes[1::2] << 4
        out = np.empty(x.shape, SMALL.get(target, target))
        library.cast(place, flat.ctypes.data, out.ctypes.data, x.size)
        return out

    return cast


def test_the_table_is_read() -> None:
    assert len(ROWS) >= 24 and sum(1 for row in ROWS if row[3]) >= 4


@pytest.mark.parametrize("place", range(len(ROWS)), ids=[row[0] for row in ROWS])
def test_a_right_kernel_of_the_table_passes(library: ctypes.CDLL, place: int) -> None:
    _, source, target, elements, multiple, no_empty = ROWS[place]
    more: dict[str, Any] = {}
    if elements:
        stated = {"elements": int(elements), "multiple_of": int(multiple), "empty": no_empty == "0"}
        more["limits"] = {name: value for name, value in stated.items() if value != 0 or name == "empty"}
    summary = castproof.check(function(library, place, source, target), source, target, **more)
    assert ("limits of the testee: " in str(summary)) == bool(elements)
