"""Opens report pages in a headless Chromium, as a reader would.

Needs a Chromium and the packages playwright and axe-playwright-python; without the packages these
tests are skipped and say so. `CASTPROOF_CHROMIUM` names a Chromium that playwright did not install
itself. `CASTPROOF` is the program.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

try:
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None

ROOT = Path(__file__).resolve().parent.parent
CASTPROOF = os.environ.get("CASTPROOF", str(ROOT / "target/debug/castproof"))
CHROMIUM = os.environ.get("CASTPROOF_CHROMIUM") or shutil.which("chromium")
WRONG = ROOT / "gate/tests/testees/wrong.py"
THROUGH = ROOT / "gate/tests/testees/through.py"
WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 375, "height": 800}
PAIR = "float32:float8e4m3fn"
CELL = f"[data-pair='{PAIR}']"
# Whether the corner above the row labels is on top at both ends where the matrix is scrolled sideways: no column head
# stands over it.
CORNER_IS_SEEN = """() => {
    const corner = document.querySelector("#matrix thead td");
    document.querySelector(".scroll").scrollLeft = 200;
    corner.scrollIntoView();
    const { left, top, width, height } = corner.getBoundingClientRect();
    return [2, width - 2].map((x) => document.elementFromPoint(left + x, top + height / 2) === corner);
}"""


def castproof(*arguments, status=0):
    run = subprocess.run([CASTPROOF, *arguments], capture_output=True, text=True, check=False)
    if run.returncode != status:
        raise RuntimeError(f"{arguments} ended with {run.returncode}: {run.stderr}")


@unittest.skipIf(sync_playwright is None, "playwright and axe-playwright-python are not installed")
class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        folder = Path(cls.folder.name)
        results, other = folder / "results.json", folder / "other.json"
        page, compared = folder / "page.html", folder / "compared.html"
        alone = ["--arrangements", "none"]
        wrong = ["gate", "--testee", f"python3 {WRONG}", "--from", "float32", *alone]
        castproof(*wrong, "--json", results, status=1)
        suites = ["--suite", "onnx-cast", "--suite", "mindspore-promotion"]
        castproof("gate", "--testee", "builtin", *suites, *alone, "--json", other)
        castproof("report", results, "--html", page)
        # The same, where half of what is wrong is known.
        baseline, known = folder / "known.toml", folder / "known.json"
        castproof(*wrong, "--baseline", baseline, "--update-baseline")
        entries = baseline.read_text().split("[[expect]]")
        baseline.write_text("[[expect]]".join(entries[: len(entries) // 2 + 1]))
        castproof(*wrong, "--baseline", baseline, "--json", known, status=1)
        castproof("report", known, "--html", folder / "known.html")
        cls.known = (folder / "known.html").as_uri()
        castproof("report", "--compare", results, other, "--html", compared)
        cls.results, cls.other = (json.loads(path.read_text()) for path in (results, other))
        cls.address, cls.compared = page.as_uri(), compared.as_uri()
        playwright = sync_playwright().start()
        cls.addClassCleanup(playwright.stop)
        cls.browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.problems, self.requests = [], []
        self.pages = {self.address, self.compared, self.known}

    def open(self, address=None, viewport=WIDE, **more):
        context = self.browser.new_context(offline=True, viewport=viewport, **more)
        self.addCleanup(context.close)
        page = context.new_page()
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(address or self.address)
        return page

    def tearDown(self):
        self.assertEqual(self.problems, [])
        foreign = [url for url in self.requests if not url.startswith(("file://", "data:"))]
        self.assertEqual(foreign, [], "the page loads nothing from elsewhere")
        files = {url.split("#")[0] for url in self.requests if url.startswith("file://")}
        self.assertLessEqual(files, self.pages, "the page is one file")

    def kept(self, page):
        return page.locator("#matrix button:not(.dim)").count()

    # --- What the page says ---

    def test_counts_match_the_results_file(self):
        page = self.open(self.address + "#v=all")
        status = page.text_content("#counted")
        totals = dict(self.results["totals"])
        answered = sum(totals[name] for name in ("pass", "tolerated", "undefined", "fail"))
        without = answered - totals["executed"]
        totals.setdefault("refused", without)
        tolerated = totals.pop("declinedTolerated", 0)
        totals["declined"] = without - totals["refused"]
        totals["pass"] -= totals["refused"]
        totals["tolerated"] -= tolerated
        totals["undefined"] -= totals["declined"] - tolerated
        for verdict, count in totals.items():
            if count and verdict != "executed":
                self.assertIn(f"{verdict} {count:,}", status)
        self.assertIn(f"{self.results['totals']['executed']:,} executed", page.text_content("#verdict"))
        self.assertIn("FAIL", page.text_content("#verdict"))

    def test_counts_of_findings_agree(self):
        """The title counts what the cards and the folded list show, and so does the button."""
        for address in (self.address, self.known):
            page = self.open(address)
            title = page.text_content("#findings-title")
            counts = dict(reversed(it) for it in re.findall(r"([0-9,]+) (explained|known|notices)", title))
            counts["fresh"] = re.match(r"Findings: ([0-9,]+), ", title)[1]
            counts = {name: int(count.replace(",", "")) for name, count in counts.items()}
            self.assertEqual(counts.get("known", 0) > 0, address == self.known, title)
            folded = page.locator("#refusals li").count()
            said = re.fullmatch(r"Show all ([0-9,]+)(?:; ([0-9,]+) more (?:is|are) folded below)?", page.text_content("#more"))
            self.assertEqual(int(said[2] or 0), folded)
            if page.is_visible("#more"):
                page.click("#more")
            cards = page.locator(".card").count()
            self.assertEqual(int(said[1]), cards)
            self.assertEqual(cards + folded, sum(counts.get(name, 0) for name in ("fresh", "known", "notices")), title)

    def test_findings_stand_above_the_matrix(self):
        page = self.open()
        findings = [it for it in self.results["findings"] if it["kind"] != "refusal"]
        self.assertGreater(len(findings), 0)
        card = page.locator(".card").first
        self.assertEqual(card.get_attribute("data-id"), findings[0]["id"])
        said = card.text_content()
        for text in (findings[0]["example"]["sentence"], findings[0]["rule"], "castproof show"):
            self.assertIn(text, said)
        self.assertLess(card.bounding_box()["y"], page.locator("#matrix").bounding_box()["y"])
        # Accepted refusals are counted too, as on the terminal.
        self.assertIn(f"Findings: {len(self.results['findings'])},", page.text_content("#findings-title"))

    def test_cells_say_what_is_so(self):
        page = self.open()
        self.assertRegex(page.get_attribute(CELL, "class"), "fail")
        self.assertEqual(page.text_content(CELL), "×")
        # A pair that the testee lacks is not green, even if some of its refusals are right.
        self.assertEqual(page.locator("#matrix button.pass").count(), 0)
        self.assertGreater(page.locator("#matrix button.unsupported").count(), 10)
        page = self.open(self.compared + "#run=castproof")
        # A pair that only new versions have is not grey, although old versions lack it.
        self.assertRegex(page.get_attribute("[data-pair='float32:int4']", "class"), "pass|tolerated")
        self.assertEqual(page.locator("#matrix button.unsupported").count(), 0)
        page.select_option("#v", "9")
        self.assertEqual(page.get_attribute("[data-pair='float32:int4']", "class"), "absent")

    # --- The pair beside the matrix ---

    def test_a_click_opens_a_pair_beside_the_matrix(self):
        page = self.open()
        page.click(CELL)
        panel = page.text_content("#panel")
        failure = next(it for it in self.results["failures"] if it["to"] == "float8e4m3fn")
        for text in (failure["id"], failure["input"], failure["got"], failure["clause"]):
            self.assertIn(text, panel)
        self.assertIn(self.results["findings"][0]["id"], panel)
        matrix, beside = (page.locator(it).bounding_box() for it in ("#matrix", "#panel"))
        self.assertGreaterEqual(beside["x"], matrix["x"] + matrix["width"])
        page.click("#close")
        self.assertEqual(page.evaluate("document.activeElement.dataset.pair"), PAIR)
        self.assertIn("Choose a pair", page.text_content("#panel"))

    def test_tolerated_readings_are_a_click_away(self):
        folder = Path(self.folder.name)
        results, through = folder / "through.json", folder / "through.html"
        pair = ["--from", "float64", "--to", "float16", "--arrangements", "none"]
        castproof("gate", "--testee", f"python3 {THROUGH}", *pair, "--json", results)
        castproof("report", results, "--html", through)
        self.pages.add(through.as_uri())
        page = self.open(through.as_uri() + "#pair=float64:float16")
        self.assertEqual(page.locator(".readings").count(), 1)
        page = self.open(self.compared + "#run=castproof")
        page.click("[data-pair='float32:int4']")
        self.assertEqual(page.locator(".readings").count(), 0)
        # The panel of a pair quotes rules.
        page = self.open(self.address + "#pair=" + PAIR)
        self.assertIn("F8-", page.text_content("#panel blockquote"))

    def test_two_runtimes_stand_side_by_side(self):
        page = self.open(self.compared)
        page.click(f"#matrix {CELL}")
        for results in (self.results, self.other):
            self.assertIn(results["testee"]["name"], page.text_content("#panel"))
        page.select_option("#run", "wrong")
        page.select_option("#with", "castproof")
        sides = page.locator("#sides .side h3").all_text_contents()
        self.assertEqual([side.split()[0] for side in sides], ["wrong", "castproof"])
        self.assertIn("with=castproof", page.url)

    # --- Filters, search, addresses ---

    def test_filters_dim_what_they_leave_out(self):
        page = self.open()
        page.select_option("#verdict-of", "fail")
        failing = self.kept(page)
        self.assertEqual(failing, 1)
        page.select_option("#verdict-of", "unsupported")
        self.assertIn("dim", page.get_attribute(CELL, "class"))
        page.click("#clear")
        clauses = {failure["clause"] for failure in self.results["failures"]}
        self.assertEqual(set(page.locator("#rule option").all_text_contents()) - {"any"}, clauses)
        for clause in sorted(clauses):
            page.select_option("#rule", clause)
            pairs = {(it["from"], it["to"]) for it in self.results["failures"] if it["clause"] == clause}
            self.assertEqual(self.kept(page), len(pairs))
        page.click("#clear")
        page.select_option("#dtype", "float16")
        self.assertEqual(self.kept(page), 1)
        page.click("#clear")
        page.select_option("#v", "13")
        version = [cell for cell in self.results["cells"] if cell["opset"] == 13]
        unsupported = sum(cell["counts"]["unsupported"] for cell in version)
        self.assertIn(f"unsupported {unsupported:,}", page.text_content("#counted"))
        page.click("#clear")
        page.select_option("#mode", "saturate=0")
        self.assertIn("mode=saturate", page.url)
        page.select_option("#kind", "numeric")
        self.assertIn("kind=numeric", page.url)

    def test_search_finds_findings_and_pairs(self):
        page = self.open()
        page.fill("#q", self.results["findings"][0]["id"].lower())
        self.assertEqual(page.locator(".card").count(), 1)
        page.fill("#q", "float32 → bool")
        self.assertEqual(self.kept(page), 1)
        page.fill("#q", "nothing like this")
        self.assertEqual(self.kept(page), 0)
        self.assertIn("None with these filters", page.text_content("#cards"))

    def test_an_address_brings_back_what_was_shown(self):
        page = self.open(self.compared)
        page.select_option("#run", "wrong")
        page.select_option("#v", "21")
        page.select_option("#dtype", "float8e4m3fn")
        page.fill("#q", "float8")
        page.click(f"#matrix {CELL}")

        def shown(it):
            values = [it.input_value(f"#{name}") for name in ("run", "v", "dtype", "q")]
            return values + [it.inner_html(part) for part in ("#matrix", "#panel", "#cards", "#counted")]

        again = self.open(page.url)
        self.assertEqual(shown(page), shown(again))
        page.go_back()
        self.assertNotIn("pair=", page.url)
        self.assertIn("Choose a pair", page.text_content("#panel"))
        page.go_forward()
        self.assertEqual(shown(page), shown(again))

    def test_what_no_address_means_breaks_nothing(self):
        page = self.open(self.address + "#pair=x:y&v=999&run=none&f=F-0&%3Cimg%20src=x%3E=1&q=%3Cb%3E")
        self.assertEqual(page.locator("#matrix img, #cards b").count(), 0)
        self.assertIn("There is no pair x:y", page.text_content("#panel"))

    # --- The comparison ---

    def test_the_first_screen_ranks_the_runtimes(self):
        page = self.open(self.compared)
        rows = page.locator("#ranking tbody tr")
        self.assertIn("castproof", rows.nth(0).text_content())
        self.assertIn("100\u00a0%", rows.nth(0).text_content())
        self.assertRegex(rows.nth(1).text_content(), r"wrong.*0 of 1 \(0\.0\u00a0%\)")
        self.assertLess(page.locator("#ranking").bounding_box()["y"], WIDE["height"] / 2)
        page.click("text=findings >> nth=0")
        page.click("#ranking button:has-text('runtime')")
        self.assertIn("sort=name", page.url)
        self.assertIn("castproof", rows.nth(0).text_content())
        rows.nth(1).locator(".tags a").first.click()
        self.assertIn("run=wrong", page.url)
        self.assertIn("kind=", page.url)
        self.assertGreater(page.locator(".card").count(), 0)

    def test_what_is_refused_in_part_is_not_wrong(self):
        page = self.open(self.compared)
        standing = page.evaluate("""() => {
          const sum = (kind, counts) => {
            const all = new Array(FIRST_VERDICT + data.verdicts.length).fill(0);
            all.kinds = [kindNamed(kind), kindNamed(kind)];
            Object.entries(counts).forEach(([verdict, count]) => (all[column(verdict)] = count));
            all[EXECUTED] = (counts.pass || 0) + (counts.fail || 0);
            return all;
          };
          const sums = new Map(Object.entries({ a: sum("pass", { pass: 5 }), b: sum("error", { pass: 5, error: 1 }),
            c: sum("error", { pass: 5, error: 1, fail: 1 }), d: sum("unsupported", { unsupported: 5 }), e: sum("place", { pass: 5 }),
            f: sum("error", { pass: 5, error: 1 }) }));
          const findings = [{ kind: "place", pairs: ["f"] }];
          return standing({ findings, pairs: new Map(), sums: new Map([[state.v + "|" + state.mode, sums]]) });
        }""")
        self.assertEqual(standing, {"right": 1, "wrong": 3, "refused": 1, "missing": 1, "judged": 4, "share": 0.25})

    # --- Keyboard, phone, colours, print, axe ---

    def test_keyboard_alone(self):
        page = self.open()
        self.assertEqual(page.locator("#matrix [tabindex='0']").count(), 1, "one stop of Tab")
        page.focus("#clear")
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.dataset.pair || ''"):
                break

        def place():
            return page.evaluate("document.activeElement.dataset.pair")

        before = place()
        page.keyboard.press("ArrowRight")
        after = place()
        self.assertNotEqual(before, after)
        page.keyboard.press("Home")
        self.assertEqual(place(), before)
        page.keyboard.press("End")
        page.keyboard.press("Enter")
        chosen = place()
        self.assertIn(chosen.replace(":", " → "), page.text_content("#panel h2"))
        self.assertIn("pair=" + chosen.replace(":", "%3A"), page.url)
        page.keyboard.press("Escape")
        self.assertEqual(place(), chosen)
        self.assertNotIn("pair=", page.url)

    def test_phone_width_and_both_colour_schemes(self):
        for address in (self.address, self.compared):
            for scheme in ("light", "dark"):
                page = self.open(address, PHONE, color_scheme=scheme)
                page.click(f"#matrix {CELL}")
                # Wide parts scroll on their own; the page does not scroll sideways.
                width = page.evaluate("document.documentElement.scrollWidth")
                self.assertLessEqual(width, PHONE["width"])
                self.assertEqual(page.evaluate("document.activeElement.id"), "close")
                page.keyboard.press("Escape")
                self.assertFalse(page.is_visible("#panel"))
                ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
                self.assertEqual(ground == "rgb(255, 255, 255)", scheme == "light")

    def test_a_phone_shows_findings_before_filters(self):
        page = self.open(self.address, PHONE)
        self.assertFalse(page.locator("#filters").is_visible())
        self.assertLess(page.locator(".card").first.bounding_box()["y"], PHONE["height"])
        page.click("#filtering > summary")
        self.assertTrue(page.locator("#filters").is_visible())

    def test_row_labels_stay_where_columns_are_scrolled(self):
        page = self.open(self.address, PHONE)
        self.assertEqual(page.evaluate(CORNER_IS_SEEN), [True, True])

    def test_cells_that_are_dim_stay_under_their_row_label(self):
        page = self.open(self.address + "#q=nothing+like+this", PHONE)
        self.assertEqual(self.kept(page), 0)
        on_top = page.evaluate(
            """() => {
                const label = document.querySelector("#matrix tbody th");
                document.querySelector(".scroll").scrollLeft = 200;
                label.scrollIntoView();
                const { left, top, width, height } = label.getBoundingClientRect();
                return [2, width - 2].map((x) => document.elementFromPoint(left + x, top + height / 2) === label);
            }"""
        )
        self.assertEqual(on_top, [True, True])

    def test_print_has_no_controls(self):
        page = self.open()
        page.emulate_media(media="print")
        self.assertFalse(page.is_visible("#filters"))
        self.assertTrue(page.is_visible("#matrix") and page.is_visible(".card"))

    def test_axe_finds_nothing(self):
        for address in (self.address, self.compared, self.compared + "#run=wrong&with=castproof"):
            for viewport, scheme in ((WIDE, "light"), (PHONE, "dark")):
                page = self.open(address, viewport, color_scheme=scheme)
                page.click(f"#matrix {CELL}")
                found = Axe().run(page).response["violations"]
                self.assertEqual([(it["id"], it["nodes"][0]["html"]) for it in found], [])


ATLAS = (ROOT / "docs/atlas.html").as_uri()


@unittest.skipIf(sync_playwright is None, "playwright and axe-playwright-python are not installed")
class Atlas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        playwright = sync_playwright().start()
        cls.addClassCleanup(playwright.stop)
        cls.browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        cls.addClassCleanup(cls.browser.close)

    def open(self, state="", viewport=WIDE):
        context = self.browser.new_context(offline=True, viewport=viewport)
        self.addCleanup(context.close)
        page = context.new_page()
        self.problems = []
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", lambda request: self.assertTrue(request.url.startswith(("file://", "data:"))))
        page.goto(ATLAS + state)
        page.wait_for_selector("#matrix button")
        return page

    def tearDown(self):
        self.assertEqual(self.problems, [])

    def test_it_says_what_the_program_says(self):
        for a, b, c in (("float32", "int8", "float32"), ("float16", "float32", "float8e4m3fn")):
            told = subprocess.run([CASTPROOF, "chain", a, b, c], capture_output=True, text=True, check=True)
            panel = self.open(f"#a={a}&b={b}&c={c}").text_content("#panel")
            for witness in re.findall(r"(?m)^(?:positive|negative)  (0x[0-9a-f]+)", told.stdout):
                self.assertIn(witness, panel)
            count = re.search(r"([0-9,]+) of [0-9,]+ codes differ", told.stdout)
            self.assertIn(f"{count[1]} codes differ" if count else "can be dropped", panel)

    def test_the_state_is_in_the_url(self):
        page = self.open()
        page.select_option("#b", "int8")
        page.click("[data-chain='float32:float32']")
        self.assertIn("b=int8", page.url)
        again = self.open("#" + page.url.split("#")[1])
        self.assertEqual(again.text_content("#panel"), page.text_content("#panel"))
        self.assertIn("float32 → int8 → float32", again.text_content("#panel"))

    def test_the_matrix_is_one_tab_stop_with_arrows(self):
        page = self.open("#b=float16&a=int8&c=int8")
        page.focus("#b")
        page.keyboard.press("Tab")
        focused = "document.activeElement.dataset.chain"
        self.assertEqual(page.evaluate(focused), "int8:int8")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        self.assertEqual(page.evaluate(focused), "uint8:uint8")
        page.keyboard.press("Enter")
        self.assertIn("uint8 → float16 → uint8", page.text_content("#panel"))
        self.assertEqual(page.evaluate(focused), "uint8:uint8")

    def test_a_tap_on_a_phone_shows_its_answer(self):
        page = self.open("", PHONE)
        page.locator("#matrix button").nth(40).click()
        box = page.locator("#panel").bounding_box()
        self.assertNotIn("Choose", page.locator("#panel").inner_text())
        self.assertLess(box["y"], PHONE["height"] - 100)
        self.assertEqual(round(box["y"] + box["height"]), PHONE["height"])

    def test_row_labels_stay_where_columns_are_scrolled(self):
        self.assertEqual(self.open("#b=float16", PHONE).evaluate(CORNER_IS_SEEN), [True, True])

    def test_axe_finds_nothing_serious(self):
        for viewport in (WIDE, PHONE):
            page = self.open("#b=int8&a=float32&c=float32", viewport)
            found = Axe().run(page).response["violations"]
            serious = [it["id"] for it in found if it["impact"] in ("serious", "critical")]
            self.assertEqual(serious, [])
            width = page.evaluate("document.documentElement.scrollWidth")
            self.assertLessEqual(width, viewport["width"])


if __name__ == "__main__":
    unittest.main()
