"""Casts codes with LLVM's conversions, compiled by llvmlite. The protocol is that of cast.c."""

import ctypes
import struct
import sys

import llvmlite.binding as llvm

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()


def kind(dtype):
    """The type of LLVM, and whether it is signed; None for floats."""
    if dtype.startswith("float"):
        return {"float32": "float", "float64": "double"}[dtype], None
    signed = dtype.startswith("int")
    return "i" + dtype.removeprefix("u").removeprefix("int"), signed


def conversion(source, target):
    """The instruction that converts %x to %y."""
    (source, from_signed), (target, to_signed) = kind(source), kind(target)
    bits = [int(it[1:]) if it[0] == "i" else {"float": 32, "double": 64}[it] for it in (source, target)]
    if from_signed is None and to_signed is None:
        name = "fptrunc" if bits[0] > bits[1] else "fpext"
    elif from_signed is None:
        function = f"llvm.fpto{'s' if to_signed else 'u'}i.sat.{target}.f{bits[0]}"
        return f"%y = call {target} @{function}({source} %x)", f"declare {target} @{function}({source})"
    elif to_signed is None:
        name = "sitofp" if from_signed else "uitofp"
    elif bits[0] == bits[1]:
        return f"%y = freeze {source} %x", ""
    else:
        name = "trunc" if bits[0] > bits[1] else "sext" if from_signed else "zext"
    if source == target:
        return f"%y = freeze {source} %x", ""
    return f"%y = {name} {source} %x to {target}", ""


def module(source, target):
    """A function from codes to codes, both of 64 bits."""
    (source_type, _), (target_type, _) = kind(source), kind(target)
    convert, declaration = conversion(source, target)
    bits = {"float": "i32", "double": "i64"}
    read, write = bits.get(source_type, source_type), bits.get(target_type, target_type)

    def line(name, left, from_type, right, to_type):
        return f"{left} = {name} {from_type} {right} to {to_type}"

    lines = []
    cut = "%code" if read == "i64" else "%cut"
    if read != "i64":
        lines.append(line("trunc", "%cut", "i64", "%code", read))
    lines.append(line("bitcast", "%x", read, cut, source_type))
    lines.append(convert)
    lines.append(line("bitcast", "%bits", target_type, "%y", write))
    result = "%bits" if write == "i64" else "%wide"
    if write != "i64":
        lines.append(line("zext", "%wide", write, "%bits", "i64"))
    body = "\n  ".join([*lines, f"ret i64 {result}"])
    return f"{declaration}\ndefine i64 @cast(i64 %code) {{\n  {body}\n}}\n"


def main():
    machine = llvm.Target.from_default_triple().create_target_machine()
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    while line := stdin.readline():
        source, target, count = line.decode().split()
        parsed = llvm.parse_assembly(module(source, target))
        parsed.verify()
        engine = llvm.create_mcjit_compiler(parsed, machine)
        engine.finalize_object()
        address = engine.get_function_address("cast")
        cast = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64)(address)
        form = f"<{count}Q"
        codes = struct.unpack(form, stdin.read(8 * int(count)))
        stdout.write(struct.pack(form, *map(cast, codes)))
        stdout.flush()
        machine = llvm.Target.from_default_triple().create_target_machine()


if __name__ == "__main__":
    main()
