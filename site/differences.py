"""Reads docs/differences.md, every class of inputs for which two specifications differ, as data of the page of answers."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/differences.md"

PAIRS = re.compile(r"Pairs of dtypes that both cast: ([0-9,]+)")
# `float32 0x3f000001 (0.50000006) to int2`
INPUT = re.compile(r"(\w+) (0x[0-9a-f]+) \((.+)\) to (\w+)")


def plain(name: str) -> str:
    return name.replace("`", "").strip()


def differences() -> list[dict[str, object]]:
    """Returns each two specifications that differ: their names, how many pairs both cast, and a row for each class.

    A row is a list: dtype of the source, code, value, target, results of the first and the second specification, rules, number of pairs of
    dtypes, number of codes.
    """
    found = []
    for section in re.split(r"^### ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        head, text = section.split("\n", 1)
        if " and " not in head:
            # The end of the page lists who does not differ.
            continue
        both, rows = PAIRS.search(text), []
        for line in text.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("| ") else []
            if (asked := INPUT.fullmatch(cells[0])) if cells else None:
                rows.append([*asked.groups(), *cells[1:]])
        if both is None or not rows or any(len(row) != 9 for row in rows):
            raise ValueError(f"{PAGE}: the section {head} cannot be read")
        found.append({"by": [plain(name) for name in head.split(" and ")], "pairs": both[1], "rows": rows})
    return found
