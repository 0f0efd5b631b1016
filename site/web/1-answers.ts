"use strict";
// The module: questions and answers go through one room of its memory (site/src/lib.rs).

interface Giver { name: string; title: string | null; rules: string[] }
interface Code { hex: string; value: string }
type Kind = "code" | "one of" | "any NaN" | "any quiet NaN" | "open" | "refused" | "text";
interface Outcome { said: string; kind: Kind; codes: Code[]; tolerated: string | null }
interface Row extends Outcome { by: Giver[] }
// The statement and its basis.
type Rules = Record<string, [string, string]>;
interface Point { value: string; hex: string | null }
interface Line {
  value: string; exact?: Code;
  below: Point; above: Point; tie: string; place: number | null; nearer: "below" | "tie" | "above";
}
interface Input {
  hex: string; value: string; exact: string | null; bits: string; fields: Fields; rounded: boolean; previous: string; next: string;
}
interface Answer {
  from: string; to: string; input: Input | null; said: string; rows: Row[]; rules: Rules; line: Line | null; of: string | null;
  wrong: { method: string; said: string }[]; json: string;
}
interface Result extends Outcome { rule: string }
interface Pair {
  from: string; to: string; inputs: string[]; codes: string[]; rules: Rules;
  rows: { by: { name: string; title: string | null }[]; results: Result[] }[];
}
// Bits of sign, exponent and significand.
type Fields = [number, number, number];
interface FormatRecord {
  name: string; bits: number; signed: boolean; precision: number; exponentBits: number; bias: number; specials: string; rule: string;
  draft: boolean; negativeZero: boolean; sameCodesAs: string | null; otherNames: string[]; infinities: string[];
  largest: FormatCode; smallest: FormatCode; smallestNormal: FormatCode | null; smallestSubnormal: FormatCode | null;
  nan: { first: string; last: string }[]; codes?: FormatCode[];
}
interface FormatCode { code: string; value: string }
interface DTypeRecord {
  name: string; bits: number; class: string; since: number | null; otherNames: Record<string, string[]>;
  smallest?: string; largest?: string; infinity?: boolean; nan?: boolean; negativeZero?: boolean;
}
interface Format { format: FormatRecord | null; dtype: DTypeRecord | null; fields: Fields }
interface Found { dtypes: string[]; formats: string[]; values: string[]; rules: string[]; rest: string[] }
interface Rule { name: string; statement: string; basis: string; source: string; specs: string[]; notShown: string | null }
interface Names { dtypes: string[]; formats: string[]; blockSources: string[]; blockElements: string[]; linear: string[]; linearVersions: string[] }
interface BlockColumn {
  by: string[]; scaleDtype: string; scale: Code; scaleRules: string[]; elements: { code: Code | null; said: string; rule: string }[];
}
interface BlockOf { first: number; filled: boolean; inputs: { text: string; rounded: boolean }[]; columns: BlockColumn[] }
interface BlocksAnswer {
  from: string; to: string; blocks: BlockOf[]; largest: string | null; free: string | null; rules: Rules; json: string;
}
interface LinearAnswer {
  from: string; to: string; operator: string; opset: number; scale: string; zeroPoint: string | null; rules: Rules; json: string;
  rows: (Result & { text: string; input: string; rounded: boolean })[];
}

interface Questions {
  element: Answer; pair: Pair; format: Format; rule: Rule; search: Found; names: Names; block: BlocksAnswer; linear: LinearAnswer;
  chain: ChainAnswer; pieces: Pieces; tie: { hex: string | null }; landmarks: { name: string; hex: string }[];
}

class Problem extends Error {}

interface Exports {
  memory: WebAssembly.Memory;
  make(length: number): number;
  place(): number;
  length(): number;
}
let exported: (Exports & Record<keyof Questions, () => void>) | undefined;

declare const MODULE: string;

// Unpacks the module, which stands in the page compressed and as base64.
async function load(): Promise<void> {
  const bytes = Uint8Array.from(atob(MODULE), (letter) => letter.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const { instance } = await WebAssembly.instantiate(await new Response(unpacked).arrayBuffer());
  exported = instance.exports as unknown as typeof exported;
}

// Asks the module; what it refuses is a Problem with its words.
function ask<Name extends keyof Questions>(question: Name, ...words: string[]): Questions[Name] {
  if (!exported) throw new Problem("the module is not loaded");
  const bytes = new TextEncoder().encode(words.join("\n"));
  const place = exported.make(bytes.length);
  new Uint8Array(exported.memory.buffer, place, bytes.length).set(bytes);
  exported[question]();
  const answer = new Uint8Array(exported.memory.buffer, exported.place(), exported.length());
  const json = JSON.parse(new TextDecoder().decode(answer));
  if (json.problem !== undefined) throw new Problem(json.problem);
  return json;
}
