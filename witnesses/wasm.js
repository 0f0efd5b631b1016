// Casts codes with the conversions of WebAssembly, in a module that is written byte by byte. The
// protocol is that of cast.c. With the argument `trap`, floats become integers by the instructions
// that trap, instead of those that saturate; with `relaxed`, by those of relaxed vectors, whose lanes all hold the
// element. Elements are loaded from memory and stored there, because a NaN that passes through JavaScript may change.

"use strict";

const { ARRAYS, serve } = require("./protocol.js");

// Opcodes of the instructions that trap, by the number of the one that saturates.
const TRAPPING = [0xa8, 0xa9, 0xaa, 0xab, 0xae, 0xaf, 0xb0, 0xb1];
// The same of the relaxed ones, which have targets of 32 bits: splat, convert, take lane 0.
const RELAXED = [
  [0xfd, 0x13, 0xfd, 0x81, 0x02],
  [0xfd, 0x13, 0xfd, 0x82, 0x02],
  [0xfd, 0x14, 0xfd, 0x83, 0x02],
  [0xfd, 0x14, 0xfd, 0x84, 0x02],
];
const TO_INTEGER = (code) => {
  if (process.argv[2] === "trap") return [TRAPPING[code]];
  if (process.argv[2] === "relaxed") return [...(RELAXED[code] ?? []), 0xfd, 0x1b, 0];
  return [0xfc, code];
};
// Opcodes: of `from`, of `to`. An empty list: the code stays.
const CONVERSIONS = {
  int32: { uint32: [], int64: [0xac], uint64: [0xac], float32: [0xb2], float64: [0xb7] },
  uint32: { int32: [], int64: [0xad], uint64: [0xad], float32: [0xb3], float64: [0xb8] },
  int64: { uint64: [], int32: [0xa7], uint32: [0xa7], float32: [0xb4], float64: [0xb9] },
  uint64: { int64: [], int32: [0xa7], uint32: [0xa7], float32: [0xb5], float64: [0xba] },
  float32: { int32: TO_INTEGER(0), uint32: TO_INTEGER(1), int64: TO_INTEGER(4), uint64: TO_INTEGER(5), float64: [0xbb] },
  float64: { int32: TO_INTEGER(2), uint32: TO_INTEGER(3), int64: TO_INTEGER(6), uint64: TO_INTEGER(7), float32: [0xb6] },
};
// Load and store instructions, and the logarithm of the size.
const MEMORY = {
  int32: [0x28, 0x36, 2],
  uint32: [0x28, 0x36, 2],
  int64: [0x29, 0x37, 3],
  uint64: [0x29, 0x37, 3],
  float32: [0x2a, 0x38, 2],
  float64: [0x2b, 0x39, 3],
};

/** A section of a module. All lengths are below 128. */
const section = (id, ...bytes) => [id, bytes.length, ...bytes];

/** A module that exports its memory and a function that casts the element at 0 to the one at 8. */
function compiled(from, to) {
  const conversion = from === to ? [] : CONVERSIONS[from][to];
  const [load, , size] = MEMORY[from];
  const [, store, stored] = MEMORY[to];
  const body = [
    0, // no locals
    ...[0x41, 8], // where to store
    ...[0x41, 0, load, size, 0],
    ...conversion,
    ...[store, stored, 0],
    0x0b,
  ];
  const bytes = Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 1, 0x60, 0, 0), // one type: a function without arguments and results
    ...section(3, 1, 0), // one function of it
    ...section(5, 1, 0, 1), // a page of memory
    ...section(7, 2, 1, 0x6d, 2, 0, 1, 0x66, 0, 0), // exports m and f
    ...section(10, 1, body.length, ...body),
  ]);
  return new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
}

serve((from, to, traps) => {
  const { m, f } = compiled(from, to);
  const memory = new DataView(m.buffer);
  const narrow = ARRAYS[to].BYTES_PER_ELEMENT === 4;
  const isTrapping = () => {
    try {
      f();
      return 0n;
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) return 1n;
      throw error;
    }
  };
  return (codes) =>
    codes.map((code) => {
      memory.setBigUint64(0, code, true);
      if (traps) return isTrapping();
      f();
      return narrow ? BigInt(memory.getUint32(8, true)) : memory.getBigUint64(8, true);
    });
});
