// A cast as pieces: the number line of the source, a row for each group of specifications with the same results everywhere.

interface Spot { hex: string; value: string; ordinal: number | null }
interface Segment { first: Spot; last: Spot; kind: string; rules: string[]; said: string | null }
interface PiecesRow { by: { name: string; title: string | null }[]; segments: Segment[] }
interface Pieces { from: string; to: string; kinds: string[]; ends: Spot[]; rows: PiecesRow[]; differ: [Spot, Spot][]; rules: Rules }

// What each kind means.
const MEANS: Record<string, string> = {
  "exact": "the same number", "rounded": "a number beside it", "saturates": "the end of the range", "infinity": "an infinity", "NaN": "NaN",
  "replaced": "another number, such as zero or one of NaN", "wraps": "an integer of the low bits, or another one", "one of several": "one of several results",
  "refused": "not cast, or a trap", "open": "the specification leaves it open",
};

// Places on the line: -1 or 0 to 1. Those of floats are their codes, which is a logarithmic scale; those of integers are logarithms.
interface Scale { place(ordinal: number): number; code(place: number): string; ends: [number, number] }

function scaleOf({ from, ends }: Pieces): Scale {
  const bits = BigInt(ask("format", from).dtype!.bits), isOfFloats = isFloat(from);
  const all = ends.map((it) => it.ordinal!), largest = Math.max(...all), smallest = Math.min(...all);
  const most = Math.max(largest, -smallest);
  const place = (ordinal: number): number =>
    isOfFloats ? ordinal / most : Math.sign(ordinal) * Math.log2(1 + Math.abs(ordinal)) / Math.log2(1 + most);
  const ordinalOf = (at: number): number => (isOfFloats ? at * most : Math.sign(at) * (2 ** (Math.abs(at) * Math.log2(1 + most)) - 1));
  const code = (at: number): string => {
    const end = ends.find((it) => it.ordinal === (at >= place(largest) ? largest : at <= place(smallest) ? smallest : null));
    if (end) return end.hex;
    const ordinal = BigInt(Math.round(ordinalOf(at)));
    const number = ordinal >= 0n ? ordinal : isOfFloats ? -ordinal | (1n << (bits - 1n)) : ordinal & ((1n << bits) - 1n);
    return "0x" + number.toString(16).padStart(Math.ceil(Number(bits) / 4), "0");
  };
  return { place, code, ends: [place(smallest), place(largest)] };
}

// The part of the line that is shown, from one place to another.
type LinePart = [number, number];

// Reads `0x4e000000:0x50000000`, of which the first is the smaller number.
function rangeAt(text: string, pieces: Pieces, scale: Scale): LinePart {
  const placed = text.split(":").map((hex) => {
    const input = ask("element", pieces.from, pieces.to, hex).input;
    return input === null ? NaN : scale.place(ordinalOf(input, pieces));
  });
  const [low, high] = placed;
  if (placed.length !== 2 || !(low! < high!)) throw new Problem(`${text} is no part of the line; write two codes, the smaller first: 0x4e000000:0x50000000`);
  return [low!, high!];
}

// Only floats have an exponent.
const isFloat = (dtype: string): boolean => ask("format", dtype).fields[1] > 0;

// The place of a code among the numbers of its dtype.
function ordinalOf({ bits, hex }: Input, { from, ends }: Pieces): number {
  const number = BigInt(hex), sign = 1n << BigInt(bits.length - 1);
  // Of an unsigned dtype there is one run of numbers, with two ends.
  if (ends.length === 2 || (number & sign) === 0n) return Number(number);
  return Number(isFloat(from) ? -(number ^ sign) : number - (sign << 1n));
}

const WIDTH = 1000;

// The figure, and what moves its part of the line. `go` takes the part that is to be shown, as its address has it.
function figureOf(pieces: Pieces, range: string, go: (range: string) => void): HTMLElement {
  const scale = scaleOf(pieces);
  const [low, high] = range === "" ? scale.ends : rangeAt(range, pieces, scale);
  const width = high - low;
  const to = (a: number, b: number): void => {
    const from = Math.max(scale.ends[0], a), until = Math.min(scale.ends[1], b);
    go(from <= scale.ends[0] && until >= scale.ends[1] ? "" : `${scale.code(from)}:${scale.code(until)}`);
  };
  const middle = (low + high) / 2;
  const button = (id: string, label: string, sign: string, act: () => void): HTMLElement =>
    make("button", { id, class: "plain", type: "button", "aria-label": label, title: label, onclick: act }, sign);
  const controls = make("p", { class: "steps" },
    button("zoom-in", "zoom in", "+", () => to(middle - width / 4, middle + width / 4)),
    button("zoom-out", "zoom out", "−", () => to(middle - width, middle + width)),
    button("zoom-left", "to the left", "◂", () => to(Math.max(scale.ends[0], low - width / 2), Math.max(scale.ends[0] + width, high - width / 2))),
    button("zoom-right", "to the right", "▸", () => to(Math.min(scale.ends[1] - width, low + width / 2), Math.min(scale.ends[1], high + width / 2))),
    button("zoom-all", "all of it", "all", () => go("")));
  const x = (ordinal: number): number => ((scale.place(ordinal) - low) / width) * WIDTH;
  const strip = (nodes: SVGElement[], label: string): SVGElement => drawn("svg",
    { viewBox: `0 0 ${WIDTH} 20`, preserveAspectRatio: "none", class: "strip", role: "group", "aria-label": label }, ...nodes);
  const row = (label: Child[], nodes: SVGElement[], name: string, nan: Child): HTMLElement =>
    make("div", { class: "piece-row" }, make("div", { class: "who" }, ...label), strip(nodes, name), make("div", { class: "of-nan" }, nan));
  const differ = pieces.differ.filter(([first]) => first.ordinal !== null)
    .map(([first, last]) => box([first.ordinal!, last.ordinal!], x, { class: "differ" })).filter((it) => it !== null);
  const named = ({ name, title }: { name: string; title: string | null }): HTMLElement => make("span", { class: "giver", title }, name);
  const rows = pieces.rows.map((it) => row(it.by.map(named), segmentsOf(pieces, it, x), `What ${it.by[0]!.name} makes of it`, ofNan(pieces, it)));
  const zoom = (event: MouseEvent): void => {
    const area = (event.target as Element).closest("svg.strip")?.getBoundingClientRect();
    if (!area) return;
    const at = low + ((event.clientX - area.left) / area.width) * width;
    to(at - width / 4, at + width / 4);
  };
  const figure = make("figure", { class: "pieces", id: "pieces" },
    row([soft("where they differ")], differ, "Where specifications differ", soft("NaN")), ...rows,
    ticksOf(pieces, scale, [low, high]));
  figure.addEventListener("dblclick", zoom);
  return make("div", {}, controls, legendOf(pieces), figure);
}

// A box from one ordinal to another, as wide as can be seen; null: it is not in the part that is shown.
function box([first, last]: [number, number], x: (ordinal: number) => number, properties: Properties): SVGElement | null {
  const [low, high] = [x(Math.min(first, last)), x(Math.max(first, last))];
  if (high < -1 || low > WIDTH + 1) return null;
  const left = Math.max(0, Math.min(low, WIDTH - 2)), right = Math.min(WIDTH, Math.max(high, left + 2));
  return drawn("rect", { x: left.toFixed(2), y: 0, width: (right - left).toFixed(2), height: 20, ...properties });
}

const kindClass = (kind: string): string => `kind-${kind.replaceAll(" ", "-")}`;

function saidOf(segment: Segment, pieces: Pieces): string {
  const { first, last, kind, said, rules } = segment;
  const range = first.hex === last.hex ? first.value : `${first.value} to ${last.value}`;
  const why = rules.map((id) => `${id}: ${pieces.rules[id]![0]}`).join("; ");
  return `${range}: ${kind}${said === null ? "" : `, ${said}`} (${why})`;
}

function segmentsOf(pieces: Pieces, row: PiecesRow, x: (ordinal: number) => number): SVGElement[] {
  const nodes: SVGElement[] = [];
  for (const segment of row.segments) {
    if (segment.first.ordinal === null) continue;
    const rect = box([segment.first.ordinal, segment.last.ordinal!], x, { class: kindClass(segment.kind) });
    if (rect === null) continue;
    const said = saidOf(segment, pieces);
    const title = drawn("title");
    title.textContent = said;
    nodes.push(drawn("a", { href: toElement(pieces.from, segment.first.hex, pieces.to), "aria-label": said, "data-kind": segment.kind }, title, rect));
  }
  return nodes;
}

// NaN stands on no number line.
function ofNan(pieces: Pieces, row: PiecesRow): Child {
  const nan = row.segments.filter((it) => it.first.ordinal === null);
  return nan.length > 0 && make("span", {}, ...nan.map((segment) => {
    const a = link(toElement(pieces.from, segment.first.hex, pieces.to), make("span", { class: "hidden" }, saidOf(segment, pieces)));
    set(a, { class: kindClass(segment.kind), title: saidOf(segment, pieces) });
    return a;
  }));
}

// Five numbers below the line.
function ticksOf(pieces: Pieces, scale: Scale, [low, high]: LinePart): HTMLElement {
  const short = (value: string): string => {
    const number = Number(value);
    if (!Number.isFinite(number)) return value;
    return Math.abs(number) >= 1e6 ? number.toExponential(2) : String(Number(number.toPrecision(3)));
  };
  const labels = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const hex = scale.code(low + part * (high - low));
    const value = ask("element", pieces.from, pieces.to, hex).input?.value ?? hex;
    return make("span", {}, short(value));
  });
  return make("div", { class: "piece-row ticks" }, make("div", { class: "who" }), make("div", { class: "labels" }, ...labels), make("div", { class: "of-nan" }));
}

function legendOf(pieces: Pieces): HTMLElement {
  const used = new Set(pieces.rows.flatMap((row) => row.segments.map((it) => it.kind)));
  return make("ul", { class: "kinds" }, ...pieces.kinds.filter((kind) => used.has(kind)).map((kind) =>
    make("li", {}, make("i", { class: kindClass(kind) }), make("b", {}, kind), soft(` ${MEANS[kind]}`))));
}
