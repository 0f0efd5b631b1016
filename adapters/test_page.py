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
        other = Path(cls.folder.name) / "other.json"
        page, compared = (Path(cls.folder.name) / name for name in ("page.html", "compared.html"))
        arguments = ["gate", "--testee", f"python3 {WRONG}", "--from", "float32", "--json", results]
        subprocess.run([CASTPROOF, *arguments], stdout=subprocess.DEVNULL, check=False)
        subprocess.run([CASTPROOF, "report", results, "--html", page], check=True)
        suites = ["--suite", "onnx-cast", "--suite", "mindspore-promotion"]
        arguments = ["gate", "--testee", "builtin", *suites, "--json", other]
        subprocess.run([CASTPROOF, *arguments], stdout=subprocess.DEVNULL, check=True)
        arguments = ["report", "--compare", results, other, "--html", compared]
        subprocess.run([CASTPROOF, *arguments], stdout=subprocess.DEVNULL, check=True)
        cls.results, cls.other = (json.loads(path.read_text()) for path in (results, other))
        cls.address, cls.compared = page.as_uri(), compared.as_uri()
        playwright = sync_playwright().start()
        cls.addClassCleanup(playwright.stop)
        cls.browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        cls.addClassCleanup(cls.browser.close)

    def open(self, address=None, **more):
        self.opened = address or self.address
        context = self.browser.new_context(offline=True, **more)
        self.addCleanup(context.close)
        page = context.new_page()
        self.problems = []
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        self.requests = []
        page.goto(self.opened)
        return page

    def tearDown(self):
        self.assertEqual(self.problems, [])
        self.assertEqual(self.requests, [self.opened], "the page loads nothing else")

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

    def test_runs_stand_side_by_side(self):
        page = self.open(self.compared)
        for index, results in enumerate((self.results, self.other)):
            page.select_option("#run", str(index))
            status = page.text_content("#counted")
            for verdict in ("pass", "fail", "unsupported", "undefined"):
                count = sum(cell["counts"][verdict] for cell in results["cells"])
                self.assertEqual(f"{verdict} {count:,}" in status, count > 0, f"{verdict} {count}: {status}")
            page.select_option("#opset", "9")
            count = sum(cell["counts"]["pass"] for cell in results["cells"] if cell["opset"] == 9)
            self.assertIn(f"pass {count:,}", page.text_content("#counted"))
            page.select_option("#opset", "")
        suites = page.text_content("#suites")
        for text in ("mindspore-promotion", "pass 270", "not asked"):
            self.assertIn(text, suites)
        page.click("[aria-label^='float32 to float8e4m3fn:']")
        details = page.text_content("#details")
        for results in (self.results, self.other):
            self.assertIn(results["testee"]["name"], details)
        self.assertIn(self.results["failures"][0]["id"], details)

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
