// Times casts in WebAssembly beside what JavaScript has: bench.mjs [--quick] DTYPES NAME=MODULE...
// `DTYPES` are the names in the order of the modules, separated by commas. Prints a table in Markdown.

import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { Float16Array } from "@petamoriken/float16";

const COUNT = 16384;
const words = process.argv.slice(2);
const isQuick = words[0] === "--quick";
// Each contender gets so many turns of so many nanoseconds; the best one counts.
const [TURNS, TURN] = isQuick ? [1, 1e6] : [7, 2e7];

const ARRAYS = {
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  float16: Float16Array,
  float32: Float32Array,
  float64: Float64Array,
};

// Pairs that no array of JavaScript has.
const WITHOUT_PEER = ["float32:float8e4m3fn", "float8e4m3fn:float32", "float32:bfloat16", "bfloat16:float32"];

const is64 = (dtype) => dtype.endsWith("int64");
const bytesOf = (dtype) => COUNT * (ARRAYS[dtype]?.BYTES_PER_ELEMENT ?? { bfloat16: 2 }[dtype] ?? 1);

const [names, ...paths] = isQuick ? words.slice(1) : words;
const dtypes = names.split(",");
const modules = [];
for (const argument of paths) {
  const [name, path] = argument.split("=");
  const { instance } = await WebAssembly.instantiate(readFileSync(path));
  modules.push([name, instance.exports]);
}

// Nanoseconds an element: the best turn of a function that does the work so many times.
function timed(work) {
  let best = Infinity;
  let times = 1;
  for (let turn = 0; turn < TURNS; ) {
    const start = process.hrtime.bigint();
    work(times);
    const took = Number(process.hrtime.bigint() - start);
    if (took < TURN / 2) {
      times *= 2;
      continue;
    }
    best = Math.min(best, took / times);
    turn += 1;
  }
  return best / COUNT;
}

// Numbers that every pair holds, so that JavaScript gives the same result: its integers wrap, those of Cast are open.
function source(from, to) {
  const array = new (ARRAYS[from] ?? Uint8Array)(ARRAYS[from] ? COUNT : bytesOf(from));
  const isSigned = !from.startsWith("u") && !to.startsWith("u");
  let state = 1;
  for (let i = 0; i < array.length; i += 1) {
    state = (state * 48271) % 2147483647;
    const number = isSigned ? (state % 255) - 127 : state % 128;
    const isFloat = from.startsWith("float");
    array[i] = is64(from) ? BigInt(number) : isFloat ? (number * 127.5) / 128 : number;
  }
  return array;
}

function cast([, module], from, to, input) {
  const at = module.make(0, input.byteLength);
  module.make(1, bytesOf(to));
  new Uint8Array(module.memory.buffer).set(new Uint8Array(input.buffer), at);
  const [source, target] = [from, to].map((name) => dtypes.indexOf(name));
  return (times) => module.run(source, target, COUNT, times);
}

function row(from, to) {
  const input = source(from, to);
  const cells = [];
  const peers = [];
  if (ARRAYS[from] && ARRAYS[to] && is64(from) === is64(to)) {
    const output = new ARRAYS[to](COUNT);
    const loop = new Function("input", "output", `return (times) => {
      for (; times > 0; times -= 1) for (let i = 0; i < ${COUNT}; i += 1) output[i] = input[i];
    }`)(input, output);
    const set = (times) => {
      for (; times > 0; times -= 1) output.set(input);
    };
    set(1);
    for (const module of modules) {
      const run = cast(module, from, to, input);
      run(1);
      const at = module[1].place(1);
      const made = Buffer.from(module[1].memory.buffer, at, bytesOf(to));
      if (!made.equals(Buffer.from(output.buffer, output.byteOffset, output.byteLength))) {
        throw new Error(`${from} to ${to}: ${module[0]} gives other results than typed arrays`);
      }
    }
    peers.push(["set", timed(set)], ["loop", timed(loop)]);
  }
  const best = peers.sort((a, b) => a[1] - b[1])[0];
  for (const module of modules) {
    const time = timed(cast(module, from, to, input));
    cells.push((1 / time).toFixed(2), best ? (best[1] / time).toFixed(2) : "");
  }
  console.log(`| ${from} to ${to} | ${cells.join(" | ")} | ${best ? `${best[0]}, ${(1 / best[1]).toFixed(2)}` : ""} |`);
}

const { version } = JSON.parse(readFileSync("node_modules/@petamoriken/float16/package.json"));
console.log(`${cpus()[0].model.trim()}, Node ${process.version}, @petamoriken/float16 ${version}, ${COUNT} elements`);
const columns = modules.map(([name]) => `${name} | times the best peer`);
console.log(`\n| cast, 10^9 elements a second | ${columns.join(" | ")} | that peer |`);
console.log(`|---|${"---|---|".repeat(modules.length)}---|`);
for (const from of Object.keys(ARRAYS)) {
  for (const to of Object.keys(ARRAYS)) {
    if (is64(from) === is64(to)) row(from, to);
  }
}
for (const pair of WITHOUT_PEER) row(...pair.split(":"));
