// Numbers of one's own in blocks that share a scale, under every rule.

// What is shown unless the address says more.
const BLOCK_OF = { to: "float8e4m3fn", values: ["464", "1", "0.001"], from: "float32" };

const listed = (values: string[]): string => values.map(word).join(",");

function toBlock(to: string, values: string[], from = BLOCK_OF.from, largest = ""): string {
  const more = [from === BLOCK_OF.from && largest === "" ? null : word(from), largest === "" ? null : word(largest)];
  return ["#block", word(to), listed(values), ...more.filter((it) => it !== null)].join("/");
}

// Numbers as people paste them: with commas, spaces, lines or brackets between.
const pasted = (text: string): string[] => text.split(/[\s,;[\]()]+/).filter(Boolean);

// A field whose text goes to the address when it is changed, or at Enter.
function field<Name extends "input" | "textarea">(name: Name, id: string, value: string, go: () => void): HTMLElementTagNameMap[Name] {
  const node = make(name, { id, spellcheck: "false", autocomplete: "off", rows: name === "textarea" ? 1 : null });
  node.value = value;
  node.addEventListener("change", go);
  node.addEventListener("keydown", (event) => {
    if ((event as KeyboardEvent).key !== "Enter") return;
    event.preventDefault();
    go();
  });
  return node;
}

const commandOf = (text: string): HTMLElement => make("div", { class: "take" }, make("span", {}, "Command"), make("pre", { tabindex: 0 }, text), copier(text));
const jsonOf = (text: string): HTMLElement => make("div", { class: "take" }, make("span", {}, "JSON, an object for each result"),
  make("pre", { tabindex: 0 }, text.trimEnd()), copier(text.trimEnd()));

// A word of a command line, in quotes where a shell would read it otherwise.
const quoted = (text: string): string => (/^[A-Za-z0-9.+_-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

// --- Blocks ---------------------------------------------------------------------------------------------------

function askedOfBlock(to: string, values: string[], from: string, largest: string): HTMLElement {
  const go = (source = from, target = to): void => { location.hash = toBlock(target, pasted(numbers.value), source, most.value.trim()); };
  const numbers = field("textarea", "numbers", values.join(", "), () => go());
  const most = field("input", "largest", largest, () => go());
  return make("div", { class: "asked" },
    make("label", {}, "elements", chosenName("to", to, (name) => go(from, name), names().blockElements)),
    make("label", {}, "numbers", numbers),
    make("label", {}, "of", chosenName("from", from, (name) => go(name), names().blockSources)),
    make("label", {}, "largest of the tensor (NVFP4)", most));
}

function showBlock(to: string, values: string[], from: string, largest: string): Node[] {
  const answer = ask("block", from, to, largest, values.join("\n"));
  document.title = `A block of ${answer.to}: Castproof`;
  const more = [answer.from === BLOCK_OF.from ? "" : ` --from ${answer.from}`, largest === "" ? "" : ` --largest ${quoted(largest)}`];
  const texts = answer.blocks.flatMap((block) => block.columns.flatMap((it) => [...it.scaleRules, ...it.elements.map((element) => element.rule)]));
  return [askedOfBlock(answer.to, values, answer.from, largest),
    make("h1", {}, `A block of ${answer.to} under every rule`),
    paragraph("A column is a group of rules that agree on all of it. An element stands for its value times the scale. ",
      soft("≠ marks what differs from the column with the most rules.")),
    ...answer.blocks.map((block) => tableOfBlock(answer, block)),
    answer.largest !== null && paragraph(soft(`NVFP4: the largest magnitude of the tensor is ${answer.largest}.`)),
    answer.free !== null && paragraph(soft(`${answer.free} recommends its scale, and allows every power of two.`)),
    heading("What decides"), ...statementsOf(texts, answer.rules),
    heading("Take it along"),
    commandOf(`castproof quantize --elements ${answer.to}${more.join("")} ${values.map(quoted).join(" ")}`),
    jsonOf(answer.json)].filter((it): it is HTMLElement => Boolean(it));
}

function statementsOf(ids: string[], rules: Rules): HTMLElement[] {
  return [...new Set(ids)].sort().map((id) => make("p", { class: "rule" }, make("b", {}, link(toRule(id), id)), ` ${rules[id]![0]} (${rules[id]![1]})`));
}

function tableOfBlock(answer: BlocksAnswer, block: BlockOf): HTMLElement {
  const { columns } = block;
  const most = columns.reduce((a, b) => (b.by.length > a.by.length ? b : a));
  const named = (it: BlockColumn): string => it.by.join(", ");
  const row = (head: Child[], cell: (it: BlockColumn) => { said: Child[]; same: string; title?: string }): HTMLElement =>
    make("tr", {}, make("th", { scope: "row" }, ...head), ...columns.map((it) => {
      const { said, same, title } = cell(it);
      const differs = same !== cell(most).same;
      return make("td", { "data-name": named(it), class: differs ? "differs" : null, title }, differs && "≠ ", ...said);
    }));
  const value = (it: Code): Child[] => [make("b", {}, it.value), " ", code(it.hex)];
  const scale = row(["scale"], (it) => ({ said: [...value(it.scale), " ", soft(it.scaleDtype)], same: it.scaleDtype + it.scale.hex }));
  const elements = block.inputs.map((input, at) => row([input.text, input.rounded && soft(" (rounded)")], (it) => {
    const element = it.elements[at]!;
    const said = element.code === null ? [element.said] : value(element.code);
    return { said, same: element.said, title: `${element.rule}: ${answer.rules[element.rule]![0]}` };
  }));
  const by = make("tr", {}, make("th", { scope: "row" }, "scale by"), ...columns.map((it) => make("td", { "data-name": named(it) },
    ...it.scaleRules.flatMap((id, at) => [at > 0 && ", ", link(toRule(id), id)]))));
  const last = block.first + block.inputs.length;
  const caption = `${answer.from} → ${answer.to}, numbers ${block.first + 1} to ${last}${block.filled ? ", filled with zeros" : ""}`;
  const head = make("tr", {}, make("td", {}), ...columns.map((it) => make("th", { scope: "col" }, ...it.by.map((name) => make("div", {}, name)))));
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, make("table", { class: "results block" },
    make("caption", {}, caption), make("thead", {}, head), make("tbody", {}, scale, ...elements, by)));
}

// Words of the search box that ask for a block or a node; null: they do not.
const BLOCK_WORDS: Record<string, string> = {
  block: "", quantize: "", quantise: "", mx: "", mxfp8: "float8e4m3fn", mxfp6: "float6e2m3", mxfp4: "float4e2m1", nvfp4: "float4e2m1",
};
const LINEAR_WORDS = ["linear", "quantizelinear", "quantize-linear", "dequantizelinear", "dequantize-linear"];

function toQuantised({ dtypes, values, formats, rules, rest }: Found): string | null {
  const [asked, ...others] = rest.map((it) => it.toLowerCase());
  if (asked === undefined || others.length + formats.length + rules.length > 0) return null;
  if (LINEAR_WORDS.includes(asked)) {
    const back = asked.startsWith("de");
    const [from = back ? "uint8" : "float32", to = back ? "float32" : "uint8"] = dtypes.length === 1 && !back ? [undefined, dtypes[0]] : dtypes;
    const [scale, zero, ...numbers] = values;
    return scale === undefined ? toLinear(from, to, LINEAR_OF.scale, "", back ? ["0", "1"] : LINEAR_OF.values)
      : toLinear(from, to, scale, numbers.length > 0 ? zero! : "", numbers.length > 0 ? numbers : zero === undefined ? ["1"] : [zero]);
  }
  const elements = BLOCK_WORDS[asked];
  if (elements === undefined) return null;
  const to = dtypes.length > 1 ? dtypes[1]! : elements || dtypes[0] || BLOCK_OF.to;
  return toBlock(to, values.length > 0 ? values : BLOCK_OF.values, dtypes.length > 1 ? dtypes[0] : undefined);
}
