// What released runtimes give for an element: adapters/answers.json, which adapters/ask_values.py writes.

interface Asked { name: string; version: string; description: string; date: string; machine: string }
// Of each pair, as `float32:int32`, the rows: codes in the order of the values that its source was asked for, and the adapters that gave them.
type Rows = Record<string, Record<string, string[]>>;
// `pairs` is of elements that stand alone; `copies` has what differs in a tensor of `count` equal elements.
interface Answers {
  runtimes: Record<string, Asked>; asked: Record<string, [value: string, code: string][]>; count: number; pairs: Rows; copies: Rows;
}
// An adapter, and in which tensor it gave a result, if it gave another one in the other.
interface Gave { adapter: string; only: string | null }

// The results of an element, each without 0x or `-` for an error, with who gave it: the one that most gave first, an error last.
// It is null if none was asked.
function givers(from: string, hex: string, to: string): [given: string, by: Gave[]][] | null {
  const { asked, pairs, copies, count } = FAULTS.answers;
  const at = (asked[from] ?? []).findIndex(([, code]) => code === hex);
  if (at < 0) return null;
  const resultsIn = (rows: Rows): Map<string, string> => new Map(
    Object.entries(rows[`${from}:${to}`] ?? {}).flatMap(([row, adapters]) => adapters.map((it) => [it, row.split(" ")[at]!])));
  const alone = resultsIn(pairs), copied = resultsIn(copies);
  const found = new Map<string, Gave[]>();
  const add = (given: string, adapter: string, only: string | null): void => void found.set(given, [...(found.get(given) ?? []), { adapter, only }]);
  for (const adapter of [...alone.keys()].sort()) {
    const one = alone.get(adapter)!, many = copied.get(adapter) ?? one;
    add(one, adapter, one === many ? null : "alone");
    if (one !== many) add(many, adapter, `among ${count}`);
  }
  const rank = ([given, by]: [string, Gave[]]): number => (given === "-" ? 0 : by.length);
  return found.size === 0 ? null : [...found].sort((one, other) => rank(other) - rank(one) || (one[0] < other[0] ? -1 : 1));
}

// The number of a code; none if it is no code of the dtype.
function numberOf(dtype: string, hex: string): string | null {
  try {
    return ask("element", dtype, "float64", hex).input?.value ?? null;
  } catch {
    return null;
  }
}

function runtimeOf({ adapter, only }: Gave): HTMLElement {
  const { name, version, description } = FAULTS.answers.runtimes[adapter]!;
  // Some versions begin with the name.
  const said = version.startsWith(name) ? version : `${name} ${version}`;
  return make("span", { class: "giver", title: description }, said, only !== null && soft(` ${only}`));
}

// The released runtimes that give each result, and when they were asked.
function givenBy(from: string, hex: string, to: string): HTMLElement | null {
  const groups = givers(from, hex, to);
  if (groups === null) return null;
  const result = (given: string): Child[] =>
    given === "-" ? ["an error"] : [make("b", {}, numberOf(to, `0x${given}`) ?? `no code of ${to}`), " ", code(`0x${given}`)];
  const rows = groups.map(([given, by]) => make("tr", {},
    make("th", { scope: "row" }, ...result(given)), make("td", { "data-name": "given by" }, ...by.map(runtimeOf))));
  const { runtimes, count } = FAULTS.answers;
  const asked = groups.flatMap(([, by]) => by.map(({ adapter }) => runtimes[adapter]!));
  const distinct = (texts: string[]): string => [...new Set(texts)].sort().join(", ");
  return make("section", { id: "given", "aria-label": "What released runtimes give" }, heading("What released runtimes give"),
    tableWith("given", ["result", "given by"], rows),
    paragraph(soft(`Each was asked for this element alone and among ${count} equal ones, on ${distinct(asked.map((it) => it.date))}, on the CPU `
      + `(${distinct(asked.map((it) => it.machine.replace("_", "-")))}). A runtime that is not here has no such cast, or was not asked.`)));
}
