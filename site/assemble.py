"""Puts the page together: the module, compressed and as base64, the data of other files, the scripts and the styles in one file.

Usage: assemble.py MODULE FOLDER PAGE; FOLDER has the compiled scripts of site/web.
"""

import base64
import gzip
import json
import sys
from pathlib import Path

from differences import differences
from faults import faults

ROOT = Path(__file__).resolve().parent.parent

# What a reader downloads from a server that compresses.
LIMIT = 1_000_000


def atlas() -> dict[str, object]:
    """Returns for every three dtypes whether the one between can be dropped: a bit each, the first of a byte its lowest."""
    file = json.loads(gzip.decompress((ROOT / "vectors/data/atlas.json.gz").read_bytes()))
    dtypes = list(dict.fromkeys(it["dtypes"][0] for it in file["chains"]))
    dropped = {tuple(it["dtypes"]) for it in file["chains"] if it["differ"] == "0"}
    chains = [(a, b, c) in dropped for a in dtypes for b in dtypes for c in dtypes]
    groups = [chains[first : first + 8] for first in range(0, len(chains), 8)]
    bits = bytes(sum(dropped << place for place, dropped in enumerate(group)) for group in groups)
    return {"spec": file["spec"], "dtypes": dtypes, "bits": base64.b64encode(bits).decode()}


def main() -> None:
    module, scripts, page = (Path(argument) for argument in sys.argv[1:])
    style = "\n".join((ROOT / it).read_text() for it in ("gate/report/src/page.css", "site/web/page.css"))
    script = "\n".join(it.read_text() for it in sorted(scripts.glob("*.js")))
    if "</script" in script:
        sys.exit("a script of site/web has the end of a script element")
    # Without the time of the build the same sources give the same page.
    packed = base64.b64encode(gzip.compress(module.read_bytes(), 9, mtime=0)).decode()
    data = {"@FAULTS@": faults(), "@ATLAS@": atlas(), "@DIFFERENCES@": differences()}
    written = {mark: json.dumps(it, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/") for mark, it in data.items()}
    text = (ROOT / "site/web/page.html").read_text()
    for mark, content in {"@STYLE@": style, **written, "@SCRIPT@": script, "@MODULE@": packed}.items():
        if text.count(mark) != 1:
            sys.exit(f"site/web/page.html has not one {mark}")
        text = text.replace(mark, content)
    page.write_text(text)
    size = len(gzip.compress(text.encode(), 9))
    print(f"{page}: {size:,} bytes compressed", file=sys.stderr)
    if size > LIMIT:
        sys.exit(f"{page} has more than {LIMIT:,} bytes compressed")
    print(page)


if __name__ == "__main__":
    main()
