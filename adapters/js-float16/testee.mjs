// Packages of npm that have float16, as a castproof testee on Node. `--package fp16` and `--package float16` ask others than
// @petamoriken/float16.
import { readFileSync, readSync, writeSync } from "node:fs";
import { parseArgs } from "node:util";

const NEWEST_OPSET = 28;

// The packages. `write` puts numbers into a DataView, and `read` returns what stands at a place.
const byCode = ({ float16ToByte, byteToFloat16 }) => ({
  setFloat16: (view, at, number, little) => view.setUint16(at, float16ToByte(number), little),
  getFloat16: (view, at, little) => byteToFloat16(view.getUint16(at, little)),
});
const PACKAGES = {
  "@petamoriken/float16": { take: (module) => module, profiles: ["js-typed-array"] },
  fp16: { take: (module) => module },
  float16: { take: ({ default: module }) => byCode(module) },
};

// Dtypes whose elements are Numbers. Those of 64-bit integers are BigInts, which JavaScript converts to no float.
const ARRAYS = {
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  float32: Float32Array,
  float64: Float64Array,
};
const FLOATS = ["float32", "float64"]; // of float16: a conversion to integers is the engine's, not the package's
const MEMBERS = ["seq", "op", "from", "to", "opset", "profile", "shape", "bytes"];

const { package: name } = parseArgs({ options: { package: { type: "string", default: "@petamoriken/float16" } } }).values;
if (!(name in PACKAGES)) {
  console.error(`--package is '${name}'; known are ${Object.keys(PACKAGES).join(", ")}`);
  process.exit(2);
}
const { take: functionsOf, profiles = [] } = PACKAGES[name];
const { setFloat16, getFloat16 } = functionsOf(await import(name));
const { version } = JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url)));

// Returns the output of a cast, or null if there is none between the dtypes.
function cast(from, to, payload) {
  const bytes = Uint8Array.from(payload).buffer;
  if (to === "float16" && from in ARRAYS) {
    const numbers = new ARRAYS[from](bytes);
    const view = new DataView(new ArrayBuffer(2 * numbers.length));
    numbers.forEach((number, place) => setFloat16(view, 2 * place, number, true));
    return Buffer.from(view.buffer);
  }
  if (from === "float16" && FLOATS.includes(to)) {
    const view = new DataView(bytes);
    const numbers = ARRAYS[to].from({ length: bytes.byteLength / 2 }, (_, place) => getFloat16(view, 2 * place, true));
    return Buffer.from(numbers.buffer);
  }
  return null;
}

function say(message, output = Buffer.alloc(0)) {
  let rest = Buffer.concat([Buffer.from(JSON.stringify(message) + "\n"), output]);
  while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
}

let pending = Buffer.alloc(0);

// Reads until `enough` returns a length. Returns that many bytes, or null at the end of the input.
function take(enough) {
  const piece = Buffer.alloc(1 << 16);
  let length;
  while ((length = enough()) === null) {
    const size = readSync(0, piece);
    if (size === 0) return null;
    pending = Buffer.concat([pending, piece.subarray(0, size)]);
  }
  const taken = pending.subarray(0, length);
  pending = pending.subarray(length);
  return taken;
}

const line = () => take(() => (pending.includes(10) ? pending.indexOf(10) + 1 : null));
const casts = Object.keys(ARRAYS).map((from) => ({ from, to: ["float16"], opsets: [NEWEST_OPSET] }));
casts.push({ from: "float16", to: FLOATS, opsets: [NEWEST_OPSET] });

for (let text = line(); text !== null; text = line()) {
  const message = JSON.parse(text);
  if ("bye" in message) break;
  if ("hello" in message) {
    const named = { hello: "castproof-testee/1", name, version, language: "javascript" };
    say({ ...named, features: ["shapes"], casts, profiles });
    continue;
  }
  const payload = take(() => (pending.length >= message.bytes ? message.bytes : null));
  const unknown = Object.keys(message).find((member) => !MEMBERS.includes(member));
  // The packages know no operator versions.
  const asked = message.op === "cast" && (message.opset ?? NEWEST_OPSET) === NEWEST_OPSET;
  const output = asked && !unknown ? cast(message.from, message.to, payload) : null;
  if (output === null) {
    const why = unknown ? `a member '${unknown}' is not known` : `the package has no such ${message.op}`;
    say({ seq: message.seq, status: "unsupported", message: why });
  } else {
    say({ seq: message.seq, status: "ok", bytes: output.length }, output);
  }
}
