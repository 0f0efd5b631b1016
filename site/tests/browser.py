"""What the tests of the page share: the page in headless Chromium, and the program beside it.

PAGE is the page, CASTPROOF the program; CASTPROOF_CHROMIUM names a Chromium that is not in the PATH.
"""

import os
import shutil
import subprocess
import unittest
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = Path(os.environ.get("PAGE", ROOT / "target/site/index.html"))
CASTPROOF = os.environ.get("CASTPROOF", str(ROOT / "target/release/castproof"))
CHROMIUM = os.environ.get("CASTPROOF_CHROMIUM") or shutil.which("chromium")
WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 375, "height": 800}

# Writes an address, and waits until the page has shown it.
GO = """(address) => new Promise((done) => {
  const before = location.hash;
  addEventListener("hashchange", () => done(), { once: true });
  location.hash = address;
  if (location.hash === before) done();
})"""


def castproof(*arguments):
    run = subprocess.run([CASTPROOF, *arguments], capture_output=True, text=True, check=False)
    return run.stdout if run.returncode == 0 else None


class PageTest(unittest.TestCase):
    """A test that opens the page as a reader would, without a network."""

    @classmethod
    def setUpClass(cls):
        playwright = sync_playwright().start()
        cls.addClassCleanup(playwright.stop)
        cls.browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.problems, self.requests = [], []

    def open(self, address="", viewport=WIDE, **more):
        context = self.browser.new_context(offline=True, viewport=viewport, **more)
        self.addCleanup(context.close)
        page = context.new_page()
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda message: self.problems.append(message.text))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(PAGE.as_uri() + address)
        self.wait(page)
        return page

    def wait(self, page):
        page.wait_for_selector("#main > *, #said:not(:empty)")

    def wait_for(self, page, address):
        """Waits until the page shows the answer of an address: the address changes before the answer does."""
        page.wait_for_function("(it) => document.getElementById('main').dataset.address === it", arg=address)

    def go(self, page, address):
        page.evaluate(GO, address)

    def address(self, page):
        return page.evaluate("location.hash")

    def tearDown(self):
        self.assertEqual(self.problems, [])
        files = {url.split("#")[0] for url in self.requests}
        self.assertLessEqual(files, {PAGE.as_uri(), "data:,"}, "no request leaves the page, which is one file")
