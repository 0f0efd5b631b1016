"""Opens report pages in a headless Chromium, as a reader would.

Needs the playwright package and a Chromium; `CASTPROOF_CHROMIUM` names one that playwright did not
install itself. Without either these tests are skipped, and say so. `CASTPROOF` is the program.
"""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None

ROOT = Path(__file__).resolve().parent.parent
CASTPROOF = os.environ.get("CASTPROOF", str(ROOT / "target/debug/castproof"))
CHROMIUM = os.environ.get("CASTPROOF_CHROMIUM") or shutil.which("chromium")
WRONG = ROOT / "gate/tests/testees/wrong.py"
PHONE = {"width": 390, "height": 800}


@unittest.skipIf(sync_playwright is None, "the playwright package is not installed")
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        results = Path(cls.folder.name) / "results.json"
        page = Path(cls.folder.name) / "page.html"
        arguments = ["gate", "--testee", f"python3 {WRONG}", "--from", "float32", "--json", results]
        subprocess.run([CASTPROOF, *arguments], stdout=subprocess.DEVNULL, check=False)
        subprocess.run([CASTPROOF, "report", results, "--html", page], check=True)
        cls.results = json.loads(results.read_text())
        cls.address = page.as_uri()
        playwright = sync_playwright().start()
        cls.addClassCleanup(playwright.stop)
        cls.browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        cls.addClassCleanup(cls.browser.close)

    def open(self, **more):
        context = self.browser.new_context(offline=True, **more)
        self.addCleanup(context.close)
        page = context.new_page()
        self.problems = []
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        self.requests = []
        page.goto(self.address)
        return page

    def tearDown(self):
        self.assertEqual(self.problems, [])
        self.assertEqual(self.requests, [self.address], "the page loads nothing else")

    def test_counts_match_the_results_file(self):
        page = self.open()
        totals = self.results["totals"]
        status = page.text_content("#counted")
        for verdict, count in totals.items():
            if count and verdict != "executed":
                self.assertIn(f"{verdict} {count:,}", status)
        self.assertIn(f"{totals['executed']:,}", page.text_content("#summary"))

    def test_a_click_opens_a_cell(self):
        page = self.open()
        page.click("[aria-label^='float32 to float8e4m3fn:']")
        details = page.text_content("#details")
        failure = self.results["failures"][0]
        for text in (failure["id"], failure["input"], failure["got"], failure["clause"], "Diagnosis"):
            self.assertIn(text, details)
        self.assertIn("rounded toward zero", details)

    def test_filters_dim_what_they_leave_out(self):
        page = self.open()
        cell = page.locator("[aria-label^='float32 to float8e4m3fn:']")
        page.select_option("#verdict", "fail")
        self.assertEqual(page.locator("#matrix button:not(.dim)").count(), 1)
        page.select_option("#verdict", "unsupported")
        self.assertIn("dim", cell.get_attribute("class"))
        page.select_option("#verdict", "")
        clauses = {failure["clause"] for failure in self.results["failures"]}
        shown = page.locator("#clause option").all_text_contents()
        self.assertEqual(set(shown) - {"all"}, clauses)
        page.select_option("#clause", sorted(clauses)[0])
        self.assertEqual(page.locator("#matrix button:not(.dim)").count(), 1)
        page.select_option("#clause", "")
        page.select_option("#opset", "13")
        version = [cell for cell in self.results["cells"] if cell["opset"] == 13]
        unsupported = sum(cell["counts"]["unsupported"] for cell in version)
        self.assertIn(f"unsupported {unsupported:,}", page.text_content("#counted"))

    def test_keyboard_alone(self):
        page = self.open()
        page.focus("#matrix button")
        before = page.evaluate("document.activeElement.dataset.pair")
        page.keyboard.press("ArrowRight")
        after = page.evaluate("document.activeElement.dataset.pair")
        self.assertNotEqual(before, after)
        page.keyboard.press("Enter")
        self.assertIn("→", page.text_content("#details h2"))
        self.assertEqual(page.evaluate("document.activeElement.dataset.pair"), after)

    def test_phone_width_and_both_colour_schemes(self):
        for scheme in ("light", "dark"):
            page = self.open(viewport=PHONE, color_scheme=scheme)
            page.click("[aria-label^='float32 to float8e4m3fn:']")
            # Wide parts scroll by themselves; the page does not.
            width = page.evaluate("document.documentElement.scrollWidth")
            self.assertLessEqual(width, PHONE["width"])
            ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
            self.assertEqual(ground == "rgb(255, 255, 255)", scheme == "light")


if __name__ == "__main__":
    unittest.main()
