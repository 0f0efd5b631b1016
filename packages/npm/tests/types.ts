// The types of the package, as a user of TypeScript meets them. It is compiled, not run.

import { cast, check, CheckFailed, dtypes, expect, expectBlock, type DType, type Expected, type ExpectedBlocks, type Options, type Summary } from "castproof";

const options: Options = { saturate: false, roundMode: "up", spec: "onnx-cast-25" };
const summary: Summary = check((input: Float32Array) => cast(input, "float32", "float8e8m0", options), "float32", "float8e8m0", options);
const expected: Expected = expect("float32", "float16", Float32Array.of(1));
const inOrder: Expected = expect(Float32Array.of(1), "float32", "float16", options);
const written: Expected = expect([464, "0x1.8p3", 10n], "float32", "float8e4m3fn", { nearest: true });
const admitted: boolean[] = expected.admits(Uint16Array.of(0x3c00), { strict: true });
const error: Error = new CheckFailed("wrong");
const names: DType[] = dtypes();
// A dtype may have the name that another project gives it.
const bytes = cast(Float32Array.of(1), "f32", "torch.float8_e4m3fn");
export const used = [written.codes, summary.codes + summary.arrays, admitted, error.message, names, bytes, inOrder.codes];

check((input: Float32Array) => input, "float32", "float32", { limits: { elements: 4096, empty: false } });

const blocks: ExpectedBlocks = expectBlock(Float32Array.of(464, 1), "mx-rceil", "float8e4m3fn", { row: 1 });
export const ofBlocks: [Uint8Array | Uint32Array, string[], DType, number | undefined] =
    [blocks.scales, blocks.elementRules, blocks.scale, blocks.largest];
// @ts-expect-error: there is no such option
expectBlock(Float32Array.of(1), "mx-rceil", "float8e4m3fn", { axis: 0 });

// @ts-expect-error: a list is no typed array
cast([1], "float32", "float16");
// @ts-expect-error: there is no such option
check((input: Float32Array) => input, "float32", "float32", { rounding: "up" });
// @ts-expect-error: no dtype of ours has this name
const misspelt: DType = "float8_e4m3fn";
