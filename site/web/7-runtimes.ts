// Runtimes, and the faults that were found in their releases: docs/bugs.md as data, read when the page is built.

type Part = string | { code: string } | { link: string; to: string };
interface Fault { asked: Part[]; got: Part[]; expected: Part[]; rule: Part[]; reported?: Part[]; cast?: [string, string, string] }
interface Runtime { name: string; said: Part[]; faults: Fault[] }
interface Example { from: string; to: string; input: string; rule: string; said: string }
interface Change {
  version: string; kind: "broken" | "mended" | "wrong" | "open" | "new" | "gone"; from: string[]; to: string[];
  attributes?: { saturate?: number; roundMode?: string }[]; codes: number; of: number; example?: Example;
}
interface Version { version: string; testee: string; pairs: number; codes: number; wrong: number; wrongPairs: number }
interface History { adapter: string; versions: Version[]; changes: Change[] }
interface Faults {
  answers: Answers; histories: History[]; runtimes: Runtime[];
  gone: { project: Part[]; fault: Part[]; "stood in": Part[]; "gone in": Part[] }[];
}

declare const FAULTS: Faults;

const slugOf = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
const toRuntime = (name: string): string => `#runtime/${slugOf(name)}`;

const said = (parts: Part[]): Child[] => parts.map((part) =>
  typeof part === "string" ? part : "code" in part ? code(part.code) : link(part.to, part.link));

// What was asked leads to what is due.
const askedFor = ({ asked, cast }: Fault): Child[] =>
  cast ? [...said(asked), " ", make("a", { href: toElement(...cast), "aria-label": `look up ${cast.join(" ")}` }, "look up")] : said(asked);

function tableOfFaults(faults: Fault[], before?: (at: number) => Child): HTMLElement {
  const head = [...(before ? ["runtime"] : []), "asked", "got", "expected", "rule", "reported"];
  const cell = (name: string, ...children: Child[]): HTMLElement => make("td", { "data-name": name }, ...children);
  const rows = faults.map((fault, at) => make("tr", {}, before && cell("runtime", before(at)), cell("asked", ...askedFor(fault)),
    cell("got", ...said(fault.got)), cell("expected", ...said(fault.expected)), cell("rule", ...said(fault.rule)),
    cell("reported", ...said(fault.reported ?? []))));
  return tableWith("faults", head, rows);
}

function tableWith(kind: string, heads: string[], rows: HTMLElement[]): HTMLElement {
  return make("div", { class: "scroll" }, make("table", { class: `results ${kind}` },
    make("thead", {}, make("tr", {}, ...heads.map((it) => make("th", {}, it)))), make("tbody", {}, ...rows)));
}

function showRuntimes(): Node[] {
  document.title = "Runtimes: Castproof";
  const rows = FAULTS.runtimes.map(({ name, said: text, faults }) => make("tr", {},
    make("th", { scope: "row" }, link(toRuntime(name), name)), make("td", { "data-name": "faults" }, String(faults.length)),
    make("td", { "data-name": "versions" }, ...said(text))));
  const gone = FAULTS.gone.map((it) => make("li", {}, ...said(it.project), ": ", ...said(it.fault), `; stood in `, ...said(it["stood in"]),
    ", gone in ", ...said(it["gone in"])));
  return [make("h1", {}, "Faults found in released runtimes"),
    paragraph("Of each the input, what came back, what is due, and the rule. They were reviewed by hand; what a project chose on purpose is none."),
    make("table", { class: "results" }, make("thead", {}, make("tr", {}, ...["runtime", "faults", "versions"].map((it) => make("th", {}, it)))),
      make("tbody", {}, ...rows)),
    paragraph(link("comparison.html", "Sixteen implementations side by side"), soft(": each pair of dtypes, version and suite, with every finding.")),
    heading("What changed from version to version"),
    make("p", { class: "casts" }, ...FAULTS.histories.map(({ adapter }) => link(toHistory(adapter), adapter))),
    heading("Gone in a newer version"), make("ul", { class: "list" }, ...gone)];
}

function showRuntime(slug: string): Node[] {
  const runtime = FAULTS.runtimes.find((it) => slugOf(it.name) === slug);
  if (!runtime) throw new Problem(`there is no runtime '${slug}'`);
  document.title = `${runtime.name}: Castproof`;
  return [make("h1", {}, runtime.name), make("p", {}, ...said(runtime.said)), tableOfFaults(runtime.faults),
    paragraph(link("#runtimes", "All runtimes"))];
}

const toHistory = (adapter: string): string => `#history/${adapter}`;

const CHANGES = {
  broken: "wrong since", mended: "right since", wrong: "wrong in another way", open: "both are allowed", new: "new", gone: "refused since",
};

// What a version changed, as the cells of a row.
function changed({ kind, from, to, attributes, codes, of, example }: Change): HTMLElement[] {
  const whole = codes === 0 && from.join() === to.join();
  const written = (given: object): string =>
    Object.entries(given).map(([name, value]) => `${name}=${value}`).join(" ") || "no attributes";
  const only = (attributes ?? []).map(written).join(" or ");
  const given = only === "" || only === "no attributes" ? "" : `; ${only}`;
  const casts = whole ? `from and to ${from.join(", ")}` : `${from.join(", ")} → ${to.join(", ")}${given}`;
  const what = codes === 0 ? CHANGES[kind] : `${CHANGES[kind]}: ${codes.toLocaleString("en")} of ${of.toLocaleString("en")} codes`;
  const shown = example && [example.said, " (", link(toRule(example.rule), example.rule), ") ",
    make("a", { href: toElement(example.from, example.input, example.to), "aria-label": `look up ${example.from} ${example.input}` }, "look up")];
  const cell = (name: string, ...children: Child[]): HTMLElement => make("td", { "data-name": name }, ...children);
  return [cell("casts", casts), cell("what changed", what), cell("example", ...(shown ?? []))];
}

function showHistory(adapter: string): Node[] {
  const history = FAULTS.histories.find((it) => it.adapter === adapter);
  if (!history) throw new Problem(`there is no history of '${adapter}'`);
  document.title = `${adapter} by version: Castproof`;
  const number = (count: number): string => count.toLocaleString("en");
  const versions = history.versions.map((it) => make("tr", {}, make("th", { scope: "row" }, it.version),
    ...Object.entries({ "asked as": it.testee, pairs: number(it.pairs), codes: number(it.codes),
      wrong: it.wrong === 0 ? "none" : `${number(it.wrong)} of ${it.wrongPairs} ${it.wrongPairs === 1 ? "pair" : "pairs"}` })
      .map(([name, text]) => make("td", { "data-name": name }, text))));
  const rows = history.changes.map((it) => make("tr", {}, make("th", { scope: "row" }, it.version), ...changed(it)));
  return [make("h1", {}, `${adapter} by version`),
    paragraph("Every version was asked for the vectors of ONNX Cast. A wrong result is one that ONNX rules out."),
    tableWith("changes", ["version", "asked as", "pairs", "codes", "wrong"], versions), heading("What changed"),
    rows.length === 0 ? paragraph("No answer changed.") : tableWith("changes", ["version", "casts", "what changed", "example"], rows),
    paragraph(link("#runtimes", "All runtimes"))];
}

// The changes of a pair of dtypes in runtimes, folded.
function changesOf(from: string, to: string): HTMLElement | null {
  const of = ({ from: sources, to: targets, example }: Change): boolean => !!example && sources.includes(from) && targets.includes(to);
  const found = FAULTS.histories.flatMap(({ adapter, changes }) => changes.filter(of).map((change) => ({ adapter, change })));
  if (found.length === 0) return null;
  const rows = found.map(({ adapter, change }) =>
    make("tr", {}, make("th", { scope: "row" }, link(toHistory(adapter), `${adapter} ${change.version}`)), ...changed(change)));
  return make("details", {}, make("summary", {}, `Runtimes that changed ${from} → ${to}: ${found.length}`),
    tableWith("changes", ["runtime", "casts", "what changed", "example"], rows));
}

// The faults of a pair of dtypes, with their runtimes, folded: the answer is what the page is for.
function faultsOf(from: string, to: string): HTMLElement | null {
  const found = FAULTS.runtimes.flatMap(({ name, faults }) =>
    faults.filter(({ cast }) => cast && cast[0] === from && cast[2] === to).map((fault) => ({ name, fault })));
  if (found.length === 0) return null;
  return make("details", {}, make("summary", {}, `Released runtimes with faults in ${from} → ${to}: ${found.length}`),
    tableOfFaults(found.map((it) => it.fault), (at) => link(toRuntime(found[at]!.name), found[at]!.name)));
}

// The runtimes whose names have these words.
const runtimesWith = (words: string[]): Runtime[] => {
  const letters = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, "");
  return words.length === 0 ? [] : FAULTS.runtimes.filter(({ name }) => words.every((it) => letters(name).includes(letters(it) || " ")));
};
