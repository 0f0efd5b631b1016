"""Reads docs/bugs.md, the faults found in released runtimes, and the histories and answers of adapters as data of the page of answers.

A text is a list of parts: a string, `{"code": text}`, or `{"link": text, "to": address}`. A fault has members by the heads of its
table, and `cast` where it is of one cast: source, value, target, by the names of this project.
"""

import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/bugs.md"
DTYPES = {it["name"] for it in json.loads((ROOT / "vectors/data/dtypes.json").read_text(encoding="utf-8"))["dtypes"]}
REPOSITORY = "https://github.com/castproof/castproof/blob/main/docs"

PART = re.compile(r"`([^`]+)`|\[([^\]]+)\]\(([^)\s]+)\)")
# `Cast` float32 0x43f00000 (480) to float8e4m3fn; of chains, which have one more dtype, nothing is read.
CAST = re.compile(
    r"^(?:[A-Za-z][\w ]*: )?(?:`Cast` |TOSA `CAST` )?([a-z]+[0-9][a-z0-9_]*|bool) (0x[0-9a-f]+|-?[0-9.]+(?:e-?[0-9]+)?|Inf|NaN)"
    r"(?: \([^)]*\))? to ([a-z]+[0-9][a-z0-9_]*|bool)(?! to\b)"
)


def dtype(name: str) -> str:
    """Returns our name of a dtype that ml_dtypes may have named: float8e8m0 of float8_e8m0fnu."""
    plain = name.replace("_", "").removesuffix("fnu")
    return plain.removesuffix("fn") if plain.startswith(("float4", "float6")) else plain


def parts(text: str) -> list[str | dict[str, str]]:
    """Splits a text into words, code and links."""
    all_parts: list[str | dict[str, str]] = []
    end = 0
    for found in PART.finditer(text):
        all_parts.append(text[end : found.start()])
        code, label, address = found.groups()
        if code is not None:
            all_parts.append({"code": code})
        else:
            if rule := re.fullmatch(r"rules\.md#(.+)", address):
                address = f"#rule/{rule[1]}"
            elif not address.startswith(("http", "#")):
                address = f"{REPOSITORY}/{address}"
            all_parts.append({"link": label, "to": address})
        end = found.end()
    return [part for part in [*all_parts, text[end:]] if part]


def rows(section: str) -> list[dict[str, str]]:
    """Returns the rows of all tables of a section, each by the heads of its table."""
    found, heads = [], None
    for line in section.splitlines():
        if not line.startswith("|"):
            heads = None
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if heads is None:
            heads = cells
        elif not set(line) <= set("|- "):
            found.append(dict(zip(heads, cells, strict=True)))
    return found


def fault(row: dict[str, str]) -> dict[str, object]:
    one: dict[str, object] = {head: parts(cell) for head, cell in row.items()}
    if cast := CAST.match(row["asked"]):
        source, value, target = dtype(cast[1]), cast[2], dtype(cast[3])
        # A row may be about all of float8.
        if {source, target} <= DTYPES:
            one["cast"] = [source, value, target]
    return one


def faults() -> dict[str, object]:
    """Returns the runtimes with their faults, and the faults that are gone."""
    _, *sections = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    runtimes, gone = [], []
    for section in sections:
        title, text = section.split("\n", 1)
        if title == "Gone":
            gone = [{head: parts(cell) for head, cell in row.items()} for row in rows(text)]
        elif not title.startswith("Chosen"):
            said = " ".join(text.split("\n|")[0].split())
            found = [fault(row) for row in rows(text)]
            if not found:
                raise ValueError(f"{PAGE}: the section {title} has no fault")
            runtimes.append({"name": title, "said": parts(said), "faults": found})
    return {"runtimes": runtimes, "gone": gone, "histories": histories(), "answers": answers()}


def histories() -> list[dict[str, object]]:
    """Returns what changed in runtimes from version to version, by adapter."""
    files = sorted(ROOT.glob("adapters/*/history.json"))
    return [json.loads(file.read_text(encoding="utf-8")) for file in files]


def answers() -> dict[str, object]:
    """Returns what runtimes gave for values that people ask about."""
    return json.loads((ROOT / "adapters/answers.json").read_text(encoding="utf-8"))
