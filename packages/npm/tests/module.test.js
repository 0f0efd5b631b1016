// The module as it is installed: what it finds, what it refuses, and that its casts are what it expects.

import { cast, check, CheckFailed, dtypes, expect, expectBlock } from "castproof";
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { RIGHT, WRONG } from "./kernels.js";

const half = (x) => cast(x, "float32", "float16");

for (const [name, kernel, source, target, options] of RIGHT) {
    test(`right: ${name}`, () => {
        const summary = check(kernel, source, target, options);
        assert.ok(summary.codes > 20 && summary.arrays > 1000 && summary.elements > 100_000, JSON.stringify(summary));
        assert.ok(summary.cast.includes(`${source} -> ${target}`));
    });
}

for (const [name, kernel, source, target, options] of WRONG) {
    test(`wrong: ${name}`, () => {
        assert.throws(() => check(kernel, source, target, options), (error) => {
            assert.ok(error instanceof CheckFailed && error.name === "CheckFailed", String(error));
            assert.match(error.message, new RegExp(`${source} -> ${target}`));
            assert.match(error.message, /expected|slices are wrong/);
            return true;
        });
    });
}

test("a fault of place is named as one", () => {
    for (const name of ["ignores where the array begins", "fails beyond a block"]) {
        const [, kernel, source, target] = WRONG.find(([it]) => it === name);
        assert.throws(() => check(kernel, source, target), /right alone; .* slices are wrong\n {2}element \d+ of \d+/);
    }
});

test("a kernel that ends the program has not passed", () => {
    const program = (asked) => `
        import { cast, check } from "castproof";
        let calls = 0;
        check((x) => {
            if (++calls === ${asked}) process.exit(0);
            return cast(x, "float32", "float16");
        }, "float32", "float16");
        process.exit(0);`;
    for (const [asked, status] of [[1, 1], [70_000, 1], [-1, 0]]) {
        const run = spawnSync(process.execPath, ["--input-type=module", "--eval", program(asked)], { encoding: "utf8" });
        assert.equal(run.status, status, run.stderr);
        assert.equal(run.stderr.includes("ends the program in the middle of a check"), status === 1, run.stderr);
    }
});

test("a function that takes some arrays passes and says so", () => {
    const narrow = (x) => {
        assert.ok(x.length > 0 && x.length % 8 === 0 && x.length <= 4096, `${x.length} elements`);
        return half(x);
    };
    const limits = { elements: 4096, multipleOf: 8, empty: false };
    const summary = check(narrow, "float32", "float16", { limits });
    assert.equal(summary.limits, "at most 4,096 elements, multiples of 8, no empty slice");
    assert.ok(summary.arrays > 1000);
    assert.throws(() => check(narrow, "float32", "float16"), /elements/);
    assert.throws(() => check(narrow, "float32", "float16", { limits: { most: 8 } }), /unknown limit 'most'/);
    assert.throws(() => check(narrow, "float32", "float16", { limits: { multipleOf: 0 } }), /multipleOf is 0/);
});

test("the type DType names every dtype and no other", () => {
    const types = readFileSync(new URL(import.meta.resolve("castproof")), "utf8").split("} DType")[0].split("@typedef {").pop();
    assert.deepEqual([...(types ?? "").matchAll(/"(\w+)"/g)].map((match) => match[1]), dtypes());
});

test("numbers are taken as people write them", () => {
    const said = (numbers, source, target, options) => [...expect(numbers, source, target, options).codes];
    assert.deepEqual(said([464, "465", 0x1d1n], "float32", "float8e4m3fn"), [0x7e, 0x7e, 0x7e]);
    assert.deepEqual(said([480, "0x1.ep8", 480n], "float32", "float8e4m3fn", { saturate: false }), [0x7f, 0x7f, 0x7f]);
    assert.deepEqual(said([-0, "-inf", -Infinity, 0.5, -2], "float32", "float16"), [0x8000, 0xfc00, 0xfc00, 0x3800, 0xc000]);
    assert.deepEqual([...expect(NaN, "float32", "float16").anyNan], [1]);
    // Every number of JavaScript is one of float64: none of these is rounded.
    for (const number of [0.1, -1 / 3, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 2 ** 60 + 256]) {
        const codes = new BigUint64Array(Float64Array.of(number).buffer);
        assert.deepEqual(said(number, "float64", "float64"), [...codes], `${number}`);
    }
    assert.deepEqual([...said(-1, "int8", "uint8"), ...said([300, 2n ** 31n - 1n], "int32", "uint8")], [255, 44, 255]);
});

test("numbers that the source does not hold are refused with their neighbours, or rounded", () => {
    assert.throws(() => expect(0.1, "float32", "float16"), (error) => {
        assert.ok(error instanceof RangeError);
        assert.match(error.message, /0\.1/);
        assert.match(error.message, /nearest: true/);
        return true;
    });
    assert.deepEqual([...expect(0.1, "float32", "float16", { nearest: true }).codes], [0x2e66]);
    assert.throws(() => expect([300], "int8", "float32"), RangeError);
    assert.throws(() => expect(["four"], "float32", "float16"), RangeError);
    assert.throws(() => expect([[1]], "float32", "float16"), /a list holds numbers; this one holds object/);
    assert.equal(expect([], "float32", "float16").codes.length, 0);
    assert.deepEqual([...expectBlock([464, 1, 0.001], "mx-rceil", "float8e4m3fn").elements], [0x76, 0x30, 0]);
});

test("blocks are what a rule makes of numbers", () => {
    const x = Float32Array.of(464, 1, 0.001);
    // 464 / 448 lies above 1, so the scale is 2, code 0x80; 232 is the tie between 224, code 0x76, and 240.
    const rounded = expectBlock(x, "mx-rceil", "F8_E4M3");
    assert.deepEqual([...rounded.scales, ...rounded.elements, ...rounded.undefined], [0x80, 0x76, 0x30, 0, 0, 0, 0]);
    assert.deepEqual([rounded.scale, rounded.element, rounded.scaleRules.length], ["float8e8m0", "float8e4m3fn", 1]);
    assert.ok([...rounded.scaleRules, ...rounded.elementRules].every((id) => /^MX-\d+$/.test(id)));
    assert.ok(!("largest" in rounded));
    // The floor of the exponent of 464 is 8, as that of 448: the scale is 1, and 464 becomes 448.
    assert.deepEqual([...expectBlock(x, "mx-floor", "float8e4m3fn").elements].slice(0, 2), [0x7e, 0x38]);
    const tensor = expectBlock(x, "nvfp4-te", "float4e2m1");
    assert.deepEqual([tensor.scale, tensor.largest, tensor.scales.length], ["float8e4m3fn", 464, 1]);
    // The largest number of the tensor stands in another part of it: the scale of this block is smaller.
    const part = expectBlock(x, "nvfp4-te", "float4e2m1", { largest: 4640 });
    assert.equal(part.largest, 4640);
    assert.ok(part.scales[0] < tensor.scales[0]);
});

test("blocks end where rows end, and a NaN leaves its block open", () => {
    const ones = new Float32Array(80).fill(1);
    assert.equal(expectBlock(ones, "mx-rceil", "float8e4m3fn").scales.length, 3);
    assert.equal(expectBlock(ones, "mx-rceil", "float8e4m3fn", { row: 40 }).scales.length, 4);
    assert.equal(expectBlock(new Float32Array(0), "mx-rceil", "float8e4m3fn").scales.length, 0);
    ones[33] = NaN;
    const open = expectBlock(ones, "mx-rceil", "float8e4m3fn");
    assert.equal(open.scales[1], 0xff);
    assert.deepEqual([0, 32, 63, 64].map((at) => open.undefined[at]), [0, 1, 1, 0]);
    const halves = cast(Float32Array.of(464, 1), "float32", "float16");
    assert.deepEqual([...expectBlock(halves, "mx-rceil", "float8e4m3fn", { source: "half" }).elements], [0x76, 0x30]);
});

test("blocks that are none are refused", () => {
    const x = Float32Array.of(1, 2, 3);
    assert.throws(() => expectBlock(x, "mx", "float8e4m3fn"), /unknown rule 'mx'; known are mx-/);
    assert.throws(() => expectBlock(x, "mx-rceil", "int8"), RangeError);
    assert.throws(() => expectBlock(new Float64Array(1), "mx-rceil", "float8e4m3fn"), TypeError);
    assert.throws(() => expectBlock(x, "mx-rceil", "float8e4m3fn", { axis: 0 }), /unknown option 'axis'/);
    assert.throws(() => expectBlock(x, "mx-rceil", "float8e4m3fn", { row: 2 }), /row is 2/);
    assert.throws(() => expectBlock(x, "nvfp4-te", "float4e2m1", { largest: NaN }), /largest is NaN/);
});

test("every pair casts as is expected", () => {
    for (const source of dtypes()) {
        const codes = Uint8Array.from({ length: 960 }, (_, at) => (at * 151) % 251);
        const input = inputOf(source, codes);
        for (const target of dtypes()) {
            const admitted = expect(source, target, input).admits(cast(input, source, target), { strict: true });
            assert.ok(admitted.every(Boolean), `${source} to ${target}`);
        }
    }
    assert.ok(dtypes().length > 20);
});

/** Returns an array of a dtype's codes, made of bytes. */
function inputOf(source, bytes) {
    const { codes } = expect(source, source, new (array(source))(0));
    const Codes = codes.constructor;
    const width = Codes.BYTES_PER_ELEMENT;
    const all = new Codes(bytes.slice(0, 120 * width).buffer);
    const few = /(?:u?int|float)([246])(?:e|$)/.exec(source);
    if (source === "bool") {
        return all.map((code) => code & 1);
    }
    return few ? all.map((code) => code & ((1 << Number(few[1])) - 1)) : all;
}

function array(source) {
    for (const kind of [Uint8Array, Uint16Array, Uint32Array, BigUint64Array]) {
        try {
            cast(new kind(0), source, "int8");
            return kind;
        } catch (error) {
            assert.ok(error instanceof TypeError);
        }
    }
    throw new Error(source);
}

test("answers are those of the rules", () => {
    const x = Float32Array.of(1, 464, 480, NaN, -0);
    const expected = expect("float32", "float8e4m3fn", x, { saturate: false });
    assert.deepEqual([...expected.codes.slice(0, 2), expected.codes[4]], [0x38, 0x7e, 0x80]);
    assert.deepEqual([...expected.anyNan], [0, 0, 1, 1, 0]);
    assert.deepEqual(expected.admits(cast(x, "float32", "float8e4m3fn")), [true, true, false, true, true]);
    assert.equal(expected.rules.length, 5);
    assert.match(expected.rules[2], /^F8-/);
    const twice = expect("float64", "float16", BigUint64Array.of(0x3ff0020000000001n));
    assert.deepEqual([...twice.tolerated], [1]);
    assert.deepEqual(twice.admits(Uint16Array.of(0x3c00)), [true]);
    assert.deepEqual(twice.admits(Uint16Array.of(0x3c00), { strict: true }), [false]);
    assert.deepEqual([...expect("float32", "int8", Float32Array.of(NaN)).undefined], [1]);
    assert.equal(expect("float32", "int8", new Float32Array(0)).rules.length, 0);
});

test("dtypes may have the names of other projects", () => {
    const input = Float32Array.of(464);
    for (const [source, target] of [["f32", "torch.float8_e4m3fn"], ["FLOAT", "F8_E4M3"], ["1", "17"]]) {
        assert.deepEqual([...expect(source, target, input).codes], [0x7e], `${source} ${target}`);
    }
    assert.equal(check(half, "fp32", "half").cast, "Cast(28) float32 -> float16");
    assert.throws(() => cast(input, "float32", "i8"), /int8 in MLIR and Rust, and int64 in numpy/);
});

test("expect takes the array first, as cast and check, or after the dtypes", () => {
    const x = Float32Array.of(1, 464);
    const [first, last] = [expect(x, "float32", "float8e4m3fn", { saturate: false }), expect("f32", "float8e4m3fn", x)];
    assert.deepEqual([...first.codes], [0x38, 0x7e]);
    assert.deepEqual([...last.codes], [0x38, 0x7e]);
    assert.throws(() => expect(x, "float16", "float32"), /the array is Float32Array; float16 must be/);
    assert.throws(() => expect("float32", "float16", "int8"), /the array is String; float32 must be/);
});

/**
 * A Float16Array as @petamoriken/float16 makes one where the runtime has none: a proxy of a Uint16Array, no view.
 * @param {Uint16Array} codes
 */
function halves(codes) {
    return new Proxy(codes, {
        get: (target, key) => (key === Symbol.toStringTag ? "Float16Array" : Reflect.get(target, key)),
    });
}

test("float16 may be the Float16Array of a library", () => {
    const codes = Uint16Array.of(0x7c00, 0x3c00, 0x4100);
    assert.ok(!ArrayBuffer.isView(halves(codes)));
    assert.deepEqual([...cast(halves(codes.subarray(1)), "float16", "float32")], [1, 2.5]);
    assert.deepEqual(expect(Float32Array.of(1, 2), "float32", "float16").admits(halves(codes.subarray(1))), [true, false]);
    assert.ok(check((x) => halves(half(x)), "float32", "float16").codes > 20);
    assert.throws(() => check((x) => halves(half(x).fill(0x7e00)), "float32", "float16"), CheckFailed);
    assert.throws(() => cast(halves(codes), "bfloat16", "float32"), /the array is Float16Array; bfloat16 must be Uint16Array/);
    const other = { [Symbol.toStringTag]: "Float16Array", BYTES_PER_ELEMENT: 2, length: 1 };
    assert.throws(() => cast(other, "float16", "float32"), /the array is Float16Array; float16 must be/);
});

test("bad input gives one clear error", () => {
    const none = new Float32Array(2);
    for (const [call, kind, text] of [
        [() => check(1, "float32", "float16"), TypeError, "must be a function"],
        [() => check((x) => x, "float32", "float16"), TypeError, "is Float32Array; float16 must be Uint16Array"],
        [() => check(() => undefined, "float32", "float16"), TypeError, "is Undefined"],
        [() => check(async (x) => half(x), "float32", "float16"), TypeError, "is Promise"],
        [() => check((x) => Array.from(half(x)), "float32", "float16"), TypeError, "is Array"],
        [() => check((x) => half(x).subarray(0, 3), "float32", "float16"), RangeError, "elements, the input"],
        [() => check(function writes(x) { const y = half(x); x.fill(7); return y; }, "float32", "float16"),
            RangeError, "writes wrote into its input"],
        [() => check(() => { throw new SyntaxError("mine"); }, "float32", "float16"), SyntaxError, "mine"],
        [() => check((x) => new Uint8Array(x.length).fill(0x1f), "float32", "int4"), RangeError, "code 0x1f; int4 has 4 bits"],
        [() => check(half, "float33", "float16"), RangeError, "unknown dtype 'float33'"],
        [() => check(half, "string", "float16"), RangeError, "unknown dtype 'string'"],
        [() => check(half, "toString", "float16"), RangeError, "unknown dtype 'toString'"],
        [() => check(half, "float32", "float8e4m3fn", { spec: "onnx-cast-13" }), RangeError, "is refused [T-01"],
        [() => check(half, "float32", "float16", { spec: "onnx-cast-20" }), RangeError, "no version 20"],
        [() => check(half, "float32", "float16", { spec: "a b" }), RangeError, "must be a name"],
        [() => check(half, "float32", "float16", { saturate: 2 }), RangeError, "saturate is 2"],
        [() => check(half, "float32", "float16", { roundMode: "sideways" }), RangeError, "sideways"],
        [() => check(half, "float32", "float16", { rounding: "up" }), TypeError, "unknown option 'rounding'"],
        [() => cast([1], "float32", "float16"), TypeError, "the array is Array; float32 must be"],
        [() => cast({ [Symbol.toStringTag]: "Float32Array" }, "float32", "float16"), TypeError, "must be"],
        [() => cast(new DataView(new ArrayBuffer(4)), "float32", "float16"), TypeError, "is DataView"],
        [() => cast(Uint8Array.of(16), "int4", "int8"), RangeError, "code 0x10"],
        [() => cast(none, "float32", "float8e4m3fn", { spec: "onnx-cast-13" }), RangeError, "float8e4m3fn"],
        [() => expect("float64", "float16", none), TypeError, "float64 must be Float64Array or BigUint64Array"],
        [() => expect("float32", "float16", none).admits(new Uint16Array(3)), RangeError, "has 3 elements, the input 2"],
    ]) {
        assert.throws(call, (error) => {
            assert.equal(error.constructor, kind, String(error));
            assert.ok(error.message.includes(text) && !error.message.includes("\n"), error.message);
            return true;
        });
    }
    // The module is whole after each of them.
    assert.deepEqual([...half(Float32Array.of(1))], [0x3c00]);
});
