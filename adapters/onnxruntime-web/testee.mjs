// ONNX Runtime Web (WebAssembly) on Node as a castproof testee.
import { writeSync } from "node:fs";

// Whatever a library prints goes to standard error; standard output belongs to the protocol.
console.log = console.info = console.warn = console.error;

const { default: proto } = await import("onnx-proto");
const ort = await import("onnxruntime-web");
const version = ort.env.versions.web;
ort.env.wasm.numThreads = 1;
ort.env.logLevel = "fatal";

// Dtypes that the JavaScript interface has: its name, ONNX's number, bytes as the runtime holds them.
const DTYPES = {
  bool: ["bool", 9, Uint8Array],
  int8: ["int8", 3, Int8Array],
  uint8: ["uint8", 2, Uint8Array],
  int16: ["int16", 5, Int16Array],
  uint16: ["uint16", 4, Uint16Array],
  int32: ["int32", 6, Int32Array],
  uint32: ["uint32", 12, Uint32Array],
  int64: ["int64", 7, BigInt64Array],
  uint64: ["uint64", 13, BigUint64Array],
  float16: ["float16", 10, globalThis.Float16Array ?? Uint16Array],
  float32: ["float32", 1, Float32Array],
  float64: ["float64", 11, Float64Array],
};
const OPSETS = [1, 6, 9, 13, 19, 21, 23, 24, 25, 28];
// The oldest IR version that allows each operator set.
const IR_VERSIONS = { 9: 4, 10: 5, 11: 6, 12: 7, 15: 8, 19: 9, 21: 10, 23: 11, 24: 12, 25: 13, 28: 14 };
// Sessions are never freed by the runtime itself; this many are kept.
const SESSIONS_KEPT = 64;
const sessions = new Map();

// A model of exactly one Cast; attributes that the request does not give are not in it.
function model(request) {
  const { onnx } = proto;
  const value = (name, dtype) => ({
    name,
    type: { tensorType: { elemType: DTYPES[dtype][1], shape: { dim: [{ dimParam: "size" }] } } },
  });
  const to = DTYPES[request.to][1];
  const attribute = [{ name: "to", i: to, type: 2 }];
  if ("saturate" in request) attribute.push({ name: "saturate", i: request.saturate, type: 2 });
  if ("roundMode" in request) {
    attribute.push({ name: "round_mode", s: Buffer.from(request.roundMode), type: 3 });
  }
  const known = Object.keys(IR_VERSIONS).map(Number).filter((since) => since <= request.opset);
  return onnx.ModelProto.encode({
    irVersion: known.length ? IR_VERSIONS[Math.max(...known)] : 3,
    opsetImport: [{ domain: "", version: request.opset }],
    graph: {
      name: "one_cast",
      node: [{ opType: "Cast", input: ["x"], output: ["y"], attribute }],
      input: [value("x", request.from)],
      output: [value("y", request.to)],
    },
  }).finish();
}

async function load(request) {
  const { from, to, opset, saturate, roundMode } = request;
  const key = JSON.stringify([from, to, opset, saturate, roundMode]);
  if (!sessions.has(key)) {
    if (sessions.size >= SESSIONS_KEPT) {
      const [oldest, session] = sessions.entries().next().value;
      sessions.delete(oldest);
      await session.release();
    }
    const options = { graphOptimizationLevel: "disabled", logSeverityLevel: 4 };
    sessions.set(key, await ort.InferenceSession.create(model(request), options));
  }
  return sessions.get(key);
}

async function cast(request, payload) {
  let session;
  try {
    session = await load(request);
  } catch (error) {
    return { status: "unsupported", message: line(error) };
  }
  const [name, , Elements] = DTYPES[request.from];
  const bytes = Uint8Array.from(payload);
  const feeds = { x: new ort.Tensor(name, new Elements(bytes.buffer), request.shape) };
  const { y } = await session.run(feeds);
  if (y.type !== DTYPES[request.to][0]) throw new Error(`the output is ${y.type}`);
  const output = Buffer.from(y.data.buffer, y.data.byteOffset, y.data.byteLength);
  return { status: "ok", bytes: output.length, output };
}

const line = (error) => String(error?.message ?? error).trim().split("\n")[0];

function say({ output, ...message }) {
  let rest = Buffer.concat([Buffer.from(JSON.stringify(message) + "\n"), output ?? Buffer.alloc(0)]);
  while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
}

// Standard input in pieces of what is asked for; null at its end.
const input = process.stdin[Symbol.asyncIterator]();
let pending = Buffer.alloc(0);

async function take(measure) {
  for (;;) {
    const length = measure();
    if (length !== null) {
      const taken = pending.subarray(0, length);
      pending = pending.subarray(length);
      return taken;
    }
    const { value, done } = await input.next();
    if (done) return null;
    pending = Buffer.concat([pending, value]);
  }
}

const nextLine = () => take(() => (pending.includes(10) ? pending.indexOf(10) + 1 : null));

for (let text = await nextLine(); text !== null; text = await nextLine()) {
  const request = JSON.parse(text);
  if ("bye" in request) break;
  if ("hello" in request) {
    const names = Object.keys(DTYPES);
    const casts = names.map((from) => ({ from, to: names, opsets: OPSETS }));
    say({ hello: "castproof-testee/1", name: "onnxruntime-web", version, language: "javascript", casts });
    continue;
  }
  const payload = await take(() => (pending.length >= request.bytes ? request.bytes : null));
  let answer;
  try {
    answer = await cast(request, payload);
  } catch (error) {
    answer = { status: "error", message: line(error) };
  }
  say({ seq: request.seq, ...answer });
}
process.exit(0);
