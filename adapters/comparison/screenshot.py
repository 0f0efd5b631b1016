"""Takes the screenshots of the README: `screenshot.py RUN.html`, the page of a run of ONNX Runtime.

`screenshot.png` is the comparison with ONNX Runtime chosen, `docs/images/run-wide.png` the run with
a pair chosen."""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).resolve().parent
IMAGES = FOLDER.parent.parent / "docs" / "images"

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1100, "height": 1330})
    page.goto((FOLDER / "report.html").as_uri())
    names = page.locator("#run option").all_text_contents()
    page.select_option("#run", label=next(name for name in names if name.startswith("onnxruntime ")))
    page.screenshot(path=FOLDER / "screenshot.png")
    run = Path(sys.argv[1]).resolve()
    page = browser.new_page(viewport={"width": 1440, "height": 1900}, device_scale_factor=2 / 3)
    page.goto(run.as_uri() + "#pair=float32:float8e4m3fn")
    page.screenshot(path=IMAGES / "run-wide.png")
    browser.close()
