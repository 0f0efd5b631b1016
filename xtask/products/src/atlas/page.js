// The atlas of chains as a matrix for each dtype between. The state is in the URL: #b=int8&a=float32&c=float16

const at = id => document.getElementById(id);
const grouped = number => BigInt(number).toLocaleString("en");

/** The records of the atlas, by their three dtypes. */
async function read() {
  const bytes = Uint8Array.from(DATA.match(/../g), pair => parseInt(pair, 16));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const { chains } = JSON.parse(await new Response(stream).text());
  return new Map(chains.map(chain => [chain.dtypes.join(), chain]));
}

function start(chains) {
  const dtypes = [...new Set([...chains.keys()].map(key => key.split(",")[0]))];
  const state = {};
  at("b").append(...dtypes.map(dtype => new Option(dtype)));

  function load() {
    const given = new URLSearchParams(location.hash.slice(1));
    for (const name of ["a", "b", "c"]) {
      state[name] = dtypes.includes(given.get(name)) ? given.get(name) : null;
    }
    state.b ??= "float32";
    show();
  }

  function go(change) {
    Object.assign(state, change);
    const named = Object.entries(state).filter(([, dtype]) => dtype);
    history.replaceState(null, "", "#" + new URLSearchParams(named));
    show();
  }

  function show() {
    at("b").value = state.b;
    const head = at("matrix").createTHead();
    head.replaceChildren(row("", dtypes.map(c => heading(c, "col"))));
    const body = at("matrix").tBodies[0] ?? at("matrix").createTBody();
    const focused = document.activeElement?.dataset?.chain;
    body.replaceChildren(...dtypes.map(a => row(a, dtypes.map(c => cell(a, c)))));
    const stop = body.querySelector("[aria-pressed=true]") ?? body.querySelector("button");
    stop.tabIndex = 0;
    body.querySelector(`[data-chain='${focused}']`)?.focus();
    const all = dtypes.flatMap(a => dtypes.map(c => chains.get([a, state.b, c].join())));
    const dropped = all.filter(chain => chain.differ === "0").length;
    at("counted").textContent = `${state.b} can be dropped from ${dropped} of ${all.length} chains.`;
    at("panel").replaceChildren(...(state.a && state.c ? said(state.a, state.c) : [line("Choose a chain.")]));
  }

  function row(a, cells) {
    const made = document.createElement("tr");
    made.append(a ? heading(a, "row") : document.createElement("td"), ...cells);
    return made;
  }

  function heading(text, scope) {
    const made = document.createElement("th");
    made.scope = scope;
    made.textContent = text;
    return made;
  }

  function cell(a, c) {
    const same = chains.get([a, state.b, c].join()).differ === "0";
    const button = document.createElement("button");
    button.className = same ? "pass" : "fail";
    button.textContent = same ? "=" : "≠";
    button.dataset.chain = `${a}:${c}`;
    button.tabIndex = -1;
    button.ariaLabel = `${a} to ${state.b} to ${c}: ${same ? "can be dropped" : "differs"}`;
    button.ariaPressed = String(a === state.a && c === state.c);
    button.onclick = () => go({ a, c });
    const made = document.createElement("td");
    made.append(button);
    return made;
  }

  /** What is known of one chain. */
  function said(a, c) {
    const { b } = state;
    const chain = chains.get([a, b, c].join());
    const direct = a === c ? "the identity" : `the same as ${a} → ${c}`;
    const title = document.createElement("h2");
    title.textContent = `${a} → ${b} → ${c}`;
    const lines = chain.differ === "0"
      ? [line(`It is ${direct}: ${b} can be dropped.`)]
      : [line(`It is not ${direct}: ${grouped(chain.differ)} codes differ.`)];
    if (chain.positive) lines.push(line("The smallest positive code that differs: ", chain.positive));
    if (chain.negative) lines.push(line("The negative code of the smallest magnitude that differs: ", chain.negative));
    if (chain.open && chain.open !== "0") {
      lines.push(line(`The chain leaves the result of ${grouped(chain.open)} codes open; these count as equal.`));
    }
    const others = dtypes.filter(other => chains.get([a, other, c].join()).differ === "0");
    lines.push(line(`Between ${a} and ${c} these can be dropped: ${others.join(", ") || "none"}.`));
    lines.push(line("Each step with its rule: ", `castproof chain ${a} ${b} ${c}`));
    return [title, ...lines];
  }

  function line(text, code) {
    const made = document.createElement("p");
    made.textContent = text;
    if (code) {
      made.append(Object.assign(document.createElement("code"), { textContent: code }));
    }
    return made;
  }

  /** Arrows move within the matrix, which is one tab stop. */
  function move(event) {
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const chain = event.target.dataset?.chain;
    if (!step || !chain) return;
    event.preventDefault();
    const places = chain.split(":").map((dtype, axis) => dtypes.indexOf(dtype) + step[axis]);
    const next = places.map(place => dtypes[Math.min(Math.max(place, 0), dtypes.length - 1)]).join(":");
    const button = at("matrix").querySelector(`[data-chain='${next}']`);
    event.target.tabIndex = -1;
    button.tabIndex = 0;
    button.focus();
  }

  at("b").onchange = event => go({ b: event.target.value });
  at("matrix").addEventListener("keydown", move);
  addEventListener("hashchange", load);
  load();
}

read().then(start, problem => { at("counted").textContent = `The atlas cannot be read: ${problem}`; });
