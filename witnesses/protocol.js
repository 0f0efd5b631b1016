// The protocol of cast.c, for witnesses in JavaScript.

"use strict";

const fs = require("fs");

/** Answers the requests on standard input. `cast(from, to, traps)` returns a function over an array
 *  of codes, which are BigInts. `traps`: it says which of them trap. */
exports.serve = (cast) => {
  const input = fs.readFileSync(0);
  for (let at = 0; at < input.length; ) {
    const end = input.indexOf("\n", at);
    const [from, to, count, word] = input.toString("latin1", at, end).split(" ");
    const codes = Array.from({ length: Number(count) }, (_, i) =>
      input.readBigUInt64LE(end + 1 + 8 * i),
    );
    at = end + 1 + 8 * codes.length;
    const output = Buffer.alloc(8 * codes.length);
    cast(from, to, word === "traps")(codes).forEach((code, i) => output.writeBigUInt64LE(code, 8 * i));
    for (let written = 0; written < output.length; ) {
      written += fs.writeSync(1, output, written);
    }
  }
};

/** The typed array of a dtype. */
exports.ARRAYS = {
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  // Node 20 has none.
  float16: globalThis.Float16Array,
  float32: Float32Array,
  float64: Float64Array,
};
