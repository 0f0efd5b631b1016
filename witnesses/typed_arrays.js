// Stores the elements of one typed array in another. The protocol is that of cast.c.

"use strict";

const { ARRAYS, serve } = require("./protocol.js");

/** The codes of an array's elements. */
function codes(array) {
  const bytes = Buffer.from(array.buffer);
  const bits = 8 * array.BYTES_PER_ELEMENT;
  return Array.from(array, (_, i) =>
    bits === 64
      ? bytes.readBigUInt64LE(8 * i)
      : BigInt(bytes.readUIntLE((i * bits) / 8, bits / 8)),
  );
}

serve((from, to) => (given) => {
  const source = new ARRAYS[from](given.length);
  const bytes = Buffer.from(source.buffer);
  given.forEach((code, i) => {
    if (source.BYTES_PER_ELEMENT === 8) {
      bytes.writeBigUInt64LE(code, 8 * i);
    } else {
      bytes.writeUIntLE(Number(code), i * source.BYTES_PER_ELEMENT, source.BYTES_PER_ELEMENT);
    }
  });
  const target = new ARRAYS[to](given.length);
  for (let i = 0; i < given.length; i++) {
    target[i] = source[i];
  }
  return codes(target);
});
