// Two casts in a row: may the dtype between be dropped? And all chains, by the dtype between.

interface Way { kind: string; hex: string; value: string; between: Result; end: Result | null; direct: Result }
interface ChainAnswer {
  dtypes: [string, string, string]; by: string; specs: string[]; differ: string; open: string; all: string; ways: Way[]; rules: Rules;
}

// The atlas: for every three dtypes a bit, which is 1 if the one between can be dropped.
declare const ATLAS: { spec: string; dtypes: string[]; bits: string };

const toChain = (dtypes: string[], values: string[] = [], by = ""): string =>
  ["#chain", ...dtypes, ...(values.length > 0 || by ? [listed(values)] : []), ...(by ? [by] : [])].join("/");
const toChains = (between: string): string => `#chains/${between}`;

let atlasBytes: string | undefined;

function droppable(a: string, b: string, c: string): boolean {
  atlasBytes ??= atob(ATLAS.bits);
  const [i, j, k] = [a, b, c].map((name) => ATLAS.dtypes.indexOf(name));
  const at = (i! * ATLAS.dtypes.length + j!) * ATLAS.dtypes.length + k!;
  return ((atlasBytes.charCodeAt(at >> 3) >> (at & 7)) & 1) === 1;
}

const grouped = (count: string): string => BigInt(count).toLocaleString("en");

function showChain(dtypes: string[], values: string[], by: string): Node[] {
  const answer = ask("chain", ...dtypes, by, values.join("\n"));
  const [a, b, c] = answer.dtypes;
  document.title = `${a} to ${b} to ${c}: Castproof`;
  const same = answer.differ === "0", identity = a === c;
  const verdict = same ? (identity ? "Both casts can be dropped" : `${b} can be dropped`) : (identity ? "The casts cannot be dropped" : `${b} cannot be dropped`);
  const direct = identity ? `${a} as it is` : `${a} → ${c}`;
  const counted = same ? `Of ${grouped(answer.all)} codes none differs from ${direct}.` : `${grouped(answer.differ)} of ${grouped(answer.all)} codes differ from ${direct}.`;
  const open = answer.open === "0" ? "" : ` Of ${grouped(answer.open)} the casts leave the result open, so the direct one cannot be wrong there.`;
  const plain = answer.by === ATLAS.spec;
  const profile = plain ? "" : answer.by.startsWith("onnx-cast-") ? ` --opset ${answer.by.slice("onnx-cast-".length)}` : ` --profile ${answer.by}`;
  const others = plain ? ATLAS.dtypes.filter((it) => ![a, b, c].includes(it) && droppable(a, it, c)) : [];
  return [askedOfChain(answer, values),
    make("h1", {}, `${a} → ${b} → ${c}`),
    make("section", { class: "answer first", "data-differ": answer.differ, "data-open": answer.open },
      make("h2", {}, make("span", { class: "result" }, verdict)), paragraph(counted + open),
      paragraph(soft(`By ${answer.by}, without attributes. The count is exact: it is of every code.`))),
    answer.ways.length > 0 && waysOf(answer),
    ...statementsOf(answer.ways.flatMap(({ between, end, direct: last }) => [between.rule, ...(end ? [end.rule] : []), last.rule]), answer.rules),
    plain && make("p", { class: "casts" }, soft(`Between ${a} and ${c} these can be dropped, too:`),
      ...(others.length > 0 ? others.map((it) => link(toChain([a, it, c]), it)) : ["none"])),
    paragraph(link(toChains(b), `All chains with ${b} between`), " · ", link(toPair(a, c), `${a} → ${c}`)),
    heading("Take it along"),
    commandOf(`castproof chain${profile} ${a} ${b} ${c}${values.map((it) => ` ${quoted(it)}`).join("")}`),
  ].filter((it): it is HTMLElement => Boolean(it));
}

function askedOfChain(answer: { dtypes: [string, string, string]; by: string; specs: string[] }, values: string[]): HTMLElement {
  const { dtypes, by, specs } = answer;
  const go = (at: number, name: string): void => {
    location.hash = toChain(dtypes.map((it, index) => (index === at ? name : it)), at === 0 ? [] : values, by === ATLAS.spec ? "" : by);
  };
  const numbers = field("input", "values", values.join(","), () => { location.hash = toChain(dtypes, pasted(numbers.value), by === ATLAS.spec ? "" : by); });
  const choose = (id: string, at: number): HTMLElement => chosenName(id, dtypes[at]!, (name) => go(at, name), ATLAS.dtypes);
  return make("div", { class: "asked" },
    make("label", {}, "from", choose("from", 0)), make("label", {}, "values, to see their steps", numbers),
    make("label", {}, "between", choose("between", 1)), make("label", {}, "to", choose("to", 2)),
    make("label", {}, "by", chosenName("by", by, (name) => { location.hash = toChain(dtypes, values, name === ATLAS.spec ? "" : name); }, specs)));
}

function waysOf({ dtypes, ways }: ChainAnswer): HTMLElement {
  const [a, b, c] = dtypes;
  const NAMED: Record<string, string> = { positive: "the smallest that differs", negative: "the smallest negative one", asked: "asked" };
  const cell = (name: string, result: Result | null): HTMLElement => make("td", { "data-name": name }, ...(result ? shortResult(result) : ["open"]));
  const rows = ways.map((way) => {
    const { kind, hex, value, between, end, direct } = way;
    // Where the casts leave the result open, the direct one is not wrong.
    const differs = kind !== "asked" || (end !== null && end.kind !== "open" && end.said !== direct.said);
    return make("tr", { "data-kind": kind }, make("th", { scope: "row" }, soft(`${NAMED[kind]} `), make("b", {}, value), " ", code(hex)),
      cell(b, between), cell(c, end), make("td", { "data-name": "directly", class: differs ? "differs" : null }, differs && "≠ ", ...shortResult(direct)));
  });
  const head = [a, b, c, a === c ? "as it is" : "directly"].map((it) => make("th", { scope: "col" }, it));
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Steps" },
    make("table", { class: "results" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)));
}

// The atlas: rows are the first dtype, columns the last.
function showChains(between: string): Node[] {
  const all = ATLAS.dtypes;
  const b = between === "" ? "float32" : between;
  if (!all.includes(b)) throw new Problem(`'${b}' is no numeric dtype; one is float32`);
  document.title = `Chains through ${b}: Castproof`;
  const cell = (a: string, c: string): HTMLElement => {
    const same = droppable(a, b, c);
    const said = `${a} to ${b} to ${c}: ${same ? "can be dropped" : "differs"}`;
    const answer = link(toChain([a, b, c]), same ? "=" : "≠");
    set(answer, { class: same ? "pass" : "fail", "aria-label": said, title: said, tabindex: a === all[0] && c === all[0] ? 0 : -1 });
    return make("td", {}, answer);
  };
  const head = make("tr", {}, make("td", {}), ...all.map((it) => make("th", { scope: "col" }, it)));
  const body = make("tbody", {}, ...all.map((a) => make("tr", {}, make("th", { scope: "row" }, a), ...all.map((c) => cell(a, c)))));
  body.addEventListener("keydown", amongCells);
  const dropped = all.flatMap((a) => all.filter((c) => droppable(a, b, c))).length;
  return [make("div", { class: "asked" }, make("label", {}, "between", chosenName("between", b, (name) => { location.hash = toChains(name); }, all))),
    make("h1", {}, `Which casts through ${b} can be dropped`),
    paragraph("Rows are the first dtype, columns the last. ", make("span", { class: "pass sign-of" }, "="), " the dtype between can be dropped; ",
      make("span", { class: "fail sign-of" }, "≠"), " some code differs. Each answer holds for all codes."),
    paragraph(soft(`${b} can be dropped from ${dropped} of ${all.length ** 2} chains, by ${ATLAS.spec} without attributes.`)),
    make("div", { class: "scroll" }, make("table", { class: "matrix", id: "matrix" }, make("thead", {}, head), body))];
}

// The cells are one stop of the Tab key; arrow keys move among them.
function amongCells(event: KeyboardEvent): void {
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  const cell = (event.target as Element).closest("td");
  if (!step || !cell) return;
  event.preventDefault();
  const row = cell.parentElement as HTMLTableRowElement, table = row.closest("table")!;
  const next = table.rows[row.rowIndex + step[0]!]?.cells[cell.cellIndex + step[1]!]?.querySelector("a");
  if (!next) return;
  (event.target as HTMLElement).tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

// Three dtypes of the search box are a chain.
const chainOf = ({ dtypes, values, formats, rules, rest }: Found): string | null => {
  const left = rest.filter((it) => !["chain", "drop", "dropped"].includes(it.toLowerCase()));
  const isChain = dtypes.length === 3 && left.length + formats.length + rules.length === 0;
  return isChain ? toChain(dtypes, values) : null;
};
