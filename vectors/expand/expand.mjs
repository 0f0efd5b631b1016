// Expands the book: prints every code of a request with its answer, in the form of vector files.
//
//     gunzip -c book.json.gz | node expand.mjs onnx-cast-28 float16 int8 '{}'
//     gunzip -c book.json.gz | node expand.mjs 16      (every answer of sources up to 16 bits)
import { readFileSync, writeSync } from "node:fs";

// Drops bits, to nearest; a tie goes to the even of base and what is left.
function rounded(value, bits, base) {
  const count = value >> bits, dropped = value & ((1n << bits) - 1n), half = 1n << (bits - 1n);
  return dropped > half || (dropped === half && (base + count) & 1n) ? count + 1n : count;
}

// The expected code, those that are tolerated beside it, the rule, and whether no set bit is dropped.
function shifted(code, { shift, tolerateByCode = {}, rule, ruleInexact, ruleTwice }, widths) {
  const base = BigInt(shift.base), origin = BigInt(shift.origin), bits = BigInt(shift.bits);
  const distance = BigInt.asUintN(widths[0], shift.descending ? origin - code : code - origin);
  const cut = bits > 0n ? distance >> bits : distance << -bits;
  const count = shift.nearest ? rounded(distance, bits, base) : cut;
  const first = tolerateByCode.twice && BigInt(tolerateByCode.twice);
  const twice = first ? rounded(rounded(distance, first, 0n), bits - first, base) : count;
  const exact = bits <= 0n || !(distance & ((1n << bits) - 1n));
  if (!exact) rule = ruleInexact ?? rule;
  if (twice !== count) rule = ruleTwice ?? rule;
  const result = (it) => BigInt.asUintN(widths[1], shift.subtract ? base - it : base + it);
  const expected = result(count), others = [result(twice)];
  if (tolerateByCode.truncated) others.push(result(cut));
  const half = bits > 0n ? 1n << (bits - 1n) : 0n;
  const tie = half && (distance & (2n * half - 1n)) === half;
  if (tolerateByCode.tie && tie) others.push(result(cut), result(cut + 1n));
  if (tolerateByCode.flushed) others.push(expected & (1n << BigInt(widths[1] - 1)));
  const unequal = new Set(others.filter((it) => it !== expected));
  return [expected, [...unequal].sort((a, b) => (a < b ? -1 : 1)), rule, exact];
}

const hex = (value, bits) => "0x" + value.toString(16).padStart(Math.ceil(bits / 4), "0");

// The line of a code.
function line(code, piece, [fromBits, toBits], whole) {
  let { expect, tolerate, rule } = piece;
  if (!expect) {
    const [result, others, decides, exact] = shifted(code, piece, [fromBits, toBits]);
    const codes = others.map((it) => hex(it, toBits));
    if (codes.length) tolerate ??= codes.length > 1 ? { oneOf: codes } : { code: codes[0] };
    [expect, rule] = [{ code: hex(result, toBits) }, decides];
    if (!exact) expect = piece.expectInexact ?? expect;
  }
  return JSON.stringify({ input: hex(code, fromBits), expect, tolerate, clause: whole ?? rule });
}

// Ends the program with one line.
function refuse(problem) {
  writeSync(2, `expand: ${problem}\n`);
  process.exit(1);
}

const show = (code) => "0x" + code.toString(16);

// Gives each piece its last code, which only castproof-book/1 writes down, or says what is wrong.
function problem({ pieces, fromBits }, former) {
  const greatest = (1n << BigInt(fromBits)) - 1n, firsts = pieces.map((piece) => BigInt(piece.first));
  if (!pieces.length) return "it has no pieces: begin with a piece at 0";
  if (firsts[0]) return `the first piece begins at ${show(firsts[0])}: begin it at 0`;
  for (const [place, piece] of pieces.entries()) {
    const first = firsts[place], next = firsts[place + 1], at = `the piece at ${show(first)}`;
    const end = next === undefined ? greatest : next - 1n;
    if (first > end && next !== undefined) {
      return `a piece at ${show(next)} follows one at ${show(first)}: put them in ascending order`;
    }
    if (first > end) {
      return `a piece begins at ${show(first)}, but the greatest code is ${show(greatest)}: remove it`;
    }
    if (former && piece.last == null) return `${at} has no 'last': add it, or give castproof-book/5`;
    if (!former && piece.last != null) return `${at} has a 'last': remove it, or give castproof-book/1`;
    if (former && BigInt(piece.last) !== end) {
      return `${at} ends at ${show(BigInt(piece.last))}: end it at ${show(end)}, without gap or overlap`;
    }
    piece.last = show(end);
  }
}

function read(text) {
  try {
    const book = JSON.parse(text), former = book.format === "castproof-book/1";
    if (!/^castproof-book\/[1-5]$/.test(book.format)) {
      refuse(`its format is '${book.format}': give one of castproof-book/1 to castproof-book/5`);
    }
    for (const [number, answer] of book.answers.entries()) {
      const found = problem(answer, former);
      if (found) refuse(`answer ${number}: ${found}`);
    }
    return book;
  } catch (error) {
    refuse(`the input is not a book: ${error.message.replaceAll(/\s+/g, " ")}`);
  }
}

// Writes to the standard output. If nobody reads on, the program ends.
function print(text) {
  try {
    for (let left = Buffer.from(text); left.length; left = left.subarray(writeSync(1, left)));
  } catch (error) {
    if (error.code === "EPIPE") process.exit(0);
    refuse(`the output cannot be written: ${error.message}`);
  }
}

const book = read(readFileSync(0, "utf8"));
const [spec, from, to, attributes] = process.argv.slice(2);
const rows = to === undefined
  ? book.answers.filter((it) => it.fromBits <= Number(spec)).map((answer) => ({ answer }))
  : book.requests
      .filter((row) => row.from === from && row.to === to && row.specs.includes(spec))
      .filter((row) => row.attributes.some((set) => JSON.stringify(set) === attributes))
      .map((row) => ({ answer: book.answers[row.answer], whole: row.rule }));
for (const { answer, whole } of rows) {
  for (const piece of answer.pieces) {
    // A piece may have 2^62 codes, and a string of V8 at most 2^29 characters.
    let lines = "";
    for (let code = BigInt(piece.first); code <= BigInt(piece.last); code++) {
      lines += line(code, piece, [answer.fromBits, answer.toBits], whole) + "\n";
      if (lines.length >= 65536) {
        print(lines);
        lines = "";
      }
    }
    print(lines);
  }
}
