// Numbers of one's own in a node of ONNX QuantizeLinear or DequantizeLinear.

const LINEAR_OF = { from: "float32", to: "uint8", scale: "0.3", zero: "128", values: ["-38.25", "1"] };

// What a node may have beside that, each by the name of its option; what is not given has the value that is usual.
const OPTIONS = ["opset", "scale-dtype", "saturate", "precision"] as const;
type OptionName = (typeof OPTIONS)[number];
type Options = Partial<Record<OptionName, string>>;

const toLinear = (from: string, to: string, scale: string, zero: string, values: string[], options: Options = {}): string => {
  const given = OPTIONS.filter((name) => options[name]).map((name) => `${name}=${options[name]}`);
  return ["#linear", word(from), word(to), word(scale), word(zero), listed(values), ...(given.length > 0 ? [given.join(",")] : [])].join("/");
};

// `opset=19,scale-dtype=float16`
function optionsAt(text: string): Options {
  const options: Options = {};
  for (const part of text.split(",").filter(Boolean)) {
    const [name, value = ""] = part.split("=");
    if (!(OPTIONS as readonly string[]).includes(name!)) throw new Problem(`${name} is no option of a node; they are ${OPTIONS.join(", ")}`);
    options[name as OptionName] = value;
  }
  return options;
}

type LinearAsked = [from: string, to: string, scale: string, zero: string, values: string[], options: Options];

function askedOfLinear(...[from, to, scale, zero, values, options]: LinearAsked): HTMLElement {
  const go = (source = from, target = to, more = options): void => {
    location.hash = toLinear(source, target, factor.value.trim(), point.value.trim(), pasted(numbers.value), more);
  };
  const numbers = field("textarea", "numbers", values.join(", "), () => go());
  const factor = field("input", "scale", scale, () => go());
  const point = field("input", "zero", zero, () => go());
  const option = (name: OptionName, label: string, all: string[], usual: string): HTMLElement => {
    const chosen = all.includes(options[name] ?? usual) ? options[name] ?? usual : usual;
    return make("label", {}, label, chosenName(name, chosen, (it) => go(from, to, { ...options, [name]: it === usual ? "" : it }), all));
  };
  const floats = ["float32", "float16", "bfloat16"];
  const versions = names().linearVersions;
  return make("div", { class: "asked" },
    make("label", {}, "from", chosenName("from", from, (name) => go(name), names().linear)),
    make("label", {}, "numbers", numbers),
    make("label", {}, "to", chosenName("to", to, (name) => go(from, name), names().linear)),
    make("label", {}, "scale", factor), make("label", {}, "zero point", point),
    option("opset", "opset", versions, versions[0]!), option("scale-dtype", "dtype of the scale", floats, "float32"),
    option("saturate", "saturate", ["1", "0"], "1"), option("precision", "precision", ["not given", ...floats], "not given"));
}

function showLinear(...[from, to, scale, zero, values, options]: LinearAsked): Node[] {
  const given = OPTIONS.filter((name) => options[name]).map((name) => `${name}=${options[name]}`);
  const answer = ask("linear", from, to, scale, zero, given.join(" "), values.join("\n"));
  document.title = `${answer.operator} ${answer.from} to ${answer.to}: Castproof`;
  const rows = answer.rows.map((row) => make("tr", {},
    make("th", { scope: "row" }, row.text, row.rounded && soft(` (rounded to ${row.input})`)),
    make("td", { "data-name": "gives", "data-said": row.said }, ...shortResult(row)),
    make("td", { "data-name": "rule" }, link(toRule(row.rule), row.rule))));
  const quantizes = answer.operator === "QuantizeLinear";
  const ends = quantizes ? (from === "float32" ? "" : ` --from ${answer.from}`) + ` --to ${answer.to}`
    : ` --from ${answer.from}` + (to === "float32" ? "" : ` --to ${answer.to}`);
  const point = zero === "" ? "" : ` --zero-point ${quoted(zero)}`;
  const more = OPTIONS.filter((name) => options[name]).map((name) => ` --${name} ${quoted(options[name]!)}`).join("");
  const attributes = given.filter((it) => !/^(opset|scale-dtype)=/.test(it)).map((it) => `, ${it}`).join("");
  return [askedOfLinear(answer.from, answer.to, scale, zero, values, options),
    make("h1", {}, `${answer.operator} ${answer.from} → ${answer.to}`),
    paragraph(`ONNX's operator at opset ${answer.opset}, scale ${answer.scale}`, answer.zeroPoint !== null && `, zero point ${answer.zeroPoint}`, `${attributes}.`),
    make("table", { class: "results" }, make("thead", {}, make("tr", {}, make("th", {}, "number"), make("th", {}, "gives"), make("th", {}, "rule"))),
      make("tbody", {}, ...rows)),
    ...statementsOf(answer.rows.map((it) => it.rule), answer.rules),
    heading("Take it along"),
    commandOf(`castproof ${quantizes ? "quantize" : "dequantize"}-linear${ends} --scale ${quoted(scale)}${point}${more} ${values.map(quoted).join(" ")}`),
    jsonOf(answer.json)];
}
