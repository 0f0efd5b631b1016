// Questions as people type them. What is said of casts and formats is asked of the module when the page is shown.

interface Question { slug: string; title: string; show: () => Child[] }

const FLOAT8 = ["float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"];

// One value to several targets: a table for each.
const toEach = (from: string, value: string, targets: string[]): Child[] =>
  targets.flatMap((to) => [make("h3", {}, link(toElement(from, value, to), `${value} ${from} → ${to}`)), tableOf(from, to, [value])]);

// Who gives a result for some of these values.
function whoGives(from: string, to: string, values: string[], result: string): HTMLElement {
  const rows = values.flatMap((value) => ask("element", from, to, value).rows
    .filter((row) => row.codes.some((it) => it.hex === result))
    .map((row) => make("tr", {},
      make("th", { scope: "row" }, link(toElement(from, value, to), value)), make("td", {}, ...row.by.map(giverOf)))));
  const head = make("tr", {}, make("th", {}, "value"), make("th", {}, `who gives ${result}`));
  return make("table", { class: "results" }, make("thead", {}, head), make("tbody", {}, ...rows));
}

// Formats side by side, a fact a row.
function besides(all: string[]): HTMLElement {
  const formats = all.map((name) => ask("format", name).format!);
  const columns = formats.map(ofFormat);
  const rows = columns[0]!.map(([fact], at) => make("tr", {}, make("th", { scope: "row" }, fact),
    ...columns.map((column, index) => make("td", { "data-name": all[index] }, column[at]?.[0] === fact ? column[at]![1] : ""))));
  const codes = ["0x08", "0x38", "0x78", "0x7e", "0x7f", "0x80"].map((hex) => make("tr", {}, make("th", { scope: "row" }, `code ${hex}`),
    ...formats.map((format, index) => make("td", { "data-name": all[index] }, format.codes!.find((it) => it.code === hex)!.value))));
  return make("div", { class: "scroll" }, make("table", { class: "results" },
    make("thead", {}, make("tr", {}, make("td", {}), ...all.map((name) => make("th", {}, link(toFormat(name), name))))),
    make("tbody", {}, ...rows.filter((row) => row.firstChild!.textContent !== "other names"), ...codes)));
}

const methodsOf = (from: string, value: string, to: string): Child[] => {
  const answer = ask("element", from, to, value);
  return [paragraph(link(toElement(from, value, to), `${answer.said} ${from} → ${to}`), " gives ", make("b", {}, answer.rows[0]!.said), "."),
    answer.line && place(answer, answer.line), answer.wrong.length > 0 && methods(answer)];
};

// A block under every rule, and where to put one's own numbers.
const blockOf = (to: string, values: string[]): Child[] => {
  const answer = ask("block", BLOCK_OF.from, to, "", ...values);
  const scales = answer.blocks.flatMap((block) => block.columns.flatMap((it) => it.scaleRules));
  return [paragraph("Each rule has its own way from the largest magnitude of a block to its scale. ", link(toBlock(to, values), "Numbers of your own")),
    ...answer.blocks.map((block) => tableOfBlock(answer, block)), ...statementsOf(scales, answer.rules)];
};

const QUESTIONS: Question[] = [
  { slug: "float32-to-int32-out-of-range", title: "float32 to int32 out of range: who does what",
    show: () => [tableOf("float32", "int32", ["3e9", "-3e9", "inf", "nan"])] },
  { slug: "464-or-465", title: "464 or 465: where does float8e4m3fn overflow?",
    show: () => [tableOf("float32", "float8e4m3fn", ["448", "463", "464", "465", "480"]),
      ...methodsOf("float32", "464", "float8e4m3fn")] },
  { slug: "which-e4m3", title: "Which E4M3 is this?",
    show: () => [paragraph("The formats that are called E4M3, side by side, and what the same codes stand for in each."),
      besides(["float8e4m3fn", "float8e4m3fnuz", "float8e4m3b11fnuz", "float8e4m3"])] },
  { slug: "saturate-or-nan", title: "Saturate or NaN: what becomes of 1000 in float8?", show: () => toEach("float32", "1000", FLOAT8) },
  { slug: "infinity-to-float8", title: "Infinity to float8: the largest number, infinity or NaN?", show: () => toEach("float32", "inf", FLOAT8) },
  { slug: "nan-to-float4", title: "What happens to NaN in float4?",
    show: () => [tableOf("float32", "float4e2m1", ["nan", "inf", "-inf", "6", "7", "100"])] },
  { slug: "who-gives-0x80000000", title: "Who gives 0x80000000 (-2147483648)?",
    show: () => [whoGives("float32", "int32", ["3e9", "-3e9", "inf", "-inf", "nan"], "0x80000000"),
      paragraph(link(toPair("float32", "int32"), "All of float32 to int32"))] },
  { slug: "nan-to-integer", title: "NaN to an integer: zero, the smallest, or undefined?",
    show: () => [...toEach("float32", "nan", ["int32", "int8", "uint8", "int64"])] },
  { slug: "negative-zero", title: "What becomes of -0.0 as bool, as an integer, in float8?",
    show: () => toEach("float32", "-0.0", ["bool", "int32", "float16", "float8e4m3fn", "float8e4m3fnuz"]) },
  { slug: "negative-to-uint8", title: "A negative float to uint8: does it wrap, clamp, or is it undefined?",
    show: () => [tableOf("float32", "uint8", ["-0.5", "-1", "255", "256", "300"])] },
  { slug: "integer-overflow", title: "300 as int32 to int8: does it wrap or saturate?",
    show: () => [tableOf("int32", "int8", ["127", "128", "200", "300", "-129"])] },
  { slug: "round-or-truncate", title: "Does a float round or truncate to an integer: 2.5, -2.5, 1.5?",
    show: () => [tableOf("float32", "int32", ["1.5", "2.5", "-2.5"]), tableOf("float32", "int4", ["1.5", "2.5", "-2.5"])] },
  { slug: "float32-to-bfloat16", title: "float32 to bfloat16: rounded or cut off?", show: () => methodsOf("float32", "0x457f8000", "bfloat16") },
  { slug: "double-rounding", title: "float64 to float16 through float32: when is rounding twice wrong?", show: () => methodsOf("float64", "0x3ff0020000000001", "float16") },
  { slug: "float8e8m0", title: "What does float8e8m0 make of 0, -1 and 3?",
    show: () => [tableOf("float32", "float8e8m0", ["0", "-1", "1.5", "3", "inf", "nan"])] },
  { slug: "blocks-differ", title: "Why do two libraries quantise a block to other bytes?",
    show: () => blockOf("float8e4m3fn", BLOCK_OF.values) },
  { slug: "mxfp4-of-a-block", title: "What do MXFP4 and NVFP4 make of my block?", show: () => blockOf("float4e2m1", ["5", "2.5", "-1", "0.3"]) },
  { slug: "can-it-be-dropped", title: "Can this cast be dropped: int32 to float32 and back, float16 through float32?", show: () => [verdictsOf([
    ["int32", "float32", "int32"], ["int64", "float64", "int64"], ["int32", "float64", "int32"], ["float16", "float32", "float16"], ["float32", "float16", "float32"],
    ["float32", "bfloat16", "float32"], ["int8", "float16", "int8"], ["float32", "int32", "float32"], ["float64", "float32", "float16"], ["float8e4m3fn", "float16", "float32"]]),
    paragraph(link(toChains("float32"), "All chains, by the dtype between"))] },
  { slug: "rust-and-c", title: "Rust's as and C on x86: where do their casts differ?", show: () => [tableOf("float32", "int32", ["1e10", "-1e10", "nan"]),
    tableOf("float32", "uint8", ["-1", "300", "nan"]), paragraph(link(toDiffer("rust-as", "x86-sse2"), "Every class of inputs"))] },
  { slug: "e4m3-or-e5m2", title: "E4M3 or E5M2: what does each hold?", show: () => showTwoFormats("float8e4m3fn", "float8e5m2").slice(2).map((it) => it as HTMLElement) },
  { slug: "subnormals", title: "Are subnormals kept or flushed to zero: 1e-40 as bfloat16, 3e-8 as float16?", show: () => [
    ...toEach("float32", "1e-40", ["bfloat16", "float16"]), ...toEach("float32", "3e-8", ["float16", "float8e5m2"])] },
  { slug: "nan-to-bool", title: "Is NaN true? Is 0.5?", show: () => [tableOf("float32", "bool", ["nan", "0.5", "-0.0", "inf"])] },
];

// Chains, and whether the dtype between can be dropped.
function verdictsOf(chains: [string, string, string][]): HTMLElement {
  const rows = chains.map((it) => make("tr", {}, make("th", { scope: "row" }, link(toChain(it), it.join(" → "))),
    make("td", { "data-name": "the dtype between" }, make("b", {}, droppable(...it) ? "can be dropped" : "cannot be dropped"))));
  return make("table", { class: "results" }, make("thead", {}, make("tr", {}, make("th", {}, "casts"), make("th", {}, "the dtype between"))), make("tbody", {}, ...rows));
}

function showQuestion(slug: string): Node[] {
  const question = QUESTIONS.find((it) => it.slug === slug);
  if (!question) throw new Problem(`there is no question '${slug}'`);
  document.title = `${question.title} Castproof`;
  const nodes = [make("h1", {}, question.title), ...question.show(), paragraph(soft(READING)), paragraph(link("#questions", "All questions"))];
  return nodes.filter((it): it is HTMLElement => Boolean(it));
}

const READING = "A row is a group of specifications that agree. open: the specification leaves the result open; refused: it does not cast this. " +
  "The rule of a result stands in its tooltip and on the page of the element.";

const listOf = (questions: Question[]): HTMLElement =>
  make("ul", { class: "list questions" }, ...questions.map((it) => make("li", {}, link(`#question/${it.slug}`, it.title))));

function showQuestions(): Node[] {
  document.title = "Questions: Castproof";
  return [make("h1", {}, "Questions"), listOf(QUESTIONS)];
}

// The questions that have these words.
function questionsWith(words: string[]): Question[] {
  const has = (it: Question, text: string): boolean => it.title.toLowerCase().includes(text.toLowerCase());
  return words.length === 0 ? [] : QUESTIONS.filter((it) => words.every((text) => has(it, text)));
}
