// A cast: a row for each group of specifications that give the same results.

// What is asked of a pair unless the address says more. What the source does not hold is left out.
const USUAL = ["0", "-0.0", "0.5", "1.5", "2.5", "-1", "200", "464", "70000", "3e9", "1e20", "1e300", "inf", "-inf", "nan"];

function usual(from: string, to: string): string[] {
  const holds = (value: string): boolean => {
    try {
      return !ask("element", from, to, value).input?.rounded;
    } catch {
      return false;
    }
  };
  return from === "string" ? ["1", "-0.0", "1e20", "nan", "abc"] : USUAL.filter(holds);
}

function showPair(from: string, to: string, values: string[] | null, range: string): Node[] {
  document.title = `${from} to ${to}: Castproof`;
  const shown = values ?? usual(from, to);
  const nodes = [askedOf(from, to, shown), make("h1", {}, `${from} → ${to}`),
    paragraph("A row is a group of specifications that agree on all of these. ", link(toFormat(from), from), " · ", link(toFormat(to), to)),
    tableOf(from, to, shown),
    ...lineOf(from, to, (part) => { location.hash = toPair(from, to, values, part); }, range), faultsOf(from, to), changesOf(from, to)];
  return nodes.filter((it): it is HTMLElement => Boolean(it));
}

// The whole number line, of casts between numbers.
function lineOf(from: string, to: string, go: (range: string) => void, range: string): Child[] {
  if ([from, to].includes("string") || from === "bool") return [];
  const pieces = ask("pieces", from, to);
  return [heading(`All of ${from}`), paragraph("A row is a group of specifications with the same results everywhere. A colour is a kind of result; " +
    "what it is stands in the tooltip. A click looks up the first element of a piece, a double click zooms in."), figureOf(pieces, range, go)];
}

// What is asked: two dtypes, and values with commas between. Another source has other values.
function askedOf(from: string, to: string, values: string[]): HTMLElement {
  const go = (address: string): void => { location.hash = address; };
  const text = make("input", { id: "values", value: values.join(","), spellcheck: "false", autocomplete: "off" });
  const goThere = (): void => go(toPair(from, to, text.value.split(",").map((it) => it.trim()).filter(Boolean)));
  text.addEventListener("change", goThere);
  text.addEventListener("keydown", (event) => { if (event.key === "Enter") goThere(); });
  return make("div", { class: "asked" },
    make("label", {}, "from", chosenName("from", from, (name) => go(toPair(name, to)))),
    make("label", {}, "values", text),
    make("label", {}, "to", chosenName("to", to, (name) => go(toPair(from, name)))));
}

// The results of some elements: those on which the rows differ as a table, the others in a line above it.
function tableOf(from: string, to: string, values: string[]): HTMLElement {
  const pair = ask("pair", from, to, ...values);
  const [first] = pair.rows;
  if (first === undefined) return paragraph("No specification casts this.");
  const places = values.map((_, at) => at);
  const differs = (at: number): boolean => pair.rows.some((row) => row.results[at]!.said !== first.results[at]!.said);
  const shown = places.filter(differs), agreed = places.filter((at) => !differs(at));
  const headed = (at: number): HTMLElement => link(toElement(from, values[at]!, to), values[at]!);
  const cell = (result: Result, at: number): HTMLElement => make("td", { class: `is-${result.kind.replace(" ", "-")}`, "data-name": values[at],
    title: `${result.rule}: ${pair.rules[result.rule]![0]}` }, ...shortResult(result));
  const rows = pair.rows.map((row) => make("tr", {},
    make("th", { scope: "row" }, ...row.by.map(giverOf)), ...shown.map((at) => cell(row.results[at]!, at))));
  const table = make("table", { class: "results", "data-pair": `${from}:${to}` },
    make("thead", {}, make("tr", {}, make("th", {}, "specification"), ...shown.map((at) => make("th", {}, headed(at))))), make("tbody", {}, ...rows));
  const said = agreed.map((at) => make("span", { class: "agreed" }, headed(at), ": ", ...shortResult(first.results[at]!)));
  const all = pair.rows.length === 1 ? "All that cast it give: " : "All agree: ";
  return make("div", {}, said.length > 0 && make("p", {}, all, ...said), make("div", { class: "scroll" }, table));
}

// `0x7e (448)` as 448 with the code after it.
function shortResult(result: Result): Child[] {
  const codes = result.codes.flatMap((it, at) => [at > 0 && " or ", make("b", {}, it.value), " ", code(it.hex)]);
  const said: Child[] = codes.length > 0 ? codes : [result.kind === "text" ? result.said : result.kind];
  return result.tolerated === null ? said : [...said, soft(` or, tolerated, ${result.tolerated}`)];
}
