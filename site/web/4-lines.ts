// Two formats, one above the other: their numbers on one logarithmic line, and what their cards say otherwise.

const toFormats = (one: string, other: string): string => `#format/${word(one)}/${word(other)}`;

// Reads a number as cards write it: 0.5, or 0x1p-126.
function cardNumber(text: string): number {
  const hex = /^(-?)0x([0-9a-f]+)(?:\.([0-9a-f]+))?p(-?[0-9]+)$/.exec(text);
  if (!hex) return Number(text);
  const [, sign, whole, part = "", power] = hex;
  return (sign === "-" ? -1 : 1) * parseInt(whole! + part, 16) * 2 ** (Number(power) - 4 * part.length);
}

// The positive numbers of a format: all of them if there are at most 256 codes, otherwise the powers of two and the largest.
function positives(format: FormatRecord): number[] {
  const all = format.codes?.map((it) => cardNumber(it.value)) ?? powers(format);
  return all.filter((it) => Number.isFinite(it) && it > 0).sort((a, b) => a - b);
}

function powers(format: FormatRecord): number[] {
  const least = Math.log2(cardNumber((format.smallestSubnormal ?? format.smallestNormal ?? format.largest).value));
  const most = Math.log2(cardNumber(format.largest.value));
  return [...Array(Math.floor(most) - Math.ceil(least) + 1).keys()].map((at) => 2 ** (Math.ceil(least) + at)).concat(cardNumber(format.largest.value));
}

function showTwoFormats(one: string, other: string): Node[] {
  const [a, b] = [one, other].map((name) => ask("format", name).format);
  if (!a || !b) throw new Problem(`${a ? other : one} is no float format; two of them stand beside each other, like float8e4m3fn and float8e5m2`);
  document.title = `${a.name} and ${b.name}: Castproof`;
  const sets = [a, b].map(positives);
  const low = Math.log2(Math.min(...sets.map((it) => it[0]!))), high = Math.log2(Math.max(...sets.map((it) => it[it.length - 1]!)));
  const x = (value: number): string => (20 + ((Math.log2(value) - low) / (high - low || 1)) * 960).toFixed(2);
  const line = (format: FormatRecord, values: number[], others: number[]): HTMLElement => {
    const held = new Set(others);
    const ticks = values.map((it) => drawn("line", { x1: x(it), x2: x(it), y1: 4, y2: 26, class: held.has(it) ? "number" : "only" }));
    const label = `The positive numbers of ${format.name}: ${format.smallestSubnormal?.value ?? format.smallest.value} to ${format.largest.value}`;
    return make("figure", { class: "numbers" }, make("figcaption", {}, make("b", {}, link(toFormat(format.name), format.name)),
      soft(` ${values[0]} to ${values[values.length - 1]}${format.codes ? "" : ", powers of two"}`)),
      drawn("svg", { viewBox: "0 0 1000 30", preserveAspectRatio: "none", role: "img", "aria-label": label },
        drawn("line", { x1: 0, x2: 1000, y1: 15, y2: 15, class: "axis" }), ...ticks));
  };
  const [first, second] = [ofFormat(a), ofFormat(b)];
  const rows = first.filter(([name]) => second.some((it) => it[0] === name)).map(([name, said]) => {
    const of = second.find((it) => it[0] === name)![1];
    const text = (it: Child): string => (it instanceof Node ? it.textContent ?? "" : String(it));
    const differs = text(said) !== text(of);
    return make("tr", {}, make("th", { scope: "row" }, name), make("td", { "data-name": a.name }, said),
      make("td", { "data-name": b.name, class: differs ? "differs" : null }, differs && "≠ ", of));
  });
  const choose = (id: string, name: string, go: (name: string) => void): HTMLElement =>
    make("label", {}, "format", chosenName(id, name, go, [...new Set([...names().formats, a.name, b.name])]));
  return [make("div", { class: "asked" }, choose("one", a.name, (it) => { location.hash = toFormats(it, b.name); }),
      choose("other", b.name, (it) => { location.hash = toFormats(a.name, it); })),
    make("h1", {}, `${a.name} and ${b.name}`),
    paragraph("Their positive numbers on one logarithmic line. ", soft("A pale mark is a number that the other format does not have.")),
    line(a, sets[0]!, sets[1]!), line(b, sets[1]!, sets[0]!),
    make("table", { class: "results" }, make("thead", {}, make("tr", {}, make("td", {}), make("th", {}, a.name), make("th", {}, b.name))), make("tbody", {}, ...rows))];
}
