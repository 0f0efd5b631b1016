/**
 * Checks casts between tensor dtypes, says what they must give, and does them.
 *
 * `check` holds a function to the exact answers, `expect` returns the answers, `cast` casts an array, `expectBlock`
 * returns what a rule of MX or NVFP4 makes of numbers.
 *
 * @module castproof
 */

/**
 * A typed array. Integers of 8 bits and more, float32 and float64 have the array of their kind; every
 * other dtype has its codes in a Uint8Array or, with 16 bits, in a Uint16Array.
 * @typedef {Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array | BigInt64Array |
 *     BigUint64Array | Float32Array | Float64Array} Elements
 */

/**
 * Our name of a numeric dtype.
 * @typedef {"bool" | "int2" | "uint2" | "int4" | "uint4" | "int8" | "uint8" | "int16" | "uint16" | "int32" |
 *     "uint32" | "int64" | "uint64" | "float4e2m1" | "float6e2m3" | "float6e3m2" | "float8e4m3fn" |
 *     "float8e4m3fnuz" | "float8e5m2" | "float8e5m2fnuz" | "float8e8m0" | "float16" | "bfloat16" | "float32" |
 *     "float64"} DType
 */

/**
 * A dtype by our name, or by that of another project, such as "f32". An editor proposes ours.
 * @typedef {DType | (string & {})} AnyName
 */

/**
 * What a cast is, beside its dtypes.
 * @typedef {object} Options
 * @property {boolean} [saturate] The attribute of ONNX Cast; absent: it is not given.
 * @property {string} [roundMode] The attribute `round_mode`, such as "up"; absent: it is not given.
 * @property {string} [spec] The specification, such as "onnx-cast-19" or "rust-as"; absent: the newest
 *     version of ONNX Cast.
 */

/**
 * Numbers as people write them: 464, -0, NaN, 10n, "0x1.8p3", "1e20", or several in a list.
 * @typedef {number | bigint | (number | bigint | string)[]} Numbers
 */

/**
 * What a cast is, and how numbers are read.
 * @typedef {Options & { nearest?: boolean }} ExpectOptions `nearest`: a number that the source does not hold is rounded to
 *     nearest even; otherwise it is refused.
 */

/**
 * The arrays that a function takes; by default all. What is longer is not asked, and one element is asked in as many
 * copies as are needed.
 * @typedef {object} Limits
 * @property {number} [elements] The most elements.
 * @property {number} [multipleOf] The number of elements is a multiple of this.
 * @property {boolean} [empty] false: it takes no empty array.
 */

/**
 * What a function does, and which arrays it takes.
 * @typedef {Options & { limits?: Limits }} CheckOptions
 */

/**
 * What was asked of a function that passed.
 * @typedef {object} Summary
 * @property {string} cast The cast for people.
 * @property {number} codes The codes that were asked alone.
 * @property {number} tolerated Those with a result that is tolerated, but not the recommended one.
 * @property {number} arrays The arrays that were asked.
 * @property {number} elements Their elements.
 * @property {string} [limits] The limits of the function, if it has some: nothing is known of other arrays.
 */

/**
 * What a cast must make of each element. Where `anyNan`, `undefined` and `choice` are 0, the only right
 * result is that of `codes`.
 * @typedef {object} Expected
 * @property {Uint8Array | Uint16Array | Uint32Array | BigUint64Array} codes The code of the result.
 * @property {Uint8Array} anyNan 1: any NaN is right; the code is that of one.
 * @property {Uint8Array} undefined 1: the specification leaves the result open; the code is 0.
 * @property {Uint8Array} choice 1: several codes are right, such as all quiet NaN; the code is the lowest of them.
 * @property {Uint8Array} tolerated 1: another result is tolerated.
 * @property {string[]} rules The id of the rule that decides each element.
 * @property {(results: ArrayBufferView, options?: {strict?: boolean}) => boolean[]} admits Says of each
 *     result whether it is right, or tolerated unless `strict`.
 */

/**
 * What is asked of blocks, beside their rule.
 * @typedef {object} BlockOptions
 * @property {AnyName} [source] The dtype of the numbers: "float32" (the default), "float16" or "bfloat16".
 * @property {number} [row] The numbers of a row; each row is divided into blocks. The default is one row.
 * @property {number} [largest] The largest magnitude of the whole tensor, for the rules of NVFP4; by default that of the
 *     numbers, without NaN. It is rounded to float32.
 */

/**
 * What a rule makes of numbers in blocks.
 * @typedef {object} ExpectedBlocks
 * @property {Uint8Array | Uint32Array} scales The code of each block's scale; of 32 bits if the scale is a float32.
 * @property {Uint8Array} elements The code of each element.
 * @property {Uint8Array} undefined 1: the rule leaves the element open, as under a scale that is NaN; the code is 0.
 * @property {string[]} scaleRules The id of the rule that decides each scale.
 * @property {string[]} elementRules The id of the rule that decides each element.
 * @property {DType} scale The dtype of the scales.
 * @property {DType} element The dtype of the elements.
 * @property {number} [largest] The largest magnitude of the tensor, where the rule has a scale of the tensor.
 */

/** A function gave a wrong result. The message says which and why. */
export class CheckFailed extends Error {
    /** @param {string} message What is wrong. */
    constructor(message) {
        super(message);
        this.name = "CheckFailed";
    }
}

const WORDS = 0;
const INPUT = 1;
const OUTPUT = 2;
const KINDS = 3;
const RULES = 4;

const module = await compiled();

/** The native part of everything but `check`. */
const native = instance(() => {});

/** Bits of an element, by dtype. */
const BITS = new Map(
    (native.dtypes(), said(native).trim().split("\n")).map((line) => {
        const [name, bits] = line.split(" ");
        return /** @type {[string, number]} */ ([name, Number(bits)]);
    }),
);

/**
 * Holds a function from typed array to typed array to the exact answers.
 *
 * The function takes an array of `source`'s dtype and returns one of as many elements of `target`'s, or
 * of its codes. It is asked for codes alone (every code of sources up to 16 bits), and for the same codes
 * in arrays of many lengths that begin anywhere in their buffers. A program that ends in the function, by
 * `process.exit`, ends with status 1.
 *
 * @param {(input: any) => ArrayBufferView} cast The function.
 * @param {AnyName} source A dtype, such as "float32", or what another project calls it, such as "f32".
 * @param {AnyName} target A dtype, such as "float8e4m3fn".
 * @param {CheckOptions} [options] What the function does, and which arrays it takes.
 * @returns {Summary}
 * @throws {CheckFailed} If a result is wrong.
 * @throws {TypeError} If the function is none, or returns an array of another type.
 * @throws {RangeError} If it returns an array of another length, if it writes into its input, or if there
 *     is no such cast.
 */
export function check(cast, source, target, options = {}) {
    if (typeof cast !== "function") {
        throw new TypeError(`the cast is ${typeof cast}; it must be a function`);
    }
    [source, target] = [dtypeOf(source), dtypeOf(target)];
    const { limits = {}, ...does } = options;
    const taken = limitsOf(limits);
    const words = wordsOf(source, target, does);
    const name = cast.name || "the function";
    let arrays = 0;
    let elements = 0;
    // An exception of the function leaves this instance as it is, so each check has its own.
    const own = instance((count, first) => {
        arrays += 1;
        elements += count;
        const input = viewAt(source, bytesOf(own, INPUT), first);
        const before = bytesOfView(input).slice();
        const result = cast(input);
        if (!isSame(bytesOfView(input), before)) {
            throw new RangeError(`${name} wrote into its input of ${count} elements`);
        }
        const codes = codesOf(target, result, `the result of ${name}`, count);
        bytesOf(own, OUTPUT).set(codes);
    });
    write(own, WORDS, words);
    const returned = leaving(name);
    let status;
    try {
        status = own.check(...taken);
    } finally {
        returned();
    }
    const message = said(own);
    if (status === 2) {
        throw new CheckFailed(`${name}: ${message}`);
    }
    if (status !== 0) {
        throw new RangeError(message);
    }
    const [asked, codes, tolerated, stated] = message.split("\n");
    const summary = { cast: asked, codes: Number(codes), tolerated: Number(tolerated), arrays, elements };
    return stated ? { ...summary, limits: stated } : summary;
}

/**
 * Returns limits as the native part takes them: 0 where there is none.
 * @param {Limits} limits
 */
function limitsOf({ elements, multipleOf, empty = true, ...others }) {
    const unknown = Object.keys(others);
    if (unknown.length > 0) {
        throw new TypeError(`unknown limit '${unknown[0]}'; known are elements, multipleOf, empty`);
    }
    for (const [name, limit] of Object.entries({ elements, multipleOf })) {
        if (limit !== undefined && !(Number.isInteger(limit) && limit > 0 && limit < 2 ** 32)) {
            throw new RangeError(`limits.${name} is ${limit}; it must be a whole number from 1 on`);
        }
    }
    return [elements ?? 0, multipleOf ?? 0, Number(!empty)];
}

/**
 * Makes the program end with status 1 if it ends before the function that is returned is called, as by
 * `process.exit(0)` in a kernel: what was not asked has not passed.
 * @param {string} name Names the kernel.
 * @returns {() => void}
 */
function leaving(name) {
    const program = /** @type {any} */ (globalThis).process;
    if (typeof program?.prependListener !== "function") {
        return () => {}; // a browser, in which nothing ends
    }
    const ends = () => {
        console.error(`castproof: ${name} ends the program in the middle of a check: it must return an array. The status is 1`);
        program.exitCode = 1;
    };
    program.prependListener("exit", ends);
    return () => program.removeListener("exit", ends);
}

/**
 * Casts an array.
 *
 * @param {ArrayBufferView} input Elements of `source`'s dtype, or their codes.
 * @param {AnyName} source A dtype.
 * @param {AnyName} target A dtype.
 * @param {Options} [options] How to cast.
 * @returns {Elements}
 * @throws {TypeError} If the array has another type.
 * @throws {RangeError} If there is no such cast.
 */
export function cast(input, source, target, options = {}) {
    [source, target] = [dtypeOf(source), dtypeOf(target)];
    const words = wordsOf(source, target, options);
    write(native, INPUT, codesOf(source, input, "the array"));
    ask("cast", words);
    return viewAt(target, bytesOf(native, OUTPUT), 0);
}

/**
 * Returns what a cast must make of each element. The array comes first, as in `cast`.
 *
 * @overload
 * @param {ArrayBufferView | Numbers} input Elements of `source`'s dtype, or their codes; or numbers, a list of them.
 * @param {AnyName} source A dtype.
 * @param {AnyName} target A dtype.
 * @param {ExpectOptions} [options] What the cast does, and how numbers are read.
 * @returns {Expected}
 * @throws {TypeError} If the array has another type.
 * @throws {RangeError} If there is no such cast, or `source` does not hold a number; the message has its neighbours.
 */
/**
 * Does the same with the array after the dtypes, the former order.
 *
 * @overload
 * @param {AnyName} source A dtype.
 * @param {AnyName} target A dtype.
 * @param {ArrayBufferView} input Elements of `source`'s dtype, or their codes.
 * @param {Options} [options] What the cast does.
 * @returns {Expected}
 */
/**
 * @param {any} input
 * @param {any} source
 * @param {any} target
 * @param {ExpectOptions} [options]
 * @returns {Expected}
 */
export function expect(input, source, target, options = {}) {
    if (typeof input === "string") {
        [source, target, input] = [input, source, target];
    }
    [source, target] = [dtypeOf(source), dtypeOf(target)];
    const { nearest = false, ...does } = options;
    const words = wordsOf(source, target, does);
    const codes = codesOf(source, read(input, source, nearest), "the array").slice();
    write(native, INPUT, codes);
    ask("expect", words);
    const names = said(native).split("\n");
    const kinds = bytesOf(native, KINDS).slice();
    const rules = new Uint16Array(bytesOf(native, RULES).slice().buffer);
    const bit = (/** @type {number} */ kind) => kinds.map((it) => (it & kind ? 1 : 0));
    return {
        codes: new (codeArray(target))(bytesOf(native, OUTPUT).slice().buffer),
        anyNan: bit(1),
        undefined: bit(2),
        choice: bit(4),
        tolerated: bit(8),
        rules: Array.from(rules, (place) => names[place]),
        admits(results, { strict = false } = {}) {
            const given = codesOf(target, results, "the results", kinds.length);
            write(native, INPUT, codes);
            write(native, OUTPUT, given);
            ask("admits", words, Number(strict));
            return Array.from(bytesOf(native, KINDS), (it) => it === 1);
        },
    };
}

/**
 * Returns scales and elements of numbers by one rule of blocks, such as "mx-rceil" or "nvfp4-te".
 *
 * The numbers are divided into blocks of 32 (MX), 16 (NVFP4) or 128 (FP8). Zeros fill a shorter last block, also where the rule
 * refuses such a tensor. The answers are exact.
 *
 * @param {ArrayBufferView | Numbers} input Numbers of the dtype `options.source`, or their codes; or numbers, a list of them,
 *     which are rounded to that dtype.
 * @param {string} rule The rule; `castproof rules` lists them.
 * @param {AnyName} element The dtype of the elements, such as "float8e4m3fn".
 * @param {BlockOptions} [options] What else is asked.
 * @returns {ExpectedBlocks}
 * @throws {TypeError} If the array has another type.
 * @throws {RangeError} If there is no such rule, or it has no such numbers or elements.
 */
export function expectBlock(input, rule, element, options = {}) {
    const { source = "float32", row, largest, ...others } = options;
    const unknown = Object.keys(others);
    if (unknown.length > 0) {
        throw new TypeError(`unknown option '${unknown[0]}'; known are source, row, largest`);
    }
    const [from, to] = [dtypeOf(source), dtypeOf(element)];
    const array = read(input, from, true);
    const codes = codesOf(from, array, "the array").slice();
    const count = codes.length / Math.ceil(bitsOf(from) / 8);
    if (row !== undefined && !(Number.isInteger(row) && row > 0 && count % row === 0)) {
        throw new RangeError(`row is ${row}; it must be a whole number that divides the ${count} numbers`);
    }
    if (largest !== undefined && !(largest >= 0 && largest < Infinity)) {
        throw new RangeError(`largest is ${largest}; it must be a finite number from 0 on`);
    }
    const greatest = Float32Array.of(largest ?? magnitude(array, from));
    write(native, INPUT, codes);
    const words = new TextEncoder().encode(`${rule}\n${from}\n${to}`);
    ask("expect_block", words, row ?? count, new Uint32Array(greatest.buffer)[0] ?? 0);
    const [scale, isOfTensor, ...names] = said(native).split("\n");
    const rules = Array.from(new Uint16Array(bytesOf(native, RULES).slice().buffer), (place) => names[place] ?? "");
    const packed = bytesOf(native, INPUT).slice();
    const scales = scale === "float32" ? new Uint32Array(packed.buffer) : packed;
    const blocks = {
        scales,
        elements: bytesOf(native, OUTPUT).slice(),
        undefined: bytesOf(native, KINDS).slice(),
        scaleRules: rules.slice(0, scales.length),
        elementRules: rules.slice(scales.length),
        scale: /** @type {DType} */ (scale),
        element: /** @type {DType} */ (to),
    };
    return isOfTensor === "1" ? { ...blocks, largest: greatest[0] } : blocks;
}

/**
 * Returns numbers as an array of a dtype; an array as it is.
 * @param {any} input
 * @param {string} dtype
 * @param {boolean} nearest Round what the dtype does not hold.
 * @returns {any}
 */
function read(input, dtype, nearest) {
    const numbers = ["number", "bigint"].includes(typeof input) ? [input] : input;
    if (!Array.isArray(numbers)) {
        return input;
    }
    if (numbers.length === 0) {
        return new (codeArray(dtype))(0);
    }
    ask("elements", new TextEncoder().encode([dtype, ...numbers.map(textOf)].join("\n")), Number(nearest));
    return new (codeArray(dtype))(bytesOf(native, INPUT).slice().buffer);
}

/**
 * Writes a number exactly, as the native part reads it: 0.1 is 0x1999999999999ap-56.
 * @param {unknown} number
 */
function textOf(number) {
    if (typeof number === "bigint" || (typeof number === "string" && !number.includes("\n"))) {
        return `${number}`;
    }
    if (typeof number !== "number") {
        throw new TypeError(`a list holds numbers; this one holds ${typeof number}`);
    }
    if (Number.isInteger(number) && !Object.is(number, -0)) {
        return `${BigInt(number)}`;
    }
    if (number === 0 || !Number.isFinite(number)) {
        return number === 0 ? "-0.0" : `${number}`.replace("Infinity", "inf");
    }
    const code = new BigUint64Array(Float64Array.of(Math.abs(number)).buffer)[0] ?? 0n;
    const field = Number(code >> 52n);
    const significand = (code & 0xfffffffffffffn) | (field > 0 ? 1n << 52n : 0n);
    return `${number < 0 ? "-" : ""}0x${significand.toString(16)}p${Math.max(field, 1) - 1075}`;
}

/**
 * Returns the largest magnitude of numbers without NaN.
 * @param {ArrayBufferView} input
 * @param {AnyName} source
 */
function magnitude(input, source) {
    const numbers = /** @type {Float32Array} */ (cast(input, source, "float32"));
    return numbers.reduce((most, it) => (Math.abs(it) > most ? Math.abs(it) : most), 0);
}

/** @returns {DType[]} The numeric dtypes. */
export function dtypes() {
    return /** @type {DType[]} */ ([...BITS.keys()]);
}

/** Compiles the native part, in Node from the file beside this one, in a browser from its address. */
async function compiled() {
    const address = new URL("castproof.wasm", import.meta.url);
    if (address.protocol === "file:") {
        // @ts-expect-error: nothing else needs the types of Node
        const { readFile } = await import("node:fs/promises");
        return WebAssembly.compile(await readFile(address));
    }
    const response = await fetch(address);
    if (!response.ok) {
        throw new Error(`${address} cannot be had: ${response.status}`);
    }
    return WebAssembly.compile(await response.arrayBuffer());
}

/**
 * @param {(count: number, first: number) => void} ask Answers for the elements of a room.
 * @returns {any} What the native part exports.
 */
function instance(ask) {
    return new WebAssembly.Instance(module, { castproof: { ask } }).exports;
}

/**
 * Asks the native part.
 * @param {string} question
 * @param {Uint8Array} words
 * @param {number[]} more
 */
function ask(question, words, ...more) {
    write(native, WORDS, words);
    if (native[question](...more) !== 0) {
        throw new RangeError(said(native));
    }
}

/**
 * @param {any} of An instance.
 * @param {number} room
 * @returns {Uint8Array} The bytes of a room, until the next call.
 */
function bytesOf(of, room) {
    return new Uint8Array(of.memory.buffer, of.place(room), of.length(room));
}

/**
 * @param {any} of An instance.
 * @param {number} room
 * @param {Uint8Array} bytes
 */
function write(of, room, bytes) {
    of.make(room, bytes.length);
    bytesOf(of, room).set(bytes);
}

/** @param {any} of An instance. */
function said(of) {
    return new TextDecoder().decode(bytesOf(of, WORDS));
}

/**
 * Returns the words of a cast.
 * @param {string} source
 * @param {string} target
 * @param {Options} options
 */
function wordsOf(source, target, options) {
    const { saturate, roundMode, spec, ...others } = options;
    const unknown = Object.keys(others);
    if (unknown.length > 0) {
        throw new TypeError(`unknown option '${unknown[0]}'; known are saturate, roundMode, spec`);
    }
    const words = [];
    if (saturate !== undefined) {
        if (![true, false, 0, 1].includes(saturate)) {
            throw new RangeError(`saturate is ${saturate}; it must be true or false`);
        }
        words.push(`saturate=${Number(saturate)}`);
    }
    for (const [name, word] of [["round_mode", roundMode], ["spec", spec]]) {
        if (word === undefined) {
            continue;
        }
        if (typeof word !== "string" || !/^[^\s=]+$/.test(word)) {
            throw new RangeError(`${name} is '${word}'; it must be a name`);
        }
        words.push(`${name}=${word}`);
    }
    return new TextEncoder().encode(`${source}\n${target}\n${words.join(" ")}`);
}

/**
 * Returns our name of a dtype that may be named as numpy, torch, MLIR or ONNX name it: "half", "F8_E4M3".
 * @param {string} name
 */
function dtypeOf(name) {
    if (!BITS.has(name)) {
        ask("dtype", new TextEncoder().encode(String(name)));
        name = said(native);
    }
    bitsOf(name);
    return name;
}

/** @param {string} name A dtype. */
function bitsOf(name) {
    const bits = BITS.get(name);
    if (bits === undefined) {
        throw new RangeError(`unknown dtype '${name}'; known are ${dtypes().join(", ")}`);
    }
    return bits;
}

/**
 * Returns the typed array that holds codes of a dtype.
 * @param {string} name
 */
function codeArray(name) {
    const bits = Math.max(bitsOf(name), 8);
    return { 8: Uint8Array, 16: Uint16Array, 32: Uint32Array, 64: BigUint64Array }[bits] ?? Uint8Array;
}

/**
 * Returns the typed array whose elements are those of a dtype; that of the codes if there is none.
 * @param {string} name
 * @returns {any}
 */
function ownArray(name) {
    const [, sign, bits] = /^(u?)int(8|16|32|64)$/.exec(name) ?? [];
    if (bits !== undefined) {
        const kind = `${bits === "64" ? "Big" : ""}${sign === "u" ? "Uint" : "Int"}${bits}Array`;
        return /** @type {any} */ (globalThis)[kind];
    }
    return { float32: Float32Array, float64: Float64Array }[name] ?? codeArray(name);
}

/**
 * Returns the names of the arrays that may hold a dtype.
 * @param {string} name
 * @returns {string[]}
 */
function arraysOf(name) {
    const half = name === "float16" ? ["Float16Array"] : [];
    return [...new Set([ownArray(name).name, codeArray(name).name, ...half])];
}

/**
 * Returns an array as a view of its bytes, or null if it is none.
 *
 * Where the runtime has no Float16Array, as Node 20, a library's such as that of @petamoriken/float16 is a proxy of a
 * Uint16Array: `ArrayBuffer.isView` says no, but its buffer is the one that holds the codes.
 * @param {any} array
 * @param {string} given What the array says that it is.
 * @returns {any}
 */
function viewOf(array, given) {
    if (ArrayBuffer.isView(array)) {
        return array;
    }
    const isHalf = given === "Float16Array" && array.BYTES_PER_ELEMENT === 2 && array.buffer instanceof ArrayBuffer;
    return isHalf ? new Uint16Array(array.buffer, array.byteOffset, array.length) : null;
}

/**
 * Returns the bytes of an array that holds a dtype or its codes.
 * @param {string} name The dtype.
 * @param {unknown} array
 * @param {string} what Names the array in an error.
 * @param {number} [count] The elements that it must have.
 */
function codesOf(name, array, what, count) {
    const known = arraysOf(name);
    const given = Object.prototype.toString.call(array).slice(8, -1);
    const view = known.includes(given) ? viewOf(array, given) : null;
    if (view === null) {
        throw new TypeError(`${what} is ${given}; ${name} must be ${known.join(" or ")}`);
    }
    if (count !== undefined && view.length !== count) {
        throw new RangeError(`${what} has ${view.length} elements, the input ${count}`);
    }
    const bytes = bytesOfView(view);
    const bits = bitsOf(name);
    if (bits < 8) {
        const wide = bytes.find((code) => code >> bits !== 0);
        if (wide !== undefined) {
            throw new RangeError(`${what} holds the code 0x${wide.toString(16)}; ${name} has ${bits} bits`);
        }
    }
    return bytes;
}

/**
 * Returns a copy of elements as an array that begins this many bytes after the start of its buffer, in
 * whole elements, and ends as many before its end.
 * @param {string} name Their dtype.
 * @param {Uint8Array} bytes
 * @param {number} offset
 */
function viewAt(name, bytes, offset) {
    const kind = ownArray(name);
    const first = offset - (offset % kind.BYTES_PER_ELEMENT);
    const buffer = new Uint8Array(bytes.length + 2 * first).fill(0x5a);
    buffer.set(bytes, first);
    return new kind(buffer.buffer, first, bytes.length / kind.BYTES_PER_ELEMENT);
}

/** @param {ArrayBufferView} view */
function bytesOfView(view) {
    return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/**
 * @param {Uint8Array} one
 * @param {Uint8Array} other
 */
function isSame(one, other) {
    return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
