"""Casts codes as CUDA does. The protocol is that of cast.c, with attributes.

Most casts are those of NVIDIA's headers, which the program of the argument runs (cuda_cvt.cpp). A host has no
`cvt` of PTX for float32 and float64 to integers. LLVM computes these conversions to 32 and 64 bits when it
folds the constants of its backend for PTX, so its folding is run instead.
"""

import re
import struct
import subprocess
import sys

import llvmlite.binding as llvm

FLOATS = {"float32": ("f", "float", "i32"), "float64": ("d", "double", "i64")}
PIECE = 4096
INTEGERS = {"int32": ("i", 32), "uint32": ("ui", 32), "int64": ("ll", 64), "uint64": ("ull", 64)}


def folded(source, target, codes):
    """Returns what LLVM makes of the codes: each is stored as a constant after it is folded."""
    (letter, float_type, bits_type), (name, bits) = FLOATS[source], INTEGERS[target]
    function = f"i{bits} @llvm.nvvm.{letter}2{name}.rz({float_type}"
    lines = [f"declare {function})", "define void @cast(ptr %p) {"]
    for place, code in enumerate(codes):
        value = f"bitcast ({bits_type} {code} to {float_type})"
        lines += [f"%r{place} = call {function} {value})", f"store volatile i{bits} %r{place}, ptr %p"]
    module = llvm.parse_assembly("\n".join([*lines, "ret void", "}"]))
    machine = llvm.Target.from_default_triple().create_target_machine()
    passes = llvm.create_new_module_pass_manager()
    passes.add_instruction_combine_pass()
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))
    stored = re.findall(rf"store volatile i{bits} (-?\d+),", str(module))
    if len(stored) != len(codes):
        sys.exit(f"LLVM folded {len(stored)} of {len(codes)} conversions from {source} to {target}")
    return [int(number) % (1 << bits) for number in stored]


def forwarded(program, source, target, attributes, codes):
    """Returns what the program makes of the codes. They go in pieces that the buffers of pipes hold."""
    results = []
    for start in range(0, len(codes), PIECE):
        piece = codes[start : start + PIECE]
        form = f"<{len(piece)}Q"
        line = " ".join([source, target, str(len(piece)), *attributes])
        program.stdin.write(f"{line}\n".encode() + struct.pack(form, *piece))
        program.stdin.flush()
        answer = program.stdout.read(8 * len(piece))
        if len(answer) != 8 * len(piece):
            sys.exit(f"{sys.argv[1]} ended within {source} to {target}")
        results += struct.unpack(form, answer)
    return results


def main():
    llvm.initialize_native_target()
    headers = subprocess.Popen(sys.argv[1], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    while line := stdin.readline():
        source, target, count, *attributes = line.decode().split()
        form = f"<{count}Q"
        codes = struct.unpack(form, stdin.read(8 * int(count)))
        if source in FLOATS and target in INTEGERS:
            results = folded(source, target, codes)
        else:
            results = forwarded(headers, source, target, attributes, codes)
        stdout.write(struct.pack(form, *results))
        stdout.flush()
    headers.stdin.close()
    sys.exit(headers.wait())


if __name__ == "__main__":
    main()
