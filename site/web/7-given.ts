// What released runtimes give for an element: adapters/answers.json, which adapters/ask_values.py writes.

interface Asked { name: string; version: string; description: string; date: string; machine: string }
// Of each pair, as `float32:int32`, the rows: codes in the order of the values that its source was asked for, and the adapters that gave them.
interface Answers {
  runtimes: Record<string, Asked>; asked: Record<string, [value: string, code: string][]>; pairs: Record<string, Record<string, string[]>>;
}

// The runtimes that gave each code of an element, the code that most gave first; after the codes those that gave an error, as "-".
// It is null if none was asked.
function givers(from: string, hex: string, to: string): [given: string, adapters: string[]][] | null {
  const { asked, pairs } = FAULTS.answers;
  const at = (asked[from] ?? []).findIndex(([, code]) => code === hex);
  const rows = pairs[`${from}:${to}`];
  if (at < 0 || rows === undefined) return null;
  const found = new Map<string, string[]>();
  for (const [row, adapters] of Object.entries(rows)) {
    const given = row.split(" ")[at]!;
    found.set(given, [...(found.get(given) ?? []), ...adapters]);
  }
  const groups = [...found].map(([given, adapters]): [string, string[]] => [given, adapters.sort()]);
  const rank = ([given, adapters]: [string, string[]]): number => (given === "-" ? 0 : adapters.length);
  return groups.sort((one, other) => rank(other) - rank(one) || (one[0] < other[0] ? -1 : 1));
}

// The number of a code; none if it is no code of the dtype.
function numberOf(dtype: string, hex: string): string | null {
  try {
    return ask("element", dtype, "float64", hex).input?.value ?? null;
  } catch {
    return null;
  }
}

function runtimeOf(adapter: string): HTMLElement {
  const { name, version, description } = FAULTS.answers.runtimes[adapter]!;
  // Some versions begin with the name.
  return make("span", { class: "giver", title: description }, version.startsWith(name) ? version : `${name} ${version}`);
}

// The released runtimes that give each result, and when they were asked.
function givenBy(from: string, hex: string, to: string): HTMLElement | null {
  const groups = givers(from, hex, to);
  if (groups === null) return null;
  const result = (given: string): Child[] =>
    given === "-" ? ["an error"] : [make("b", {}, numberOf(to, `0x${given}`) ?? `no code of ${to}`), " ", code(`0x${given}`)];
  const rows = groups.map(([given, adapters]) => make("tr", {},
    make("th", { scope: "row" }, ...result(given)), make("td", { "data-name": "given by" }, ...adapters.map(runtimeOf))));
  const asked = groups.flatMap(([, adapters]) => adapters.map((it) => FAULTS.answers.runtimes[it]!));
  const distinct = (texts: string[]): string => [...new Set(texts)].sort().join(", ");
  return make("section", { id: "given", "aria-label": "What released runtimes give" }, heading("What released runtimes give"),
    tableWith("given", ["result", "given by"], rows),
    paragraph(soft(`Each was asked for this one element on its own, on ${distinct(asked.map((it) => it.date))}, on the CPU `
      + `(${distinct(asked.map((it) => it.machine.replace("_", "-")))}). A runtime that is not here has no such cast, or was not asked.`)));
}
