// One element: the answer first and large, then why.

function showElement(from: string, value: string, to: string): Node[] {
  const answer = ask("element", from, to, value);
  document.title = `${from} ${value} to ${to}: Castproof`;
  const cast = answer.rows.filter((row) => row.kind !== "refused");
  const refused = answer.rows.filter((row) => row.kind === "refused");
  const { line, wrong } = answer;
  return [
    chooser(answer.from, value, answer.to, answer),
    elementOf(answer),
    jumps(answer),
    answer.input?.rounded && paragraph(soft(`${from} does not hold ${value}; the nearest that it holds is ${answer.input.exact}.`)),
    make("div", { id: "answers" }, ...cast.map((row, index) => card(answer, row, index === 0))),
    refused.length > 0 && refusals(answer, refused, cast.length === 0),
    line && heading(`Where it stands in ${to}`),
    line && place(answer, line),
    answer.input && givenBy(answer.from, answer.input.hex, answer.to),
    wrong.length > 0 && heading("What wrong methods give instead"),
    wrong.length > 0 && methods(answer),
    faultsOf(answer.from, answer.to),
    changesOf(answer.from, answer.to),
    heading("Take it along"),
    ...takeAlong(answer, value),
  ].filter((it): it is HTMLElement => Boolean(it));
}

// What is asked: source, value, target; of an element that was read also the codes beside it.
function chooser(from: string, value: string, to: string, answer?: Answer): HTMLElement {
  const input = answer?.input;
  const go = (source: string, text: string, target: string): void => { location.hash = toElement(source, text, target); };
  const label = "value: a number, or a code like 0x43e80000";
  const text = make("input", { id: "value", value, "aria-label": label, spellcheck: "false", autocomplete: "off" });
  text.addEventListener("change", () => go(from, text.value, to));
  text.addEventListener("keydown", (event) => { if (event.key === "Enter") go(from, text.value, to); });
  // A code of one dtype is none of another; its number may be.
  const source = chosenName("from", from, (name) => go(name, input?.exact ?? input?.value ?? value, to));
  const target = chosenName("to", to, (name) => go(from, value, name));
  const button = (id: string, label: string, sign: string, act: () => void): HTMLElement =>
    make("button", { id, class: "plain", type: "button", "aria-label": label, title: label, onclick: act }, sign);
  return make("div", { class: "asked" },
    make("label", {}, "from", source),
    make("label", {}, "value", text),
    input && make("span", { class: "steps" },
      button("previous", "previous code (arrow left)", "◂", () => go(from, input.previous, to)),
      button("next", "next code (arrow right)", "▸", () => go(from, input.next, to))),
    make("label", {}, "to", target),
    button("swap", "the other way round", "⇄", () => go(to, (answer && firstCode(answer)) ?? value, from)));
}

// The element, and its bits to click.
function elementOf({ from, to, input, said }: Answer): HTMLElement {
  const title = make("h1", {}, `${input?.value ?? said} `, soft(input?.hex ?? ""), ` ${from} → ${to}`);
  if (input === null) return make("section", { "aria-label": "What is cast" }, title);
  const flip = (index: number): void => {
    const bits = [...input.bits].map((bit, at) => (at === index ? String(1 - Number(bit)) : bit)).join("");
    focused = index;
    location.hash = toElement(from, "0x" + BigInt("0b" + bits).toString(16).padStart(input.hex.length - 2, "0"), to);
  };
  return make("section", { "aria-label": "What is cast" }, title, bitsOf(input.bits, input.fields, flip), legend(input.fields));
}

// Buttons to elements that are worth a look: the next tie, the next piece of the newest specification, and codes with names.
function jumps({ from, to, input }: Answer): HTMLElement | null {
  if (input === null) return null;
  const go = (hex: string | null): void => { if (hex !== null) location.hash = toElement(from, hex, to); };
  const isLine = from !== "bool" && to !== "string";
  const button = (id: string, label: string, find: () => string | null): HTMLElement => {
    const made = make("button", { id, class: "plain", type: "button" }, label);
    // What there is not is said when it is asked for, since some of it takes long to find.
    made.addEventListener("click", () => {
      const found = find();
      go(found);
      made.disabled = found === null;
    });
    return made;
  };
  const tie = (way: string): string | null => ask("tie", from, to, input.hex, way).hex;
  const named = ask("landmarks", from);
  const select = make("select", { id: "special" }, make("option", { value: "" }, "a special value"), ...named.map((it) => make("option", { value: it.hex }, it.name)));
  select.addEventListener("change", () => go(select.value || null));
  return make("p", { class: "jumps" }, soft("Go to"),
    isLine && button("tie-below", "◂ tie", () => tie("down")), isLine && button("tie-above", "tie ▸", () => tie("up")),
    isLine && button("piece-below", "◂ piece", () => nextPiece(from, to, input, false)), isLine && button("piece-above", "piece ▸", () => nextPiece(from, to, input, true)),
    make("label", {}, make("span", { class: "hidden" }, "a special value"), select));
}

// The first code of the next piece above an element, or the last code of the one below it; null: there is none.
function nextPiece(from: string, to: string, input: Input, up: boolean): string | null {
  const pieces = ask("pieces", from, to), at = ordinalOf(input, pieces);
  const ends = (pieces.rows[0]?.segments ?? []).flatMap(({ first, last }) => (first.ordinal === null || last.ordinal === null ? []
    : first.ordinal <= last.ordinal ? [{ low: first, high: last }] : [{ low: last, high: first }]));
  const ahead = ends.map(({ low, high }) => (up ? low : high)).filter((it) => (up ? it.ordinal! > at : it.ordinal! < at));
  ahead.sort((a, b) => (up ? a.ordinal! - b.ordinal! : b.ordinal! - a.ordinal!));
  return ahead[0]?.hex ?? null;
}

// An element that cannot be read: what is asked, to be put right.
function showAsked(from: string, value: string, to: string): Node[] {
  const known = names().dtypes;
  return known.includes(from) && known.includes(to) ? [chooser(from, value, to)] : [];
}

// The bit that was flipped keeps the focus.
let focused: number | null = null;

const firstCode = (answer: Answer): string | null => answer.rows[0]?.codes[0]?.hex ?? null;

function chosenName(id: string, chosen: string, choose: (name: string) => void, all = names().dtypes): HTMLSelectElement {
  const options = all.map((name) => make("option", { value: name, selected: name === chosen }, name));
  const select = make("select", { id }, ...options);
  select.addEventListener("change", () => choose(select.value));
  return select;
}

let known: Names | undefined;
const names = (): Names => (known ??= ask("names"));

const KINDS: Record<Kind, string> = {
  "code": "", "text": "", "one of": "any of these is right", "any NaN": "with any sign and payload",
  "any quiet NaN": "the highest bit of the significand is set; with any sign and payload",
  "open": "the specification leaves it open", "refused": "this is not cast",
};

// More reasons than these are folded, so that all results are seen at once.
const SHOWN_REASONS = 4;

// A result, and who gives it by which rules.
function card(answer: Answer, row: Row, first: boolean): HTMLElement {
  const results = row.codes.map((it) => make("span", { class: "result" }, it.value, " ", code(it.hex)));
  const said = { "open": "open", "any NaN": "NaN", "any quiet NaN": "quiet NaN", "text": row.said }[row.kind as string];
  const reasons = reasonsOf(row, answer.rules);
  return make("section", { class: first ? "answer first" : "answer", "data-said": row.said, "data-by": byOf(row) },
    make("h2", {}, ...(said === undefined ? results : [make("span", { class: "result" }, said)])),
    KINDS[row.kind] !== "" && paragraph(soft(KINDS[row.kind])),
    row.tolerated !== null && paragraph(soft(`tolerated beside it: ${row.tolerated}`)),
    make("p", { class: "givers" }, ...row.by.map(giverOf)),
    make("details", { class: "why", open: reasons.length <= SHOWN_REASONS }, make("summary", {}, "Why: ", soft(idsOf(row))), ...reasons));
}

const byOf = (row: Row): string => row.by.map((it) => it.name).join("; ");
const idsOf = (row: Row): string => [...new Set(row.by.flatMap((it) => it.rules))].join(", ");

// A statement stands once, with the rules that make it and who follows them.
function reasonsOf(row: Row, rules: Rules): HTMLElement[] {
  const statements = new Map<string, { ids: Set<string>; by: Set<string> }>();
  for (const { name, rules: ids } of row.by) {
    for (const id of ids) {
      const [statement, basis] = rules[id]!;
      const said = `${statement} (${basis})`;
      const group = statements.get(said) ?? { ids: new Set(), by: new Set() };
      group.ids.add(id);
      group.by.add(name);
      statements.set(said, group);
    }
  }
  return [...statements].map(([said, { ids, by }]) => make("p", { class: "rule" },
    make("b", {}, ...[...ids].flatMap((id, at) => [at > 0 && ", ", link(toRule(id), id)])), " ", said,
    statements.size > 1 && soft(` ${[...by].join(", ")}`)));
}

// A rule: what it says, where it was read and where it holds.
function showRule(id: string): Node[] {
  const rule = ask("rule", id);
  document.title = `${rule.name}: Castproof`;
  const rows: [string, Child][] = [["basis", rule.basis], ["source", rule.source], ["holds in", rule.specs.join("; ")]];
  if (rule.notShown !== null) rows.push(["no vector", rule.notShown]);
  return [make("h1", {}, `Rule ${rule.name}`), make("p", { class: "statement" }, rule.statement), facts(rows)];
}

const giverOf = ({ name, title }: { name: string; title: string | null }): HTMLElement =>
  make("span", { class: "giver" }, name, title !== null && soft(` ${title}`));

function refusals(answer: Answer, rows: Row[], open: boolean): HTMLElement {
  const all = rows.map((row) => make("div", { "data-said": row.said, "data-by": byOf(row) },
    make("p", { class: "givers" }, ...row.by.map(giverOf)), ...reasonsOf(row, answer.rules)));
  const count = rows.flatMap((row) => row.by).length;
  return make("details", { id: "refused", open }, make("summary", {}, `Refused by ${count}: they do not cast this`), ...all);
}

// The number line: the numbers of the target on both sides, the tie between them, and the element.
function place(answer: Answer, line: Line): HTMLElement {
  const { to } = answer;
  if (line.exact) {
    const { value, hex } = line.exact;
    return paragraph(`${to} holds it exactly: `, link(toElement(to, hex, answer.from), value, " ", code(hex)), ".");
  }
  const at = line.place === null ? (line.nearer === "below" ? -60 : 1060) : line.place;
  const x = 70 + (at * 260) / 1000;
  const tick = (place: number, look: string): SVGElement => drawn("line", { x1: place, x2: place, y1: 14, y2: 42, class: look });
  const picture = drawn("svg", { viewBox: "0 0 400 56", role: "img", "aria-label": positionOf(line) },
    drawn("line", { x1: 8, x2: 392, y1: 28, y2: 28, class: "axis" }),
    tick(70, line.below.hex === null ? "absent" : "number"), tick(200, "tie"), tick(330, line.above.hex === null ? "absent" : "number"),
    drawn("circle", { cx: x, cy: 28, r: 7, class: "here" }));
  const side = (name: string, point: Point): HTMLElement => make("div", { class: name }, make("b", {}, point.value),
    point.hex === null ? soft(`${to} does not have it`) : code(point.hex));
  return make("figure", { class: "line" }, picture,
    make("div", { class: "ends" }, side("below", line.below),
      make("div", { class: "middle" }, make("b", {}, line.tie), soft("the tie")), side("above", line.above)),
    make("figcaption", {}, positionOf(line)));
}

function positionOf(line: Line): string {
  if (line.place === null) {
    const end = line.nearer === "below" ? line.below : line.above;
    return `${line.value} is out of range: beyond ${end.value}.`;
  }
  return line.nearer === "tie" ? `${line.value} is the tie between ${line.below.value} and ${line.above.value}.`
    : `${line.value} is nearer to ${line[line.nearer].value}, the one ${line.nearer}.`;
}

function methods(answer: Answer): HTMLElement {
  const rows = answer.wrong.map((it) => make("tr", {},
    make("td", { "data-name": "method" }, it.method), make("td", { "data-name": "gives" }, it.said)));
  return make("table", { class: "wide", id: "methods" }, make("caption", {}, `Instead of what ${answer.of} asks for.`),
    make("thead", {}, make("tr", {}, make("th", {}, "method"), make("th", {}, "gives"))), make("tbody", {}, ...rows));
}

// What a person takes along: the command, one line of each package, and a test in each language that needs no package.
function takeAlong(answer: Answer, value: string): HTMLElement[] {
  const { from, to, input } = answer;
  const held = input?.rounded ? input.hex : value;
  const quoted = /^[A-Za-z0-9.+-]+$/.test(held) ? held : `'${held.replaceAll("'", "'\\''")}'`;
  const texts: [string, string][] = [["Command", `castproof expect ${from} ${quoted} ${to} --all`]];
  // The packages have no strings.
  if (from !== "string" && to !== "string") {
    texts.push(["Python", `castproof.expect([${JSON.stringify(held)}], "${from}", "${to}")`],
      ["JavaScript", `expect([${JSON.stringify(held)}], "${from}", "${to}")`], ...testsOf(answer, held));
  }
  texts.push(["JSON, an object for each result", answer.json.trimEnd()]);
  return texts.map(([name, text]) => make("div", { class: "take" },
    make("span", {}, name), make("pre", { tabindex: 0 }, text), copier(text)));
}

// The last version of a name such as `Cast-19 to Cast-28`; 0: it is no version of ONNX Cast without attributes.
const lastVersion = (name: string): number => Number(/^Cast-(?:\d+ to Cast-)?(\d+)$/.exec(name)?.[1] ?? 0);

// Tests of a kernel `cast` that takes and gives codes, where the newest version of ONNX allows some codes alone.
function testsOf(answer: Answer, held: string): [string, string][] {
  const { from, to, input, rows } = answer;
  const newest = (row: Row): number => Math.max(...row.by.map(({ name }) => lastVersion(name)));
  const row = rows.reduce<Row | null>((best, it) => (newest(it) > (best ? newest(best) : 0) ? it : best), null);
  if (!input || !row || row.codes.length === 0 || row.codes.length > 4 || row.kind === "any NaN" || row.kind === "any quiet NaN") return [];
  const codes = row.codes.map(({ hex }) => hex);
  const said = `${from} ${held} to ${to}: ${row.codes.map((it) => it.value).join(" or ")} (${idsOf(row)})`;
  const any = (one: (hex: string) => string, or: string): string => codes.map(one).join(or);
  const name = `${from}_${held}_to_${to}`.replace(/[^a-z0-9]+/gi, "_");
  return [
    ["pytest", `def test_${name}():\n    assert cast(${input.hex}) in (${any((hex) => `${hex},`, " ")})  # ${said}`],
    ["Rust", `#[test]\nfn ${name.toLowerCase()}() {\n    assert!(matches!(cast(${input.hex}), ${any((hex) => hex, " | ")})); // ${said}\n}`],
    ["C", `uint64_t got = cast(${input.hex}u); /* ${said} */\nassert(${any((hex) => `got == ${hex}u`, " || ")});`],
  ];
}
