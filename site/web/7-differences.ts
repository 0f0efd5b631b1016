// Where two specifications exclude each other: docs/differences.md as data, read when the page is built.

// Source, code, value, target, both results, rules, pairs of dtypes, codes.
type Class = [string, string, string, string, string, string, string, string, string];
interface Differing { by: [string, string]; pairs: string; rows: Class[] }
declare const DIFFERENCES: Differing[];

// `#differ/rust-as/x86-sse2/float32/int32`; what is empty is not chosen.
const toDiffer = (...chosen: string[]): string => ["#differ", ...chosen.map(word)].join("/").replace(/\/+$/, "");

const isSpecification = (name: string): boolean => DIFFERENCES.some(({ by }) => by.includes(name));

// Classes of inputs by what the code of the example is.
const INPUTS: Record<string, (value: string) => boolean> = {
  "NaN": (value) => /nan/i.test(value),
  "infinite": (value) => /inf/i.test(value),
  "negative": (value) => /^-[0-9]/.test(value),
  "zero": (value) => /^-?0$/.test(value),
  "other": (value) => /^[0-9]/.test(value) && value !== "0",
};

function showDiffer(one: string, other: string, from: string, to: string, input: string): Node[] {
  document.title = "Where specifications differ: Castproof";
  const specs = [...new Set(DIFFERENCES.flatMap((it) => it.by))].sort();
  for (const name of [one, other]) if (name !== "" && !specs.includes(name)) throw new Problem(`'${name}' differs from no other specification here; one is ${specs[0]}`);
  if (input !== "" && !(input in INPUTS)) throw new Problem(`'${input}' is no class of inputs; they are ${Object.keys(INPUTS).join(", ")}`);
  const found = DIFFERENCES.filter(({ by }) => [one, other].every((name) => name === "" || by.includes(name)) && (one !== other || one === ""));
  const rows = found.flatMap(({ by, rows: all }) => all.filter(([source, , value, target]) =>
    (from === "" || source === from) && (to === "" || target === to) && (input === "" || INPUTS[input]!(value))).map((it) => ({ by, it })));
  const count = (text: string): bigint => BigInt(text.replaceAll(",", ""));
  rows.sort((a, b) => (count(b.it[8]) > count(a.it[8]) ? 1 : count(b.it[8]) < count(a.it[8]) ? -1 : 0));
  const choose = (id: string, label: string, at: number, all: string[]): HTMLElement => {
    const chosen = [one, other, from, to, input];
    const go = (name: string): void => { location.hash = toDiffer(...chosen.map((it, index) => (index === at ? name : it))); };
    const select = chosenName(id, chosen[at]!, go, ["", ...all]);
    select.options[0]!.textContent = "any";
    return make("label", {}, label, select);
  };
  const examples = DIFFERENCES.flatMap((it) => it.rows);
  const dtypes = (at: 0 | 3): string[] => names().dtypes.filter((name) => examples.some((row) => row[at] === name));
  const cell = (name: string, ...children: Child[]): HTMLElement => make("td", { "data-name": name }, ...children);
  const shown = rows.slice(0, MOST_CLASSES).map(({ by, it: [source, hex, value, target, first, second, rules, pairs, codes] }) => make("tr", {},
    make("th", { scope: "row" }, link(toElement(source, hex, target), `${source} ${value} → ${target}`)),
    cell(by[0], by[0] + ": ", make("b", {}, first)), cell(by[1], by[1] + ": ", make("b", {}, second)),
    cell("rules", ...rules.split(", ").flatMap((id, at) => [at > 0 && ", ", link(toRule(id), id)])), cell("pairs of dtypes", pairs), cell("codes", codes)));
  const said = rows.length > MOST_CLASSES ? `${rows.length} classes, of which those with the most codes are shown.` : `${rows.length} classes.`;
  return [make("div", { class: "asked" }, choose("one", "specification", 0, specs), choose("other", "and", 1, specs), choose("from", "from", 2, dtypes(0)),
      choose("to", "to", 3, dtypes(3)), choose("input", "input", 4, Object.keys(INPUTS))),
    make("h1", {}, "Where specifications differ"),
    paragraph("A row is a class: the inputs that one rule decides in the first specification and another one in the second, so that the results exclude each other. ",
      "It has one input, both results, and the exact number of codes of all pairs of dtypes in the class. What one of the two leaves open is no difference."),
    make("p", { id: "counted", role: "status" }, said),
    tableWith("classes", ["input", "one", "other", "rules", "pairs of dtypes", "codes"], shown)];
}

const MOST_CLASSES = 60;
