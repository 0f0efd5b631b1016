// ONNX Runtime Web (WebAssembly) on Node as a castproof testee. `--optimisation no-optimisation`
// turns the optimisation of graphs off; `--optimisation all-optimisations` turns all of it on.
import { writeSync } from "node:fs";
import { parseArgs } from "node:util";

// Libraries print to standard error, because standard output belongs to the protocol.
console.log = console.info = console.warn = console.error;

const { model, constantOf, ONNX_TYPES } = await import("./model.mjs");
const ort = await import("onnxruntime-web");
const version = ort.env.versions.web;
ort.env.wasm.numThreads = 1;
ort.env.logLevel = "fatal";

// Dtypes that the JavaScript interface can hand over, with the arrays that hold their elements.
const DTYPES = {
  bool: Uint8Array,
  int4: Uint8Array,
  uint4: Uint8Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  float16: globalThis.Float16Array ?? Uint16Array,
  float32: Float32Array,
  float64: Float64Array,
  string: Array,
};
const FEATURES = ["shapes", "constant", "chain"];
const MEMBERS = ["seq", "op", "opset", "shape", "bytes", "input"];
const CAST_MEMBERS = [...MEMBERS, "from", "to", "saturate", "roundMode"];
const CHAIN_MEMBERS = [...MEMBERS, "dtypes", "attributes"];

const CHAIN_ELIMINATION = { optimization: { enable_cast_chain_elimination: "1" } };
const OPTIMISATIONS = {
  default: {},
  "no-optimisation": { graphOptimizationLevel: "disabled" },
  "all-optimisations": { graphOptimizationLevel: "all", extra: CHAIN_ELIMINATION },
};
const { optimisation } = parseArgs({
  options: { optimisation: { type: "string", default: "default" } },
}).values;
if (!(optimisation in OPTIMISATIONS)) {
  console.error(`--optimisation is '${optimisation}'; known are ${Object.keys(OPTIMISATIONS).join(", ")}`);
  process.exit(2);
}

// The number of sessions that are kept. The runtime itself never frees a session.
const SESSIONS_KEPT = 64;
const sessions = new Map();

class Unsupported extends Error {}

// Reads the request of a message. A cast is a chain of one step.
function parse(message) {
  const { op, opset, shape, input } = message;
  if (!["cast", "castlike", "chain"].includes(op)) throw new Unsupported(`no ${op}`);
  const members = op === "chain" ? CHAIN_MEMBERS : CAST_MEMBERS;
  const unknown = Object.keys(message).find((name) => !members.includes(name));
  if (unknown) throw new Unsupported(`a ${op} with the member '${unknown}' is not known`);
  if (![undefined, "constant"].includes(input)) throw new Unsupported(`input is '${input}'`);
  const dtypes = op === "chain" ? message.dtypes : [message.from, message.to];
  const steps = op === "chain" ? message.attributes : [attributes(message)];
  const strange = dtypes.find((dtype) => !(dtype in ONNX_TYPES));
  if (strange) throw new Error(`bad request: unknown dtype '${strange}'`);
  for (const end of [dtypes[0], dtypes.at(-1)]) {
    if (!(end in DTYPES)) throw new Unsupported(`the JavaScript interface cannot hand over ${end}`);
  }
  return { op, dtypes, steps, opset, shape, constant: input === "constant" };
}

const attributes = ({ saturate, roundMode }) => ({
  ...(saturate !== undefined && { saturate }),
  ...(roundMode !== undefined && { roundMode }),
});

// Calls `use` with the session of a request's model. A session with a constant is not kept.
async function withSession(request, elements, use) {
  const { op, dtypes, steps, opset, shape, constant } = request;
  if (constant) {
    const session = await load(model(request, constantOf(request, elements)));
    try {
      return await use(session);
    } finally {
      await session.release();
    }
  }
  const key = JSON.stringify([op, dtypes, steps, opset, shape.length]);
  if (!sessions.has(key)) {
    if (sessions.size >= SESSIONS_KEPT) {
      const [oldest, session] = sessions.entries().next().value;
      sessions.delete(oldest);
      await session.release();
    }
    sessions.set(key, await load(model(request, null)));
  }
  return use(sessions.get(key));
}

async function load(bytes) {
  try {
    return await ort.InferenceSession.create(bytes, { logSeverityLevel: 4, ...OPTIMISATIONS[optimisation] });
  } catch (error) {
    throw new Unsupported(line(error));
  }
}

async function answer(message, payload) {
  const request = parse(message);
  const [from, to] = [request.dtypes[0], request.dtypes.at(-1)];
  const elements = from === "string" ? JSON.parse(payload) : payload;
  const { y } = await withSession(request, elements, (session) => {
    const feeds = request.constant ? {} : { x: tensor(from, elements, request.shape) };
    if (request.op === "castlike") feeds.like = tensor(to, to === "string" ? [] : Buffer.alloc(0), [0]);
    return session.run(feeds);
  });
  if (y.type !== to || JSON.stringify(y.dims) !== JSON.stringify(request.shape)) {
    throw new Error(`the output is ${y.type} of shape ${JSON.stringify(y.dims)}`);
  }
  if (to === "string") return Buffer.from(JSON.stringify(y.data));
  return Buffer.from(y.data.buffer, y.data.byteOffset, y.data.byteLength);
}

function tensor(dtype, elements, shape) {
  if (dtype === "string") return new ort.Tensor(dtype, elements, shape);
  return new ort.Tensor(dtype, new DTYPES[dtype](Uint8Array.from(elements).buffer), shape);
}

const line = (error) => String(error?.message ?? error).trim().split("\n")[0];

function say(message, output = Buffer.alloc(0)) {
  let rest = Buffer.concat([Buffer.from(JSON.stringify(message) + "\n"), output]);
  while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
}

// Standard input. `take` waits until `measure` returns a length and returns that many bytes, or
// null at the end of the input.
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

const name = optimisation === "default" ? "onnxruntime-web" : `onnxruntime-web ${optimisation}`;
const names = Object.keys(DTYPES);
const casts = names.map((from) => ({ from, to: names }));

for (let text = await nextLine(); text !== null; text = await nextLine()) {
  const message = JSON.parse(text);
  if ("bye" in message) break;
  if ("hello" in message) {
    say({ hello: "castproof-testee/1", name, version, language: "javascript", features: FEATURES, casts });
    continue;
  }
  const payload = await take(() => (pending.length >= message.bytes ? message.bytes : null));
  try {
    const output = await answer(message, payload);
    say({ seq: message.seq, status: "ok", bytes: output.length }, output);
  } catch (error) {
    const status = error instanceof Unsupported ? "unsupported" : "error";
    say({ seq: message.seq, status, message: line(error) });
  }
}
process.exit(0);
