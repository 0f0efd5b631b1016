"""IREE on the CPU as a castproof testee: `stablehlo.convert`, compiled by llvm-cpu."""

import functools
import platform
import sys
from importlib.metadata import version
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

import array_cast  # noqa: E402
import iree.compiler  # noqa: E402
import iree.runtime  # noqa: E402
from castproof_testee import Request, Unsupported  # noqa: E402
from iree.runtime.array_interop import map_dtype_to_element_type  # noqa: E402

# What MLIR calls the dtypes.
NAMES = {
    "bool": "i1",
    "int4": "i4",
    "uint4": "ui4",
    "int8": "i8",
    "uint8": "ui8",
    "int16": "i16",
    "uint16": "ui16",
    "int32": "i32",
    "uint32": "ui32",
    "int64": "i64",
    "uint64": "ui64",
    "float4e2m1": "f4E2M1FN",
    "float6e2m3": "f6E2M3FN",
    "float6e3m2": "f6E3M2FN",
    "float8e4m3fn": "f8E4M3FN",
    "float8e4m3fnuz": "f8E4M3FNUZ",
    "float8e5m2": "f8E5M2",
    "float8e5m2fnuz": "f8E5M2FNUZ",
    "float8e8m0": "f8E8M0FNU",
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
}
# The results depend on the processor for which IREE compiles: float64 2^-15 to float16 is 0 with F16C and right with AVX-512 FP16. So
# it is the same on every x86-64 machine: Haswell, which has F16C.
PROCESSOR = "haswell" if platform.machine() in ("x86_64", "AMD64") else "host"
# Without the second option the compiler makes float32 of float64.
OPTIONS = [f"--iree-llvmcpu-target-cpu={PROCESSOR}", "--iree-input-demote-f64-to-f32=false"]
CONFIG = iree.runtime.Config("local-sync")
MODULES_KEPT = 1024


def cast(request: Request, payload: bytes) -> bytes:
    """Runs the casts of a request, of which a chain has several, as one function."""
    return run(functions((key_of(request),)), 0, request, payload)


def chains(requests: list[tuple[Request, bytes]]) -> list[bytes]:
    """Runs chains that were sent together. To compile 64 of them as one module takes a fifth of the time of 64 modules."""
    module = functions(tuple(key_of(request) for request, _ in requests))
    return [run(module, number, *asked) for number, asked in enumerate(requests)]


def key_of(request: Request) -> tuple[tuple[str, ...], int]:
    """Returns what a function depends on, its dtypes and its rank; raises Unsupported for what IREE has no words for."""
    array_cast.check_request(request)
    return request.dtypes, len(request.shape)


def run(module, number: int, request: Request, payload: bytes) -> bytes:
    """Runs a function of a module."""
    array = array_cast.to_array(request.source, payload, request.shape)
    output = module[f"cast{number}"](array).to_host()
    if output.shape != request.shape:
        raise RuntimeError(f"the output has shape {list(output.shape)}")
    return array_cast.to_bytes(request.target, output)


@functools.lru_cache(maxsize=MODULES_KEPT)
def functions(keys: tuple[tuple[tuple[str, ...], int], ...]):
    """Compiles a module of a function for each key; raises Unsupported if IREE refuses one of them."""
    text = "\n".join(function(f"cast{number}", *key) for number, key in enumerate(keys))
    try:
        binary = iree.compiler.compile_str(text, target_backends=["llvm-cpu"], input_type="stablehlo", extra_args=OPTIONS)
    except iree.compiler.CompilerToolError as refusal:
        raise Unsupported(reason(refusal)) from refusal
    context = iree.runtime.SystemContext(config=CONFIG)
    context.add_vm_module(iree.runtime.VmModule.copy_buffer(context.instance, binary))
    return context.modules.module


def function(name: str, dtypes: tuple[str, ...], rank: int) -> str:
    """Returns the text of a function of the casts between dtypes, of tensors of a rank whose sizes are open."""
    types = [f"tensor<{'?x' * rank}{NAMES[name]}>" for name in dtypes]
    steps = [f"%{step} = stablehlo.convert %{step - 1} : ({types[step - 1]}) -> {types[step]}" for step in range(1, len(types))]
    return "\n".join([f"func.func @{name}(%0: {types[0]}) -> {types[-1]} {{", *steps, f"return %{len(steps)} : {types[-1]}", "}"])


def reason(refusal: iree.compiler.CompilerToolError) -> str:
    """Returns the first error that the compiler names."""
    return next((line.split("error: ")[1] for line in str(refusal).splitlines() if "error: " in line), str(refusal))


def has(name: str) -> bool:
    """Does IREE's runtime take arrays of a dtype?"""
    return name in NAMES and array_cast.has(name) and map_dtype_to_element_type(array_cast.dtype(name)) is not None


if __name__ == "__main__":
    castproof_testee.serve(
        STREAM,
        "iree",
        version("iree-base-runtime"),
        cast,
        array_cast.casts(list(filter(has, castproof_testee.ELEMENT_BITS))),
        features=("shapes",),
        chain=cast,
        chains=chains,
    )
