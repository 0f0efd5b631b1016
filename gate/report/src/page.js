"use strict";
const data = JSON.parse(document.getElementById("results").textContent);
const several = data.runs.length > 1;
const byId = (id) => document.getElementById(id);
const EXECUTED = 0, REFUSED = 3, FIRST_VERDICT = 6;
const column = (name) => FIRST_VERDICT + data.verdicts.indexOf(name);
const number = (count) => count.toLocaleString("en");
const CARDS = 6;

// Kinds of cells, the gravest first: class, symbol, meaning.
const KINDS = data.kinds;
const kindNamed = (name) => KINDS.findIndex(([kind]) => kind === name);
const PARTLY = kindNamed("partly"), UNSUPPORTED = kindNamed("unsupported");
const RIGHT = ["tolerated", "partly", "undefined", "pass"];
// Kinds of findings: class, subject.
const FINDINGS = Object.fromEntries(data.findings);

// What stands in the URL. A name that is not there has its value here.
const NOTHING = { run: "", with: "", q: "", v: "", mode: "", dtype: "", says: "", rule: "", kind: "", pair: "", f: "",
  all: "", sort: "" };
let state = { ...NOTHING };
let cursor = ""; // the pair at which the matrix is entered by Tab

// --- The results, unpacked when a run is first shown -------------------------------------------------------------

// The results stand here packed: texts and counts by their place, operator versions as bits, pairs as one number, a
// list of pairs as steps from one to the next. Unpacked, each row begins with the pair.
const text = (place) => (place === null ? null : data.texts[place]);
const nameOf = (pair) => data.dtypes[Math.floor(pair / data.dtypes.length)] + ":" + data.dtypes[pair % data.dtypes.length];
const words = (pair) => pair.replace(":", " → ");
// A version is known by its number; a profile, which has none, by its name.
const valueOf = (version) => version.replace(/^Cast-/, "");
const nameOfVersion = (value) => (/^[0-9]+$/.test(value) ? "Cast-" + value : value);

function unpack(run) {
  if (run.pairs) return run;
  const versions = (bits) => run.versions.filter((_, bit) => bits & (1 << bit));
  const each = (rows, make) => rows.flatMap((row) => {
    let pair = 0;
    return row.at(-1).map((step) => ({ pair: nameOf((pair += step)), ...make(row) }));
  });
  run.rows = each(run.cells, ([mode, index, bits]) => ({ mode, counts: run.counts[index], kinds: run.kinds[index], bits }));
  run.remarks = each(run.remarks, ([mode, bits, verdict, place]) =>
    ({ mode, versions: versions(bits), verdict, message: text(place) }));
  run.diagnoses = each(run.diagnoses, ([place]) => ({ text: text(place) }));
  run.habits = each(run.fingerprints, ([place]) => ({ text: text(place) }));
  run.tolerated = each(run.tolerated, ([mode, bits, rule]) => ({ mode, versions: versions(bits), rule }));
  run.failures = run.failures.map(([pair, mode, bits, id, input, got, expected, tolerated, rule, known]) => ({
    pair: nameOf(pair), mode, versions: versions(bits), id: text(id), input: text(input), got: text(got),
    expected: text(expected), tolerated: text(tolerated), rule: text(rule), known: text(known),
  }));
  run.findings = run.findings.map(([id, kind, place, headline, extent, example, rule, explained, known, also, bits, pairs,
    [failing, of]]) => ({
    id: text(id), kind, place: text(place), headline: text(headline), extent: text(extent), example: text(example),
    rule: text(rule), explained, known: text(known), also: text(also), versions: versions(bits), pairs: pairs.map(nameOf),
    failing, of,
  }));
  // Of each pair the newest version in which something was executed, or else the newest of all.
  run.pairs = new Map();
  for (const { pair, counts, bits } of run.rows) {
    const seen = run.pairs.get(pair) || { executed: -1, asked: -1 };
    const newest = 31 - Math.clz32(bits);
    seen.asked = Math.max(seen.asked, newest);
    if (counts[EXECUTED]) seen.executed = Math.max(seen.executed, newest);
    run.pairs.set(pair, seen);
  }
  return run;
}

const slugs = data.runs.map((run, index) =>
  run.name + (data.runs.findIndex((other) => other.name === run.name) < index ? "~" + index : ""));
const runOf = (slug) => {
  const index = slugs.indexOf(slug);
  return index < 0 ? null : unpack(data.runs[index]);
};
// The chosen run; null: all of them.
const chosen = () => runOf(state.run) || (several ? null : unpack(data.runs[0]));

// Is a version what is chosen, for this pair? Versions are compared by number, modes by name.
function bitsOf(run, pair) {
  if (state.v === "all") return -1;
  if (state.v !== "") return 1 << run.versions.map(valueOf).indexOf(state.v) & (run.versions.map(valueOf).includes(state.v) ? -1 : 0);
  const { executed, asked } = run.pairs.get(pair);
  return 1 << (executed < 0 ? asked : executed);
}
const inMode = (run, mode) => state.mode === "" || (run.modes[mode] || "none") === state.mode;

// The gravest of two kinds. In one version, what is right of some requests and lacks others is right in part.
function gravest(one, other) {
  const first = Math.min(one, other), last = Math.max(one, other);
  const isPart = first > PARTLY && first < UNSUPPORTED && last === UNSUPPORTED;
  return isPart && state.v !== "all" ? PARTLY : first;
}

// Counts of each pair in the chosen versions and modes, with the gravest kind: of the run, and compared.
function countsOf(run) {
  const key = state.v + "|" + state.mode;
  run.sums = run.sums || new Map();
  if (run.sums.has(key)) return run.sums.get(key);
  const sums = new Map();
  for (const { pair, mode, counts, kinds, bits } of run.rows) {
    if (!inMode(run, mode)) continue;
    let left = bits & bitsOf(run, pair), times = 0;
    for (; left; left &= left - 1) times += 1;
    if (!times) continue;
    const sum = sums.get(pair) || Object.assign(counts.map(() => 0), { kinds });
    counts.forEach((count, place) => (sum[place] += times * count));
    sum.kinds = sum.kinds.map((kind, place) => gravest(kind, kinds[place]));
    sums.set(pair, sum);
  }
  run.sums.set(key, sums);
  return sums;
}

// Where runtimes are compared, known failures are failures.
const kindOf = (sum, isCompared) => KINDS[sum.kinds[isCompared ? 1 : 0]];

// --- Making elements: text nodes alone, so that nothing that a testee says becomes markup ------------------------

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined)
    .map((child) => (child instanceof Node ? child : String(child))));
  return made;
}

function options(select, entries, value) {
  select.replaceChildren(...entries.map(([key, name]) => element("option", { value: key }, name)));
  select.value = entries.some(([key]) => String(key) === value) ? value : entries[0][0];
}

function address(patch) {
  const next = { ...state, ...patch };
  const given = Object.entries(next).filter(([key, value]) => value !== NOTHING[key]);
  return "#" + new URLSearchParams(given).toString();
}
const link = (patch, key, ...children) => element("a", { href: address(patch), "data-focus": key }, ...children);

// The first four verdicts add up to what was executed. What was refused as is due, and texts that may be refused and
// were, stand apart.
function wordsOf(counts) {
  const [refused, tolerated, undefined_] = counts.slice(REFUSED, FIRST_VERDICT);
  const apart = { pass: refused, tolerated, undefined: undefined_ };
  const of = (name) => [name, counts[column(name)] - (apart[name] || 0)];
  const shown = data.verdicts.flatMap((name) => name === "fail"
    ? [of(name), ["refused", refused], ["declined", tolerated + undefined_]] : [of(name)]);
  return shown.filter(([, count]) => count > 0).map(([name, count]) => `${name} ${number(count)}`).join(", ");
}

function ruleOf(id) {
  const [statement, source, basis] = data.clauses[id] || ["", "", ""];
  return element("blockquote", {}, element("details", {}, element("summary", {}, element("strong", {}, id), " ", statement),
    element("p", { class: "soft" }, `Source: ${source}`, basis ? `; basis: ${basis}` : "")));
}

// --- Several runtimes: which is right where -----------------------------------------------------------------------

// What a runtime takes and then refuses is no wrong result: TOSA's model has no empty tensors, and is right elsewhere.
function standing(run) {
  const counts = countsOf(unpack(run));
  // An error is graver than a wrong place, and hides it.
  const misplaced = new Set(run.findings.filter(({ kind }) => kind === "place" || kind === "chain").flatMap(({ pairs }) => pairs));
  let right = 0, wrong = 0, refused = 0, missing = 0;
  for (const [pair, sum] of counts) {
    const [kind] = kindOf(sum, true);
    const isWrong = misplaced.has(pair) || ["fail", "crash", "timeout"].some((verdict) => sum[column(verdict)] > 0);
    if (!sum[EXECUTED] && (kind === "unsupported" || kind === "absent")) missing += 1;
    else if (RIGHT.includes(kind)) right += 1;
    else if (kind === "error" && !isWrong) refused += 1;
    else wrong += 1;
  }
  const judged = right + wrong;
  return { right, wrong, refused, missing, judged, share: judged ? right / judged : 0 };
}

// A notice is a finding that fails nothing.
const isFault = (finding) => finding.kind !== "open";

const SORTS = {
  share: ["pairs right of those judged", (row) => -row.share],
  findings: ["findings", (row) => row.run.findings.filter(isFault).length],
  name: ["runtime", (row) => row.run.testee.toLowerCase()],
};

function ranking() {
  byId("runtimes").hidden = !several;
  if (!several) return;
  const by = SORTS[state.sort] ? state.sort : "share";
  const key = SORTS[by][1];
  const rows = data.runs.map((run, index) => ({ run: unpack(run), slug: slugs[index], ...standing(run) }));
  rows.sort((one, other) => (key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : other.judged - one.judged));
  const sorted = (name) => element("th", { scope: "col", "aria-sort": by === name ? (name === "name" || name === "findings"
    ? "ascending" : "descending") : null }, sortButton(name, by));
  const head = element("tr", {}, sorted("name"), sorted("share"), sorted("findings"),
    element("th", { scope: "col" }, "classes of fault"), element("th", { scope: "col" }, "touching most"));
  const body = rows.map(({ run, slug, right, refused, missing, judged, share }) => {
    const classes = Object.keys(FINDINGS).map((kind) => [kind, run.findings.filter((it) => it.kind === kind).length]);
    const tags = classes.filter(([, count]) => count).map(([kind, count]) =>
      link({ run: slug, kind, f: "", all: "" }, `class ${slug} ${kind}`, `${FINDINGS[kind]} ${number(count)}`));
    const top = run.findings.filter((it) => it.kind !== "refusal" && isFault(it)).slice(0, 2).map((it) =>
      element("div", { class: "short" }, link({ run: slug, kind: "", f: it.id }, `top ${slug} ${it.id}`, `${it.place}: ${it.headline}`)));
    const bar = element("span", { class: "bar", "aria-hidden": "true" }, element("i", { style: `width:${100 * share}%` }));
    const percent = (share === 1 ? 100 : Math.min(99.9, 100 * share)).toFixed(share === 1 ? 0 : 1);
    const apart = [refused ? `${number(refused)} refused in part` : "", missing ? `${number(missing)} not taken` : ""].filter(Boolean);
    const said = judged ? `${number(right)} of ${number(judged)} (${percent}\u00a0%)` : "none";
    return element("tr", {},
      element("th", { scope: "row" }, link({ run: slug, f: "" }, `run ${slug}`, run.testee)),
      element("td", { "data-name": "right" }, said, bar,
        apart.length ? element("div", { class: "soft" }, apart.join(", ")) : null),
      element("td", { "data-name": "findings" }, number(run.findings.filter(isFault).length)),
      element("td", { class: "tags", "data-name": "classes of fault" }, tags.length ? tags : "none"),
      element("td", top.length ? { "data-name": "touching most" } : {}, top));
  });
  byId("ranking").replaceChildren(element("div", { class: "scroll" }, element("table", { class: "wide" },
    element("caption", {}, "A pair is right if, in the newest version of Cast that the runtime answers for it, no test fails.",
      " Known failures count as failures. Tolerated readings do not. Pairs of which the runtime answers some tests with an error, and",
      " no test wrongly, are counted apart, as are pairs that it does not take."),
    element("thead", {}, head), element("tbody", {}, ...body))));
}

function sortButton(name, by) {
  const button = element("button", { type: "button", "data-focus": `sort ${name}` }, SORTS[name][0] + (by === name ? "\u00a0▾" : ""));
  button.addEventListener("click", () => go({ sort: name === "share" ? "" : name }));
  return button;
}

// --- Findings -----------------------------------------------------------------------------------------------------

const searched = (...texts) => texts.some((it) => it && it.toLowerCase().includes(state.q.toLowerCase()));
const ofDtype = (pair) => state.dtype === "" || pair.split(":").includes(state.dtype);

function matching(run, finding) {
  const version = state.v === "" || state.v === "all" || finding.versions.map(valueOf).includes(state.v);
  return version && (state.kind === "" || finding.kind === state.kind)
    && (state.rule === "" || finding.rule === state.rule)
    && (state.dtype === "" || finding.pairs.some(ofDtype))
    && (state.q === "" || searched(finding.id, finding.place, finding.headline, finding.example, finding.rule, finding.extent,
      finding.known, ...finding.pairs, ...finding.pairs.map(words)));
}

function findings() {
  const run = chosen();
  byId("findings").hidden = !run;
  if (!run) return;
  const shown = run.findings.filter((finding) => matching(run, finding));
  const cards = shown.filter((finding) => finding.kind !== "refusal");
  // Refusals are folded below the cards, and count with them.
  const faults = shown.filter(isFault);
  const fresh = faults.filter((finding) => several || !finding.known);
  const explained = fresh.filter((finding) => finding.explained).length;
  const known = faults.length - fresh.length, notices = shown.length - faults.length;
  byId("findings-title").textContent = `Findings: ${number(fresh.length)}, ${number(explained)} explained`
    + (known ? `; ${number(known)} known` : "") + (notices ? `; ${number(notices)} notices` : "") + (several ? ` (${run.testee})` : "");
  const current = cards.findIndex((finding) => finding.id === state.f);
  const room = state.all ? cards.length : Math.max(CARDS, current + 1);
  byId("cards").replaceChildren(...cards.slice(0, room).map((finding) => card(run, finding)));
  if (!cards.length) byId("cards").replaceChildren(element("p", { class: "soft" }, "None with these filters."));
  byId("more").hidden = cards.length <= room && !state.all;
  const below = shown.length - cards.length;
  byId("more").textContent = state.all ? "Show the first findings only"
    : `Show all ${number(cards.length)}` + (below ? `; ${number(below)} more ${below === 1 ? "is" : "are"} folded below` : "");
  const folded = shown.filter((finding) => finding.kind === "refusal").map((finding) => element("li", {},
    `${finding.place}: ${finding.headline} `, element("span", { class: "soft" }, `${finding.extent} ${finding.known || ""}`)));
  byId("folded").replaceChildren(...(folded.length ? [element("details", { id: "refusals" },
    element("summary", {}, `Accepted what is to be refused: ${number(folded.length)} versions or rules`),
    element("ul", {}, ...folded))] : []));
  if (folded.length && state.kind === "refusal") byId("refusals").open = true;
}

function card(run, finding) {
  const pairs = finding.pairs.slice(0, 24).map((pair) =>
    [link({ pair, f: finding.id }, `${finding.id} ${pair}`, words(pair)), " "]);
  const left = finding.pairs.length - pairs.length;
  // Where runtimes are compared, what is known is as wrong as what is not.
  const isKnown = finding.known && !several;
  return element("article", { class: "card" + (isKnown ? " known" : ""), "aria-labelledby": "h" + finding.id,
    "aria-current": finding.id === state.f ? "true" : null, "data-id": finding.id },
  element("h3", { id: "h" + finding.id },
    element("span", { class: "tag " + (isKnown ? "known" : isFault(finding) ? "fail" : "undefined") },
      (isKnown ? "known: " : "") + FINDINGS[finding.kind]),
    link({ f: finding.id, pair: finding.pairs[0] || "" }, "card " + finding.id, finding.place)),
  element("p", {}, finding.headline, finding.also ? ` (or: ${finding.also})` : ""),
  finding.example ? element("p", { class: "example code" }, finding.example) : null,
  element("p", { class: "soft" }, finding.extent),
  finding.known ? element("p", {}, "Known: " + finding.known) : null,
  finding.rule ? ruleOf(finding.rule) : null,
  pairs.length ? element("details", {}, element("summary", {}, pairs.length + left === 1 ? "the pair" : `${pairs.length + left} pairs`),
    ...pairs, left ? `and ${left} more` : "") : null,
  element("p", { class: "soft" }, "all of it: ", element("code", {}, `castproof show ${finding.id} --results FILE`)));
}

// --- The matrix ---------------------------------------------------------------------------------------------------

// What a cell shows: class, symbol, meaning, and whether the filters keep it.
function cellsOf() {
  const run = chosen();
  if (run) {
    const ofRule = new Set(run.failures.filter((row) => row.rule === state.rule).map((row) => row.pair));
    const found = run.findings.filter((finding) => matching(run, finding));
    const inFindings = new Set(found.flatMap((finding) => finding.pairs));
    const one = run.findings.find((finding) => finding.id === state.f);
    return new Map([...countsOf(run)].map(([pair, counts]) => {
      const [name, symbol, meaning] = kindOf(counts, several);
      const kept = ofDtype(pair) && (state.says === "" || state.says === name)
        && (state.rule === "" || ofRule.has(pair))
        && (state.kind === "" || inFindings.has(pair))
        && (!one || !one.pairs.length || one.pairs.includes(pair))
        && (state.q === "" || inFindings.has(pair) || searched(pair, words(pair)));
      return [pair, { name, symbol, meaning, kept }];
    }));
  }
  const sums = new Map();
  for (const each of data.runs) {
    for (const [pair, counts] of countsOf(unpack(each))) {
      const [kind] = kindOf(counts, true);
      const sum = sums.get(pair) || { right: 0, supported: 0 };
      if (kind !== "unsupported" && kind !== "absent") sum.supported += 1;
      sum.right += RIGHT.includes(kind);
      sums.set(pair, sum);
    }
  }
  return new Map([...sums].map(([pair, { right, supported }]) => {
    const name = !supported ? "unsupported" : right === supported ? "pass" : right ? "some" : "fail";
    const meaning = supported ? `right in ${right} of ${supported} runtimes that support it` : "no runtime supports it";
    const kept = ofDtype(pair) && (state.q === "" || searched(pair, words(pair)));
    return [pair, { name, symbol: supported ? right : "–", meaning, kept, share: supported ? right / supported : 0 }];
  }));
}

function matrix() {
  const cells = cellsOf();
  const used = new Set([...cells.keys()].flatMap((pair) => pair.split(":")));
  const axis = data.dtypes.filter((name) => used.has(name));
  if (!cells.has(cursor)) cursor = cells.has(state.pair) ? state.pair : [...axis].flatMap((from) =>
    axis.map((to) => `${from}:${to}`)).find((pair) => cells.has(pair));
  let shown = 0;
  const rows = axis.map((from) => element("tr", {}, element("th", { scope: "row" }, from), ...axis.map((to) => {
    const pair = `${from}:${to}`, cell = cells.get(pair);
    if (!cell) return element("td");
    shown += cell.kept;
    const label = `${from} to ${to}: ${cell.meaning}`;
    return element("td", {}, element("button", {
      type: "button", class: cell.name + (cell.kept ? "" : " dim"), title: label, "aria-label": label, "data-pair": pair,
      "aria-pressed": String(state.pair === pair), tabindex: pair === cursor ? "0" : "-1", "data-focus": "cell " + pair,
      style: cell.share === undefined ? null : `--right:${100 * cell.share}%`,
    }, cell.symbol));
  })));
  const head = element("tr", {}, element("td"), ...axis.map((to) => element("th", { scope: "col" }, to)));
  const what = chosen() ? "rows: from, columns: to" : "rows: from, columns: to; how many runtimes are right";
  byId("matrix").replaceChildren(element("caption", {}, what), element("thead", {}, head), element("tbody", {}, ...rows));
  const run = chosen();
  const total = run ? [...countsOf(run).values()].reduce((one, other) => one.map((count, place) => count + other[place]),
    run.counts[0] ? run.counts[0].map(() => 0) : []) : null;
  const version = state.v === "" ? "newest version of each pair" : state.v === "all" ? "all versions" : nameOfVersion(state.v);
  byId("counted").textContent = `${number(shown)} of ${number(cells.size)} pairs; ${version}` + (total ? "; " + wordsOf(total) : "");
  const kinds = run ? KINDS.filter(([name]) => [...cells.values()].some((cell) => cell.name === name)) : [];
  byId("legend").replaceChildren(...kinds.map(([name, symbol, meaning]) =>
    element("li", {}, element("span", { class: name }, symbol), meaning)));
}

// Arrow keys move between cells, Home and End to the ends of a row; the matrix is one stop of Tab.
function onKey(event) {
  const cell = event.target.closest("td");
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (!cell || !(step || event.key === "Home" || event.key === "End")) return;
  event.preventDefault();
  const body = byId("matrix").tBodies[0];
  let row = cell.parentNode.sectionRowIndex, place = cell.cellIndex, next = null;
  if (step) {
    do {
      [row, place] = [row + step[0], place + step[1]];
      const there = body.rows[row] && body.rows[row].cells[place];
      if (!there || place < 1) return;
      next = there.querySelector("button");
    } while (!next);
  } else {
    const buttons = [...cell.parentNode.querySelectorAll("button")];
    next = event.key === "Home" ? buttons[0] : buttons.at(-1);
  }
  const before = byId("matrix").querySelector("[tabindex='0']");
  if (before) before.tabIndex = -1;
  next.tabIndex = 0;
  cursor = next.dataset.pair;
  next.focus();
}

// --- The chosen pair ----------------------------------------------------------------------------------------------

function panel() {
  const run = chosen();
  const place = byId("panel");
  const known = data.runs.some((each) => unpack(each).pairs.has(state.pair));
  place.classList.toggle("open", known);
  if (!known) {
    place.replaceChildren(element("p", { class: "soft" }, state.pair ? `There is no pair ${state.pair} here.`
      : "Choose a pair to see what is behind it."));
    return;
  }
  const close = element("button", { type: "button", class: "plain", id: "close", "data-focus": "close" }, "Close");
  close.addEventListener("click", closePair);
  const parts = [element("header", {}, element("h2", {}, words(state.pair)), close)];
  if (run && several) parts.push(chooser(run));
  const other = runOf(state.with);
  const sides = run ? [run, other && other !== run ? other : null] : [];
  parts.push(element("div", { id: "sides" }, ...sides.filter(Boolean).map((each) => side(each))));
  if (!run) parts.push(everywhere());
  place.replaceChildren(...parts);
}

function closePair() {
  const pair = state.pair;
  go({ pair: "" });
  const cell = byId("matrix").querySelector(`[data-pair="${CSS.escape(pair)}"]`);
  if (cell) cell.focus();
}

function chooser(run) {
  const select = element("select", { id: "with", "data-focus": "with" });
  const others = data.runs.map((each, index) => [slugs[index], each.testee]).filter(([slug]) => runOf(slug) !== run);
  options(select, [["", "nothing"], ...others], state.with);
  select.addEventListener("change", () => go({ with: select.value }));
  return element("label", {}, "beside it: ", select);
}

// Every runtime at the pair.
function everywhere() {
  const rows = data.runs.map((run, index) => {
    const counts = countsOf(unpack(run)).get(state.pair);
    const [name, symbol, meaning] = counts ? kindOf(counts, true) : ["", "", "not asked"];
    return element("tr", {}, element("td", {}, element("span", { class: "tag " + name }, symbol), meaning),
      element("td", {}, link({ run: slugs[index] }, "to " + slugs[index], run.testee)),
      element("td", { class: "soft" }, counts ? wordsOf(counts) : ""));
  });
  return element("table", { class: "wide" }, element("tbody", {}, ...rows));
}

function side(run) {
  const here = (row) => row.pair === state.pair && inMode(run, row.mode ?? 0);
  const bits = run.pairs.has(state.pair) ? bitsOf(run, state.pair) : 0;
  const shown = run.versions.filter((_, bit) => bits & (1 << bit));
  const inVersion = (row) => row.versions.some((version) => shown.includes(version));
  const counts = countsOf(run).get(state.pair);
  const kind = counts ? kindOf(counts, several) : null;
  const version = state.v === "" && shown.length === 1 ? ` in ${shown[0]}` : "";
  const made = element("div", { class: "side" }, element("h3", {}, run.testee),
    element("p", {}, kind ? element("span", { class: "tag " + kind[0] }, `${kind[1]} ${kind[2]}`) : "", counts ? wordsOf(counts) + version : "no tests"));
  for (const finding of run.findings.filter((it) => it.pairs.includes(state.pair) && inVersion(it))) {
    const at = slugs[data.runs.indexOf(run)];
    made.append(element("p", {}, several ? link({ run: at, f: finding.id }, "f " + finding.id, finding.id)
      : link({ f: finding.id }, "f " + finding.id, finding.id), " ", finding.headline, finding.known ? " (known)" : ""));
  }
  for (const row of run.habits.filter((it) => it.pair === state.pair)) made.append(element("p", {}, "Undefined inputs: " + row.text));
  for (const row of run.remarks.filter((it) => here(it) && inVersion(it))) {
    made.append(element("p", {}, `${row.verdict} (${row.versions.join(", ")}) ${run.modes[row.mode]}: `, element("code", {}, row.message)));
  }
  const tolerated = counts ? counts[column("tolerated")] : 0;
  if (tolerated) {
    const rules = [...new Set(run.tolerated.filter((it) => here(it) && inVersion(it)).map((it) => it.rule))];
    const methods = run.diagnoses.filter((it) => it.pair === state.pair).map((it) => element("p", {}, it.text));
    made.append(element("details", { class: "readings" },
      element("summary", {}, `Tolerated readings: ${number(tolerated)} tests`), ...rules.map(ruleOf), ...methods));
  }
  const failing = run.failures.filter((row) => here(row) && inVersion(row) && (state.rule === "" || row.rule === state.rule));
  for (const id of [...new Set(failing.map((row) => row.rule))].sort()) {
    made.append(ruleOf(id), cases(run, failing.filter((row) => row.rule === id)));
  }
  return made;
}

function cases(run, rows) {
  const names = ["input", "gave", "expected", "test"];
  const body = rows.map((row) => {
    const test = [row.id, row.versions.join(", "), run.modes[row.mode], row.known && "known: " + row.known];
    const cells = [row.input, row.got, row.expected + (row.tolerated ? "; tolerated " + row.tolerated : "")];
    return element("tr", {}, ...cells.map((cell, index) => element("td", { class: "code", "data-name": names[index] }, cell)),
      element("td", { class: "soft", "data-name": "test" }, test.filter(Boolean).join("; ")));
  });
  return element("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "failing tests" },
    element("table", {}, element("thead", {}, element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, name)))),
      element("tbody", {}, ...body)));
}

// --- Suites of questions ------------------------------------------------------------------------------------------

function suites() {
  const run = chosen();
  const parts = [];
  const names = [...new Set(data.runs.flatMap((each) => each.suites.map(([name]) => name)))];
  if (names.length) parts.push(element("h2", {}, "Suites of questions"));
  for (const [name, counts, answers] of run ? run.suites : []) {
    const list = answers.map(([id, clause, said, known]) => element("li", {}, element("strong", {}, clause), " ",
      element("code", {}, said), known ? " known: " + known : "", " ", element("span", { class: "soft" }, id)));
    parts.push(element("details", {}, element("summary", {}, `${name}: ${wordsOf(counts)}`), element("ul", {}, ...list)));
  }
  if (!run && names.length) {
    const rows = data.runs.map((each) => {
      // Refusals are right where one is due, and say nothing of a runtime that has no such operation.
      const asked = new Map(each.suites.map(([name, counts]) => [name, counts[EXECUTED] ? wordsOf(counts) : "not supported"]));
      return element("tr", {}, element("th", { scope: "row" }, each.testee),
        ...names.map((name) => element("td", { "data-name": name }, asked.get(name) || "not asked")));
    });
    const head = ["runtime", ...names].map((name) => element("th", { scope: "col" }, name));
    parts.push(element("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "suites" }, element("table", { class: "wide" },
      element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows))));
  }
  byId("suites").replaceChildren(...parts);
}

// --- Where ONNX is silent -----------------------------------------------------------------------------------------

// What each runtime does where ONNX leaves the result open, a row for the pairs of which all do the same.
function silent() {
  const names = data.runs.map((run) => run.testee);
  byId("silence").hidden = !data.silent.length;
  const rows = data.silent.map(([pairs, cells]) => element("tr", {}, element("th", { scope: "row" }, pairs),
    ...cells.map((cell, at) => element("td", { "data-name": names[at] }, cell || "not cast"))));
  const head = ["pairs", ...names].map((name) => element("th", { scope: "col" }, name));
  byId("silent").replaceChildren(element("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "where ONNX is silent" },
    element("table", { class: "wide" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows))));
}

// --- State: every choice stands in the URL ------------------------------------------------------------------------

function header() {
  const run = chosen();
  byId("title").textContent = several ? `Castproof: ${data.runs.length} runtimes side by side` : `Castproof: ${data.runs[0].testee}`;
  document.title = byId("title").textContent;
  const said = (each) => [element("strong", {}, each.passed ? "PASS" : "FAIL"), " ",
    several ? each.testee + ": " : "", each.reasons.length ? each.reasons.join(", ") + ". " : "",
    each.known ? `${number(each.known)} failures are known. ` : "", `Level ${each.level}, ${number(each.executed)} executed.`];
  byId("verdict").replaceChildren(...(run ? said(run) : []).map((part) => (part instanceof Node ? part : String(part))));
}

function controls() {
  const run = chosen();
  const runs = run ? [run] : data.runs.map(unpack);
  byId("run").parentNode.hidden = !several;
  const all = several ? [["", "all runtimes"]] : [];
  options(byId("run"), [...all, ...data.runs.map((each, index) => [slugs[index], each.testee])], state.run);
  // Newest first: by number where names have one.
  const order = (one, other) => other.localeCompare(one, "en", { numeric: true });
  const versions = [...new Set(runs.flatMap((each) => each.versions))].sort(order);
  options(byId("v"), [["", "newest of each pair"], ["all", "all together"], ...versions.map((name) => [valueOf(name), name])], state.v);
  const modes = [...new Set(runs.flatMap((each) => each.modes))];
  options(byId("mode"), [["", "any"], ...modes.map((mode) => [mode || "none", mode || "none given"])], state.mode);
  options(byId("dtype"), [["", "any"], ...data.dtypes.map((name) => [name, name])], state.dtype);
  options(byId("verdict-of"), [["", "anything"], ...KINDS.map(([name, symbol, meaning]) => [name, `${symbol} ${meaning}`])], state.says);
  const rules = [...new Set(runs.flatMap((each) => each.failures.map((row) => row.rule)))].sort();
  options(byId("rule"), [["", "any"], ...rules.map((id) => [id, id])], state.rule);
  const kinds = Object.keys(FINDINGS).filter((kind) => runs.some((each) => each.findings.some((it) => it.kind === kind)));
  options(byId("kind"), [["", "any"], ...kinds.map((kind) => [kind, FINDINGS[kind]])], state.kind);
  if (byId("q").value !== state.q) byId("q").value = state.q;
}

function render() {
  const focused = document.activeElement && document.activeElement.dataset.focus;
  for (const part of [header, ranking, controls, findings, matrix, panel, silent, suites]) part();
  if (focused) {
    const again = document.querySelector(`[data-focus="${CSS.escape(focused)}"]`);
    if (again && again !== document.activeElement) again.focus({ preventScroll: true });
  }
}

function go(patch) {
  const next = address(patch);
  if (next === (location.hash || "#")) return;
  history.pushState(null, "", next);
  read();
}

function read() {
  const before = state;
  state = { ...NOTHING };
  for (const [key, value] of new URLSearchParams(location.hash.slice(1))) if (key in NOTHING) state[key] = value;
  render();
  if (state.f && state.f !== before.f) {
    const found = document.querySelector(`.card[data-id="${CSS.escape(state.f)}"]`);
    if (found && !state.pair) found.scrollIntoView({ block: "nearest" });
  }
  if (state.pair && state.pair !== before.pair && getComputedStyle(byId("panel")).position === "fixed") {
    const close = byId("close");
    if (close) close.focus();
  }
}

// On a narrow screen the filters would take the first screen.
const narrow = matchMedia("(max-width: 40rem)");
const fold = () => { byId("filtering").open = !narrow.matches; };
narrow.addEventListener("change", fold);
fold();

const CONTROLS = { run: "run", v: "v", mode: "mode", dtype: "dtype", "verdict-of": "says", rule: "rule", kind: "kind" };
for (const [id, name] of Object.entries(CONTROLS)) {
  byId(id).addEventListener("change", () => go({ [name]: byId(id).value, ...(name === "run" ? { f: "", rule: "", with: "" } : {}) }));
}
byId("q").addEventListener("input", () => go({ q: byId("q").value }));
byId("clear").addEventListener("click", () => go({ ...NOTHING, run: state.run }));
byId("more").addEventListener("click", () => go({ all: state.all ? "" : "1" }));
byId("matrix").addEventListener("keydown", onKey);
byId("matrix").addEventListener("click", (event) => {
  const cell = event.target.closest("button");
  if (!cell) return;
  cursor = cell.dataset.pair;
  go({ pair: state.pair === cursor ? "" : cursor });
});
document.addEventListener("keydown", (event) => { if (event.key === "Escape" && state.pair) closePair(); });
window.addEventListener("popstate", read);
window.addEventListener("hashchange", read);
read();
