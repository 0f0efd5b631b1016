// Nodes of the page. What people typed is always text, never markup.

type Child = Node | string | null | false | undefined;
type Properties = Record<string, string | number | boolean | ((event: Event) => void) | null | undefined>;

function set(node: Element, properties: Properties): void {
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") node.addEventListener(name.replace(/^on/, ""), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, String(value));
  }
}

function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name, properties: Properties = {}, ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const node = document.createElement(name);
  set(node, properties);
  node.append(...children.filter((it): it is Node | string => Boolean(it)));
  return node;
}

function drawn(name: string, properties: Properties = {}, ...children: Node[]): SVGElement {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  set(node, properties);
  node.append(...children);
  return node;
}

const link = (address: string, ...children: Child[]): HTMLAnchorElement => make("a", { href: address }, ...children);
const code = (text: string): HTMLElement => make("code", {}, text);
const soft = (...children: Child[]): HTMLElement => make("span", { class: "soft" }, ...children);
const paragraph = (...children: Child[]): HTMLElement => make("p", {}, ...children);
const heading = (text: string): HTMLElement => make("h2", {}, text);

// --- Addresses: the state of the page -------------------------------------------------------------------------

const word = (text: string): string => encodeURIComponent(text).replace(/%2C/g, ",").replace(/%2B/g, "+");
const toElement = (from: string, value: string, to: string): string => `#${from}/${word(value)}/${to}`;
const toFormat = (name: string): string => `#format/${word(name)}`;
const toRule = (id: string): string => `#rule/${id}`;
// `range` is the part of the number line that is shown.
const toPair = (from: string, to: string, values?: string[] | null, range = ""): string =>
  `#cast/${from}/${to}` + (values || range ? "/" + (values ?? []).map(word).join(",") : "") + (range ? `/${range}` : "");

function showProblem(problem: unknown): void {
  document.getElementById("said")!.textContent = problem instanceof Problem ? problem.message : "";
  if (!(problem instanceof Problem)) throw problem;
}

// A button that copies a text, and says so.
function copier(text: string): HTMLButtonElement {
  const button = make("button", { class: "plain copy", type: "button" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = make("textarea", {}, text);
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  return button;
}

// Bits in the colours of sign, exponent and significand. With `flip` each is a button.
function bitsOf(bits: string, [sign, exponent]: Fields, flip?: (index: number) => void): HTMLElement {
  const part = (index: number): string => (index < sign ? "sign" : index < sign + exponent ? "exponent" : "significand");
  const node = make("div", { class: "bits", role: "group", "aria-label": "The bits of the code" });
  if (flip) node.addEventListener("keydown", amongBits);
  [...bits].forEach((bit, index) => {
    const space = index === sign || index === sign + exponent ? " first" : "";
    const look = `bit ${part(index)}${space}`;
    const label = `bit ${bits.length - 1 - index}, ${part(index)}`;
    const pressed = String(bit === "1"), tabindex = index === 0 ? 0 : -1;
    node.append(flip
      ? make("button", { class: look, type: "button", "aria-label": label, "aria-pressed": pressed, tabindex, onclick: () => flip(index) }, bit)
      : make("span", { class: look }, bit));
  });
  return node;
}

// The bits are one stop of the Tab key; arrow keys, Home and End move among them.
function amongBits(event: KeyboardEvent): void {
  const all = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("button")];
  const at = all.indexOf(event.target as HTMLElement);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: all.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  focusBit(all, to);
}

function focusBit(all: HTMLElement[], to: number): void {
  const next = all[to];
  if (next === undefined) return;
  all.forEach((it) => (it.tabIndex = -1));
  next.tabIndex = 0;
  next.focus({ preventScroll: true });
}

function legend([sign, exponent, significand]: Fields): HTMLElement {
  const part = (name: string, count: number): Child => count > 0 && make("span", {}, make("i", { class: name }), `${name} ${count}`);
  return make("p", { class: "legend soft" }, part("sign", sign), part("exponent", exponent), part(exponent ? "significand" : "number", significand));
}
