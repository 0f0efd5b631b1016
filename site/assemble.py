"""Puts the page together: the module, compressed and as base64, the faults of runtimes, the scripts and the styles in one file.

Usage: assemble.py MODULE FOLDER PAGE; FOLDER has the compiled scripts of site/web.
"""

import base64
import gzip
import json
import sys
from pathlib import Path

from faults import faults

ROOT = Path(__file__).resolve().parent.parent

# What a reader downloads from a server that compresses.
LIMIT = 1_000_000


def main() -> None:
    module, scripts, page = (Path(argument) for argument in sys.argv[1:])
    style = "\n".join((ROOT / it).read_text() for it in ("gate/report/src/page.css", "site/web/page.css"))
    script = "\n".join(it.read_text() for it in sorted(scripts.glob("*.js")))
    if "</script" in script:
        sys.exit("a script of site/web has the end of a script element")
    # Without the time of the build the same sources give the same page.
    packed = base64.b64encode(gzip.compress(module.read_bytes(), 9, mtime=0)).decode()
    data = json.dumps(faults(), ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    text = (ROOT / "site/web/page.html").read_text()
    for mark, content in (("@STYLE@", style), ("@FAULTS@", data), ("@SCRIPT@", script), ("@MODULE@", packed)):
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
