"""Takes pictures of the built page, as wide as a desktop and as a phone, light and dark, to be looked at.

Usage: screenshots.py PAGE FOLDER; needs what site/tests needs. FOLDER gets a file for each kind of page, and the two of the README:
page-element.png and page-cast.png, as they stand in docs/images.
"""

import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

CHROMIUM = os.environ.get("CASTPROOF_CHROMIUM") or shutil.which("chromium")
WIDTHS = {"wide": 1440, "phone": 375}
PAGES = {
    "first": "",
    "element": "#float32/464/float8e4m3fn",
    "cast": "#cast/float32/int32",
    "zoomed": "#cast/float32/int32//0x4e000000:0x50000000",
    "format": "#format/float8e4m3fn",
    "formats": "#format/float8e4m3fn/float8e5m2",
    "chain": "#chain/int32/float32/int32",
    "chains": "#chains/float32",
    "differences": "#differ/rust-as/x86-sse2",
    "block": "#block/float8e4m3fn/464,1,0.001",
    "linear": "#linear/float32/uint8/0.3/128/-38.25,1",
    "questions": "#questions",
    "runtimes": "#runtimes",
    "history": "#history/torch",
}


def open_page(browser, address: str, width: int, height: int, scheme: str):
    context = browser.new_context(offline=True, viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("#main > *")
    return page


def main() -> None:
    page_file, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, fragment in PAGES.items():
            for size, width in WIDTHS.items():
                for scheme in ("light", "dark"):
                    page = open_page(browser, page_file.as_uri() + fragment, width, 900, scheme)
                    page.screenshot(path=folder / f"{name}-{size}-{scheme}.png", full_page=True)
                    page.context.close()
        # Of the README: the answer of an element, and the number line of a cast.
        page = open_page(browser, page_file.as_uri() + PAGES["element"], 760, 470, "light")
        page.screenshot(path=folder / "page-element.png")
        page = open_page(browser, page_file.as_uri() + PAGES["cast"], 760, 470, "light")
        page.evaluate("document.querySelector('.kinds').scrollIntoView()")
        page.screenshot(path=folder / "page-cast.png")
        browser.close()
    print(f"{len(PAGES) * len(WIDTHS) * 2 + 2} pictures in {folder}")


if __name__ == "__main__":
    main()
