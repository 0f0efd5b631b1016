"""Casts codes with StableHLO's reference interpreter, which jaxlib has. The protocol is that of cast.c."""

import sys

import numpy
from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import stablehlo

# The element types of StableHLO, and their bits.
TYPES = {
    "bool": ("i1", 1),
    "int2": ("i2", 2),
    "uint2": ("ui2", 2),
    "int4": ("i4", 4),
    "uint4": ("ui4", 4),
    "int8": ("i8", 8),
    "uint8": ("ui8", 8),
    "int16": ("i16", 16),
    "uint16": ("ui16", 16),
    "int32": ("i32", 32),
    "uint32": ("ui32", 32),
    "int64": ("i64", 64),
    "uint64": ("ui64", 64),
    "float4e2m1": ("f4E2M1FN", 4),
    "float6e2m3": ("f6E2M3FN", 6),
    "float6e3m2": ("f6E3M2FN", 6),
    "float8e4m3fn": ("f8E4M3FN", 8),
    "float8e4m3fnuz": ("f8E4M3FNUZ", 8),
    "float8e5m2": ("f8E5M2", 8),
    "float8e5m2fnuz": ("f8E5M2FNUZ", 8),
    "float16": ("f16", 16),
    "bfloat16": ("bf16", 16),
    "float32": ("f32", 32),
    "float64": ("f64", 64),
}

# The code of one in each float.
ONE = {
    "float4e2m1": 0x2,
    "float6e2m3": 0x08,
    "float6e3m2": 0x0C,
    "float8e4m3fn": 0x38,
    "float8e4m3fnuz": 0x40,
    "float8e5m2": 0x3C,
    "float8e5m2fnuz": 0x40,
    "float16": 0x3C00,
    "bfloat16": 0x3F80,
    "float32": 0x3F800000,
    "float64": 0x3FF0000000000000,
}

# A tensor of so many elements is written as bytes, not as a list of numbers.
WRITTEN_AS_BYTES = 101


def cast(source, target, codes):
    """Returns the codes of the results."""
    (from_type, from_bits), (to_type, to_bits) = TYPES[source], TYPES[target]
    # Zeros make it long, and a one keeps the results from being written as one number.
    fill = numpy.zeros(WRITTEN_AS_BYTES, "<u8")
    fill[0] = ONE.get(source, 1)
    padded = numpy.concatenate([codes, fill])
    given = padded.astype(f"<u{max(from_bits, 8) // 8}").tobytes().hex()
    operand, result = f"tensor<{len(padded)}x{from_type}>", f"tensor<{len(padded)}x{to_type}>"
    module = ir.Module.parse(
        f"func.func @main(%codes: {operand}) -> {result} {{\n"
        f"  %converted = stablehlo.convert %codes : ({operand}) -> {result}\n"
        f"  return %converted : {result}\n}}"
    )
    (answer,) = stablehlo.eval_module(module, [ir.Attribute.parse(f'dense<"0x{given}"> : {operand}')])
    written = str(answer)
    head, tail = 'dense<"0x', f'"> : {result}'
    if not written.startswith(head) or not written.endswith(tail):
        sys.exit(f"jaxlib writes a tensor in another way: {written[:80]}")
    results = bytes.fromhex(written[len(head) : -len(tail)])
    return numpy.frombuffer(results, f"<u{max(to_bits, 8) // 8}")[: len(codes)].astype("<u8")


def main():
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context = ir.Context()
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    stablehlo.register_dialect(context)
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    with context, ir.Location.unknown():
        while line := stdin.readline():
            source, target, count = line.decode().split()
            codes = numpy.frombuffer(stdin.read(8 * int(count)), "<u8")
            stdout.write(cast(source, target, codes).tobytes())
            stdout.flush()


if __name__ == "__main__":
    main()
