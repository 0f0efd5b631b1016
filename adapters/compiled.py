"""Casts that a compiler of C or C++ makes: a source is compiled, and its loops are called.

The source has one function:

    int castproof_loop(const char *from, const char *to, const void *in, void *out, size_t count);

It returns 0, or 1 if there is no such cast. An element of less than a byte takes a byte. A source whose
casts have attributes has a second one; -1 and an empty text stand for an attribute that is not given:

    int castproof_loop_with(const char *from, const char *to, int saturate, const char *round_mode,
                            const void *in, void *out, size_t count);
"""

import ctypes
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import array_cast
import numpy
from castproof_testee import Attributes, Request, Unsupported

# What a loop over contiguous elements takes without a copy.
FEATURES = ("shapes", "offset")

# The dtypes of C++ and of NVIDIA's headers.
OF_CUDA = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float4e2m1")
OF_CUDA += ("float6e2m3", "float6e3m2", "float8e4m3fn", "float8e5m2", "float8e8m0")
OF_CUDA += ("float16", "bfloat16", "float32", "float64")

# The constructors of these types saturate, and that of float8e8m0 rounds up.
SATURATING_IN_CUDA = ("float8e4m3fn", "float8e5m2", "float8e8m0")


def run(command: list[str]) -> str:
    """Returns what a command prints. Ends the program with one line if it fails."""
    shown = shlex.join(command)
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    except OSError as error:
        sys.exit(f"'{shown}' did not start ({error.strerror}); install it, or name the compiler in CC, CXX or NVCC")
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        sys.exit(f"'{shown}' failed: {said[-1]}")
    return done.stdout


def library(compiler: list[str], source: Path, flags: list[str], pic: str = "-fPIC") -> ctypes.CDLL:
    """Returns a source as a library. Its file is gone once it is loaded.

    `pic` is the compiler's flag for code that may lie anywhere in memory.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        compiled = str(Path(folder) / "casts.so")
        run([*compiler, *flags, "-shared", pic, "-o", compiled, str(source)])
        loaded = ctypes.CDLL(compiled)
    names, tensors = (ctypes.c_char_p, ctypes.c_char_p), (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    loaded.castproof_loop.argtypes = (*names, *tensors)
    loaded.castproof_loop.restype = ctypes.c_int
    if hasattr(loaded, "castproof_loop_with"):
        loaded.castproof_loop_with.argtypes = (*names, ctypes.c_int, ctypes.c_char_p, *tensors)
        loaded.castproof_loop_with.restype = ctypes.c_int
    return loaded


def cast(loaded: ctypes.CDLL, request: Request, payload: bytes) -> bytes:
    """Runs one loop over a tensor. The attributes of a profile's request go to the loop."""
    array = array_cast.to_array(request.source, payload, request.shape)
    memory = array_cast.memory_of(request.source, array, request.layout).copy()
    view = array_cast.view_of(numpy, memory, request.layout, request.shape)
    output = numpy.zeros(request.shape, array_cast.dtype(request.target))
    names = (request.source.encode(), request.target.encode())
    tensors = (view.ctypes.data, output.ctypes.data, view.size)
    (given,) = request.attributes
    if request.profile is None or given == Attributes():
        missing = loaded.castproof_loop(*names, *tensors)
    else:
        saturate = -1 if given.saturate is None else given.saturate
        missing = loaded.castproof_loop_with(*names, saturate, (given.round_mode or "").encode(), *tensors)
    if missing:
        raise Unsupported(f"the compiler has no such cast from {request.source} to {request.target}")
    return array_cast.to_bytes(request.target, output)
