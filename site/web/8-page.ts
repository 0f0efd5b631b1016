// The address says what is shown; the search box writes addresses.

const EXAMPLES: [string, string, string][] = [
  ["float32", "464", "float8e4m3fn"], ["float32", "3e9", "int32"], ["float32", "nan", "int8"], ["float64", "0.1", "float32"],
  ["float32", "-1", "uint8"], ["float16", "0x7c01", "bfloat16"], ["int32", "300", "int8"], ["float32", "1e-45", "float16"],
];

// Unless what is shown has its own.
const TITLE = document.title;

function showHome(): Node[] {
  const examples = EXAMPLES.map(([from, value, to]) => make("li", {}, link(toElement(from, value, to), `${value} ${from} → ${to}`)));
  return [make("h1", {}, "What must a cast give?"),
    paragraph("Type a number and two dtypes, by the names of any library, and see what every version of ONNX Cast and every profile " +
      "makes of it. A format, a pair of dtypes or words of a question do too."),
    make("ul", { class: "list examples" }, ...examples),
    heading("Quantisation"),
    make("ul", { class: "list examples" },
      make("li", {}, link(toBlock(BLOCK_OF.to, BLOCK_OF.values), "A block of MXFP8 under every rule")),
      make("li", {}, link(toBlock("float4e2m1", BLOCK_OF.values), "A block of MXFP4 and NVFP4")),
      make("li", {}, link(toLinear(LINEAR_OF.from, LINEAR_OF.to, LINEAR_OF.scale, LINEAR_OF.zero, LINEAR_OF.values), "ONNX QuantizeLinear"))),
    heading("Questions"), listOf(QUESTIONS),
    heading("Faults found in released runtimes"),
    make("p", { class: "casts" }, ...FAULTS.runtimes.map(({ name }) => link(toRuntime(name), name))),
    heading("Formats"), make("p", { class: "casts" }, ...[...names().formats, "binary8p4se"].map((name) => link(toFormat(name), name)))];
}

// Returns the address that words of the search box mean; null: none.
function addressOf(words: string): string | null {
  const asked = ask("search", words);
  const { dtypes, formats, values, rules, rest } = asked;
  const quantised = toQuantised(asked), chain = chainOf(asked);
  if (chain !== null) return chain;
  const [from, to] = dtypes, [value] = values;
  if (rest.length === 0 && from !== undefined) {
    if (to !== undefined && value !== undefined) return toElement(from, value, to);
    if (to !== undefined) return toPair(from, to);
    if (value !== undefined) return toElement("float32", value, from);
    return toFormat(from);
  }
  if (rest.length === 0 && formats.length === 1) return toFormat(formats[0]!);
  if (rest.length === 0 && formats.length === 2) return toFormats(formats[0]!, formats[1]!);
  if (rest.length === 0 && rules.length === 1) return toRule(rules[0]!);
  // One or two specifications, with the dtypes that are asked about.
  const specs = rest.map((it) => it.toLowerCase());
  if (specs.length > 0 && specs.length < 3 && specs.every(isSpecification)) return toDiffer(specs[0]!, specs[1] ?? "", from ?? "", to ?? "");
  if (quantised !== null) return quantised;
  const found = questionsWith(words.split(/\s+/).filter(Boolean));
  const runtimes = runtimesWith(words.split(/\s+/).filter(Boolean));
  if (found.length === 0 && runtimes.length === 1) return toRuntime(runtimes[0]!.name);
  return found.length === 1 ? `#question/${found[0]!.slug}` : found.length > 1 ? `#find/${word(words)}` : null;
}

function showFound(words: string): Node[] {
  return [make("h1", {}, words), listOf(questionsWith(words.split(/\s+/).filter(Boolean)))];
}

const NOWHERE = "is none of this page; an element is like #float32/464/float8e4m3fn";

// Reads a part of an address, in which letters may be written as %20.
function read(part: string, address: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Problem(`the address ${address} ${NOWHERE}`);
  }
}

// Returns what an address shows: `#float32/464/float8e4m3fn`, `#format/float16`, `#cast/float32/int32`.
function shown(address: string): Node[] {
  const [first = "", ...rest] = address.replace(/^#/, "").split("/");
  const parts = rest.map((part) => read(part, address));
  const [second = "", third = ""] = parts;
  switch (first) {
    case "": return showHome();
    case "format": return third === "" ? showFormat(second) : showTwoFormats(second, third);
    case "differ": return showDiffer(...([0, 1, 2, 3, 4].map((at) => parts[at] ?? "") as [string, string, string, string, string]));
    case "formats": return showFormats();
    case "cast": return showPair(second, third, rest[2] ? valuesAt(rest[2], address) : null, parts[3] ?? "");
    case "chain":
      if (parts.length < 3) throw new Problem("a chain has three dtypes, like #chain/int32/float32/int32");
      return showChain(parts.slice(0, 3), valuesAt(rest[3], address), parts[4] ?? "");
    case "chains": return showChains(second);
    case "block": return showBlock(...blockAt(rest, address));
    case "linear": return showLinear(...linearAt(rest, address));
    case "rule": return showRule(second);
    case "question": return showQuestion(second);
    case "questions": return showQuestions();
    case "runtimes": return showRuntimes();
    case "runtime": return showRuntime(second);
    case "history": return showHistory(second);
    case "find": return showFound(second);
    default:
      if (parts.length !== 2) throw new Problem(`the address ${address} ${NOWHERE}`);
      return showElement(first, second, third);
  }
}

const valuesAt = (part: string | undefined, address: string): string[] => (part ? part.split(",").map((it) => read(it, address)) : []);

// `#block/float8e4m3fn/464,1,0.001`, then the dtype of the numbers and the largest magnitude of the tensor, if they are given.
function blockAt(rest: string[], address: string): [string, string[], string, string] {
  const [to = BLOCK_OF.to, , from = BLOCK_OF.from, largest = ""] = rest.map((part) => read(part, address));
  return [to, valuesAt(rest[1], address), from, largest];
}

// `#linear/float32/uint8/0.3/128/-38.25,1/opset=19`; the zero point may be empty, and the options absent.
function linearAt(rest: string[], address: string): LinearAsked {
  const [from = LINEAR_OF.from, to = LINEAR_OF.to, scale = "", zero = "", , options = ""] = rest.map((part) => read(part, address));
  return [from, to, scale, zero, valuesAt(rest[4], address), optionsAt(options)];
}

// What is asked of a chain that has no answer.
function chainAt([, a, b, c, , by]: string[]): { dtypes: [string, string, string]; by: string; specs: string[] } {
  return { dtypes: [a!, b!, c!], by: by ?? ATLAS.spec, specs: [...new Set([by ?? ATLAS.spec, ATLAS.spec])] };
}

// What stands in place of an answer that there is not.
function instead(address: string): Node[] {
  const parts = address.replace(/^#/, "").split("/");
  try {
    if (parts[0] === "block") return [askedOfBlock(...blockAt(parts.slice(1), address))];
    if (parts[0] === "chain" && parts.slice(1, 4).every((it) => ATLAS.dtypes.includes(it))) return [askedOfChain(chainAt(parts), valuesAt(parts[4], address))];
    if (parts[0] === "linear") return [askedOfLinear(...linearAt(parts.slice(1), address))];
    const [from = "", value = "", to = ""] = parts.map((part) => read(part, address));
    return parts.length === 3 ? showAsked(from, value, to) : [];
  } catch {
    return [];
  }
}

// The address of the link that was clicked last. A link that has the focus alone was not followed: a reader may press Tab
// between an address and its answer.
let followed: string | null = null;

function onClick(event: MouseEvent): void {
  followed = (event.target as Element).closest("a")?.hash ?? null;
}

function show(): void {
  const main = document.getElementById("main")!;
  const active = document.activeElement;
  const held = active?.id ?? "", inMain = main.contains(active);
  document.title = TITLE;
  try {
    main.replaceChildren(...shown(location.hash));
    document.getElementById("said")!.textContent = "";
  } catch (problem) {
    main.replaceChildren(...instead(location.hash));
    showProblem(problem);
  }
  if (focused !== null) focusBit([...main.querySelectorAll<HTMLElement>("button.bit")], focused);
  else if (held !== "") document.getElementById(held)?.focus({ preventScroll: true });
  // A link leads to the top of what it names. Who had the focus in what is gone stays in the answer.
  const isFollowed = followed === location.hash;
  if (isFollowed || (inMain && document.activeElement === document.body)) main.focus({ preventScroll: true });
  if (isFollowed) scrollTo(0, 0);
  followed = focused = null;
  // For the tests: the address changes before the answer does.
  main.dataset["address"] = location.hash;
}

// Arrow keys go to the next code, unless they move in a field.
function onKey(event: KeyboardEvent): void {
  const inField = (event.target as Element).closest("input, select, textarea, pre") !== null;
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || inField) return;
  const button = { ArrowLeft: "previous", ArrowRight: "next" }[event.key];
  if (button !== undefined) document.getElementById(button)?.click();
}

document.getElementById("search")!.addEventListener("submit", (event) => {
  event.preventDefault();
  const words = (document.getElementById("q") as HTMLInputElement).value.trim();
  try {
    const address = words === "" ? "#" : addressOf(words);
    if (address === null) {
      throw new Problem(`'${words}' is no dtype, format or question of this page; write a number and two dtypes, like 464 float32 float8e4m3fn`);
    }
    if (location.hash === address) show();
    else location.hash = address;
  } catch (problem) {
    showProblem(problem);
  }
});
addEventListener("hashchange", show);
addEventListener("keydown", onKey);
addEventListener("click", onClick);
// On paper nothing can be unfolded.
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((it) => (it.open = true)));
load().then(show).catch((error: unknown) => {
  document.getElementById("said")!.textContent = `This browser cannot run the page: ${String(error)}`;
});
