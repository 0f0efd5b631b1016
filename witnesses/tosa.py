"""Casts codes with TOSA's reference model, which tosa-tools has. The protocol is that of cast.c.

For each request tosa-opt writes a graph of one CAST, and the model runs it on a file of numpy. tosa-opt refuses a pair
that TOSA's table lacks, which ends the witness."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

# The element types of TOSA's dialect, and how files of numpy hold them. Codes are compared, so no dtype of numpy
# need know the floats of 8 bits and bfloat16.
TYPES = {
    "bool": ("i1", "|b1"),
    "int8": ("i8", "|i1"),
    "int16": ("i16", "<i2"),
    "int32": ("i32", "<i4"),
    "int64": ("i64", "<i8"),
    "float8e4m3fn": ("f8E4M3FN", "<V1"),
    "float8e5m2": ("f8E5M2", "|u1"),
    "float16": ("f16", "<f2"),
    "bfloat16": ("bf16", "<V2"),
    "float32": ("f32", "<f4"),
}

TARGET = (
    "--tosa-attach-target=specification_version=1.1.draft profiles=pro_int,pro_fp "
    "extensions=int64,bf16,fp8e4m3,fp8e5m2"
)
# The programs themselves. What pip puts beside python names the folder into which it was installed.
PROGRAMS = Path(numpy.__file__).parent.parent / "bin"

# The names that tosa-opt gives the tensors of a graph.
DESCRIPTION = {
    "tosa_file": "cast.tosa",
    "ifm_name": ["TosaInput_0"],
    "ifm_file": ["in.npy"],
    "ofm_name": ["TosaOutput_0"],
    "ofm_file": ["out.npy"],
    "expected_failure": False,
}


def run(command, folder, text=None):
    """Runs a program that must succeed."""
    ended = subprocess.run(command, cwd=folder, input=text, capture_output=True, text=True)
    if ended.returncode != 0:
        sys.exit(f"{command[0]} ends with {ended.returncode}: {ended.stderr[:400]}")


def cast(source, target, codes, folder):
    """Returns the codes of the results."""
    (from_type, from_numpy), (to_type, to_numpy) = TYPES[source], TYPES[target]
    width = numpy.dtype(from_numpy).itemsize
    operand, result = f"tensor<{len(codes)}x{from_type}>", f"tensor<{len(codes)}x{to_type}>"
    graph = (
        f"module {{ func.func @main(%x: {operand}) -> ({result}) {{\n"
        f"  %y = tosa.cast %x : ({operand}) -> {result}\n"
        f"  return %y : {result}\n}} }}"
    )
    checks = ["--tosa-validate=strict-op-spec-alignment", "--tosa-serialize=tosa-flatbuffer-filename=cast.tosa"]
    run([PROGRAMS / "tosa-opt", TARGET, *checks, "-"], folder, graph)
    with open(folder / "in.npy", "wb") as file:
        # numpy itself would write "|V2", which the model refuses.
        header = {"descr": from_numpy, "fortran_order": False, "shape": codes.shape}
        numpy.lib.format.write_array_header_1_0(file, header)
        file.write(codes.astype(f"<u{width}").tobytes())
    (folder / "desc.json").write_text(json.dumps(DESCRIPTION))
    run([PROGRAMS / "tosa_reference_model", "--test_desc=desc.json", "--tosa_level=NONE"], folder)
    results = numpy.load(folder / "out.npy")
    if results.shape != codes.shape or results.dtype.itemsize != numpy.dtype(to_numpy).itemsize:
        sys.exit(f"{source} to {target}: the model gives {results.dtype} of {results.shape}")
    return results.view(f"<u{results.dtype.itemsize}").astype("<u8")


def main():
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    with tempfile.TemporaryDirectory() as folder:
        while line := stdin.readline():
            source, target, count = line.decode().split()
            codes = numpy.frombuffer(stdin.read(8 * int(count)), "<u8")
            stdout.write(cast(source, target, codes, Path(folder)).tobytes())
            stdout.flush()


if __name__ == "__main__":
    main()
