"""Takes the picture of the comparison page that the README shows: ONNX Runtime's matrix."""

import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).resolve().parent

with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    page = browser.new_page(viewport={"width": 1100, "height": 1330})
    page.goto((FOLDER / "report.html").as_uri())
    names = page.locator("#run option").all_text_contents()
    page.select_option("#run", label=next(name for name in names if name.startswith("onnxruntime ")))
    page.screenshot(path=FOLDER / "screenshot.png")
    browser.close()
