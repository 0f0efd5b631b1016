// Functions that cast: right ones, and wrong ones, each with one fault of those that kernels have.

import { cast } from "castproof";

const bits = (x) => new Uint32Array(x.buffer, x.byteOffset, x.length);
const toHalf = (x) => cast(x, "float32", "float16");
const toE4M3 = (x) => cast(x, "float32", "float8e4m3fn");
const toBfloat = (x) => cast(x, "float32", "bfloat16");

/** Changes some results of a right cast. */
function changed(right, change) {
    return (x) => right(x).map((code, at) => change(code, x[at], at, x));
}

/** [name, function, source, target, options] */
export const RIGHT = [
    ["Number and BigInt", (x) => Int8Array.from(x, (it) => Number(BigInt.asIntN(8, it))), "int64", "int8"],
    ["Math.fround", (x) => Float32Array.from(x), "float64", "float32"],
    ["a version with attributes", (x) => cast(x, "float32", "float8e5m2", { saturate: false, spec: "onnx-cast-19" }),
        "float32", "float8e5m2", { saturate: false, spec: "onnx-cast-19" }],
    ["codes of four bits", (x) => cast(x, "float32", "int4"), "float32", "int4"],
    ["rounds as it is told", (x) => cast(x, "float32", "float8e8m0", { roundMode: "nearest" }),
        "float32", "float8e8m0", { roundMode: "nearest" }],
    ["a profile: typed arrays", (x) => Int32Array.from(x), "float64", "int32", { spec: "js-typed-array" }],
];

export const WRONG = [
    ["truncates", (x) => Uint16Array.from(bits(x), (it) => it >>> 16), "float32", "bfloat16"],
    ["rounds ties up", changed(toBfloat, (right, value, at, x) =>
        Number.isNaN(value) ? right : (bits(x)[at] + 0x8000) >>> 16), "float32", "bfloat16"],
    ["rounds twice", (x) => cast(toHalf(x), "float16", "float8e4m3fn"), "float32", "float8e4m3fn"],
    ["never saturates", (x) => cast(x, "float32", "float8e4m3fn", { saturate: false }), "float32", "float8e4m3fn"],
    ["saturates when told not to", toE4M3, "float32", "float8e4m3fn", { saturate: false }],
    ["turns NaN into zero", changed(toHalf, (right, value) => (Number.isNaN(value) ? 0 : right)), "float32", "float16"],
    ["cuts the tail of 8", changed(toHalf, (right, value, at, x) =>
        at < x.length - (x.length % 8) || Math.abs(value) === Infinity ? right : right & 0xfffe), "float32", "float16"],
    ["forgets the low bits", (x) => Float32Array.from(
        new BigUint64Array(x.buffer, x.byteOffset, x.length), (code) =>
            new Float64Array(BigUint64Array.of(code & ~0xffffn).buffer)[0]), "float64", "float32"],
    ["loses the sign of zero", changed(toHalf, (right) => (right === 0x8000 ? 0 : right)), "float32", "float16"],
    ["flushes subnormals", changed(toHalf, (right) => (right & 0x7c00 ? right : right & 0x8000)), "float32", "float16"],
    ["saturates integers", (x) => Int8Array.from(x, (it) => Math.max(-128, Math.min(127, Number(it)))), "int64", "int8"],
    ["goes by way of Number", (x) => BigUint64Array.from(x, (it) => BigInt.asUintN(64, BigInt(Number(it)))), "int64", "uint64"],
    ["ignores where the array begins", (x) => toHalf(new Float32Array(x.buffer, 0, x.length)), "float32", "float16"],
    ["fails beyond a block", changed(toHalf, (right, _, at) => (at === 1024 ? right ^ 1 : right)), "float32", "float16"],
    ["reads an absent attribute as nearest", (x) => cast(x, "float32", "float8e8m0", { roundMode: "nearest" }),
        "float32", "float8e8m0"],
    ["reads bool as positive", (x) => Uint8Array.from(x, (it) => Number(it > 0)), "float32", "bool"],
];
