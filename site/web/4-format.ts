// A format: the card, and the table of all codes.

function showFormat(name: string): Node[] {
  const { format, dtype, fields } = ask("format", name);
  const title = format?.name ?? dtype!.name;
  document.title = `${title}: Castproof`;
  const nodes: Child[] = [make("h1", {}, title)];
  nodes.push(bitsOf("s".repeat(fields[0]) + "e".repeat(fields[1]) + (fields[1] ? "m" : "n").repeat(fields[2]), fields), legend(fields));
  nodes.push(facts(format ? ofFormat(format) : ofDtype(dtype!)));
  if (format) {
    const others = names().formats.filter((it) => it !== format.name);
    const beside = chosenName("beside", "", (it) => { location.hash = toFormats(format.name, it); }, ["", ...others]);
    nodes.push(make("p", {}, make("label", {}, "beside another format ", beside)));
  }
  if (dtype) {
    nodes.push(heading("Its casts"), castsOf(dtype.name));
    nodes.push(heading("Other names"), facts(Object.entries(dtype.otherNames).map(([owner, all]) => [owner, all.join(", ")])));
  }
  if (format?.codes) nodes.push(heading("Every code"), codesOf(format, dtype));
  return nodes.filter((it): it is HTMLElement => Boolean(it));
}

const facts = (rows: [string, Child][]): HTMLElement =>
  make("dl", { class: "facts" }, ...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));

const valueAndCode = (it: FormatCode | null): string => (it ? `${it.value} (${it.code})` : "none");

function ofFormat(format: FormatRecord): [string, Child][] {
  const nan = format.nan.map(({ first, last }) => (first === last ? first : `${first} to ${last}`)).join(", ");
  const rows: [string, Child][] = [
    ["bits", `${format.bits}: sign ${Number(format.signed)}, exponent ${format.exponentBits}, significand ${format.precision - 1}`],
    ["bias", String(format.bias)],
    ["largest", valueAndCode(format.largest)],
    ["smallest", valueAndCode(format.smallest)],
    ["smallest normal", valueAndCode(format.smallestNormal)],
    ["smallest subnormal", valueAndCode(format.smallestSubnormal)],
    ["NaN", nan || "none"],
    ["infinities", format.infinities.join(", ") || "none"],
    ["negative zero", format.negativeZero ? "yes" : "no"],
    ["rule", /^[A-Z0-9]+-[0-9]+$/.test(format.rule) ? link(toRule(format.rule), format.rule) : format.rule],
  ];
  if (format.sameCodesAs !== null) rows.push(["same codes as", link(toFormat(format.sameCodesAs), format.sameCodesAs)]);
  if (format.otherNames.length > 0) rows.push(["other names", format.otherNames.join(", ")]);
  if (format.draft) rows.push(["standing", "IEEE P3109 is a draft"]);
  return rows;
}

function ofDtype(dtype: DTypeRecord): [string, Child][] {
  return [
    ["what it is", `${dtype.bits ? `${dtype.bits} bits, ` : ""}${dtype.class}`],
    ["smallest", dtype.smallest ?? "none"],
    ["largest", dtype.largest ?? "none"],
    ["ONNX", dtype.since === null ? "no version of Cast" : `Cast-${dtype.since} and later`],
  ];
}

function castsOf(name: string): HTMLElement {
  const others = names().dtypes.filter((it) => it !== name);
  const list = (label: string, address: (other: string) => string): HTMLElement =>
    make("p", { class: "casts" }, soft(label), ...others.map((other) => link(address(other), other)));
  return make("div", {}, list("to", (other) => toPair(name, other)), list("from", (other) => toPair(other, name)));
}

// What a code stands for, as a class of its look.
function lookOf(value: string, at: number, format: FormatRecord): string {
  if (value === "nan") return "nan";
  if (value.endsWith("inf")) return "infinite";
  const magnitude = at % 2 ** (format.bits - Number(format.signed));
  if (magnitude === 0 && !/[1-9]/.test(value)) return "zero";
  const normal = format.smallestNormal ? Number(format.smallestNormal.code) : 0;
  return magnitude < normal ? "subnormal" : "normal";
}

function codesOf(format: FormatRecord, dtype: DTypeRecord | null): HTMLElement {
  const cells = format.codes!.map((it, at) => {
    const said: Child[] = [code(it.code), " ", it.value];
    const look = `cell ${lookOf(it.value, at, format)}`;
    return make("li", { class: look }, ...(dtype ? [link(toElement(dtype.name, it.code, "float32"), ...said)] : said));
  });
  const keys = ["normal", "subnormal", "zero", "infinite", "nan"].map((name) => make("span", { class: `cell ${name}` }, name));
  return make("div", {}, make("p", { class: "keys" }, ...keys), make("ul", { class: "codes" }, ...cells));
}

function showFormats(): Node[] {
  document.title = "Formats: Castproof";
  const row = (name: string): HTMLElement => {
    const { format, fields } = ask("format", name);
    const cells: Child[] = [link(toFormat(name), name), String(format!.bits), fields.join(" · "), String(format!.bias),
      format!.largest.value, format!.infinities.length > 0 ? "yes" : "no", format!.nan.length > 0 ? "yes" : "no"];
    return make("tr", {}, ...cells.map((cell, at) => make("td", { "data-name": FORMAT_COLUMNS[at] }, cell)));
  };
  const head = FORMAT_COLUMNS.map((name) => make("th", {}, name));
  return [make("h1", {}, "Formats of floats"),
    paragraph("Also by parameters: type ", link(toFormat("binary8p4se"), "binary8p4se"), " above, a format of IEEE P3109 (a draft)."),
    make("div", { class: "scroll" }, make("table", { class: "wide" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...names().formats.map(row))))];
}

const FORMAT_COLUMNS = ["format", "bits", "sign · exponent · significand", "bias", "largest", "infinities", "NaN"];
