// A castproof testee in Node, without dependencies. Put your kernel where uint8ToFloat32 is.
//     castproof gate --testee 'node testee.mjs' --from uint8 --to float32
import { readSync, writeSync } from "node:fs";

const FIRST_OPSET = { saturate: 19, roundMode: 24 };

// The specifications other than ONNX's that the kernel follows, as `castproof gate --profile NAME` asks for them.
const PROFILES = ["rust-as"];

// Members of later protocols must be refused.
const KNOWN = ["seq", "op", "from", "to", "opset", "profile", "saturate", "roundMode", "shape", "bytes"];

const uint8ToFloat32 = (payload) => Buffer.from(Float32Array.from(payload).buffer);

const CASTS = { "uint8 float32": uint8ToFloat32 };

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
const bytes = (count) => take(() => (pending.length >= count ? count : null));

function say(message, payload = Buffer.alloc(0)) {
  let rest = Buffer.concat([Buffer.from(JSON.stringify(message) + "\n"), payload]);
  while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
}

for (let text = line(); text !== null; text = line()) {
  const request = JSON.parse(text);
  if ("bye" in request) break;
  if ("hello" in request) {
    // `shapes`: any shape, because only the number of elements matters here.
    const named = { hello: "castproof-testee/1", name: "node-template", version: "1" };
    say({ ...named, features: ["shapes"], profiles: PROFILES });
    continue;
  }
  const payload = bytes(request.bytes);
  // A bitcast between these dtypes is not a cast.
  const isCast = ["cast", "castlike"].includes(request.op);
  const kernel = isCast && CASTS[`${request.from} ${request.to}`];
  // An attribute that the operator set does not have yet must be refused. The profiles here have none.
  const opset = request.opset ?? 0;
  const tooNew = Object.entries(FIRST_OPSET).some(([name, first]) => name in request && opset < first);
  const allKnown = Object.keys(request).every((name) => KNOWN.includes(name));
  if (!kernel || tooNew || !allKnown) {
    say({ seq: request.seq, status: "unsupported", message: "no such cast" });
  } else {
    const output = kernel(payload);
    say({ seq: request.seq, status: "ok", bytes: output.length }, output);
  }
}
