"""Opens the page of answers in headless Chromium, as a reader would, and compares it with the program."""

import gzip
import json
import random
import shlex
import sys
import unittest

from axe_playwright_python.sync_playwright import Axe
from browser import PAGE, PHONE, ROOT, PageTest, castproof

sys.path.insert(0, str(ROOT / "site"))
from faults import faults

# What a reader downloads from a server that compresses.
LIMIT = 1_000_000
# Drawn pairs, and elements of each.
PAIRS, EACH = 100, 4
NUMBERS = "0 -0.0 1 -1 0.5 -0.5 1.5 2.5 7 127 128 200 -129 255 256 300 448 464 465 480 57344 65504 65520 70000 3e9 -3e9 1e19 1e20".split()
NUMBERS += "1e39 1e300 1e-8 1e-40 1e-46 6e-8 0.1 0.3 inf -inf nan 0x1.8p3".split()
TEXTS = ["1", "-0.0", "1e20", "nan", "INF", "abc", "", "0.1", "1_000", "7e-46", "a/b, c?d#e%"]

ELEMENT = "#float32/464/float8e4m3fn"
ADDRESSES = ["", ELEMENT, "#float64/0.1/float32", "#float32/3e9/int32", "#int32/300/int8", "#string/abc/float32", "#float32/1.5/string"]
ADDRESSES += ["#format/float8e4m3fn", "#format/binary8p4se", "#format/int8", "#format/float64", "#rule/F8-S10", "#formats", "#questions"]
ADDRESSES += ["#cast/float32/int32", "#cast/float64/float4e2m1", "#cast/string/int32", "#float32/zzz/int8"]

BLOCK, LINEAR = "#block/float8e4m3fn/464,1,0.001", "#linear/float32/uint8/0.3/128/-38.25,1"
ADDRESSES += [BLOCK, LINEAR, "#block/float4e2m1/464,-1,nan/bfloat16/1000", "#linear/int8/float32/0.3//1,2", "#block/int8/1"]
ADDRESSES += ["#runtimes", "#runtime/onnx-runtime", "#runtime/openvino", "#history/numpy-ml-dtypes"]
# The kinds of page that test_lines.py looks at.
LINES = ["#chain/float32/int8/float32/464", "#chains/float32", "#differ/rust-as/x86-sse2", "#format/float8e4m3fn/float8e5m2"]
ADDRESSES += [*LINES, "#chain/int32/int64/int8//rust-as"]
ADDRESSES += ["#cast/float32/int32//0x4e000000:0x50000000", "#cast/float32/int32/1,nan/0x4e000000:0x50000000"]
# A page of each kind.
AXE = ["", ELEMENT, "#format/float8e4m3fn", "#cast/float32/int32", "#question/which-e4m3", "#formats", BLOCK, LINEAR]
AXE += ["#block/float4e2m1/464,1,0.001", "#runtimes", "#runtime/onnx-runtime", "#history/numpy-ml-dtypes", *LINES]
# Drawn blocks, and drawn nodes of linear quantisation.
BLOCKS, NODES = 40, 20
ELEMENTS = "float8e4m3fn float8e5m2 float6e2m3 float6e3m2 float4e2m1".split()
# From, to, and zero points.
LINEAR_PAIRS = [
    ("float32", "uint8", "0", "128"),
    ("float32", "int8", "", "-3"),
    ("float16", "uint4", "", "7"),
    ("bfloat16", "int4", "", "2"),
    ("float32", "float8e4m3fn", "", ""),
    ("int32", "uint8", "3", ""),
    ("uint8", "float32", "130", ""),
    ("int8", "float32", "", "-5"),
]

# What the page shows of blocks: for each rule the scale and the elements, as they stand in the tables.
BLOCK_SHOWN = """() => [...document.querySelectorAll("#main table.block")].flatMap((table) => {
  const rows = [...table.querySelectorAll("tbody tr")].slice(0, -1);
  const heads = [...table.querySelectorAll("thead th")];
  const cell = (row, at) => row.querySelectorAll("td")[at].querySelector("code")?.textContent ?? null;
  return heads.flatMap((head, at) => [...head.children].map((rule) =>
    ({ rule: rule.textContent, cells: rows.map((row) => cell(row, at)) })));
})"""
# What the page shows of an element: the results in words, who gives them, and the JSON.
SHOWN = """() => ({
  rows: [...document.querySelectorAll("#main [data-said]")].map((it) => [it.dataset.said, it.dataset.by]),
  json: document.querySelector("#main .take:last-of-type pre")?.textContent ?? "",
  problem: document.getElementById("said").textContent,
})"""

def drawn(draw, source, bits):
    """Returns an element: a number that people write, or a code."""
    if source == "string":
        return draw.choice(TEXTS)
    if draw.random() < 0.6:
        return draw.choice(NUMBERS)
    return f"0x{draw.getrandbits(bits):0{-(-bits // 4)}x}"


class Site(PageTest):
    # --- What the page says ---

    def test_drawn_elements_are_answered_as_the_program_answers(self):
        page, draw = self.open(), random.Random(1)
        dtypes = page.evaluate('names().dtypes.map((it) => [it, ask("format", it).dtype.bits])')
        self.assertGreater(len(dtypes), 20)
        compared, results = 0, 0
        for _ in range(PAIRS):
            (source, bits), (target, _) = draw.choice(dtypes), draw.choice(dtypes)
            values = [drawn(draw, source, bits) for _ in range(EACH)]
            with self.subTest(source=source, values=values, target=target):
                results += self.compare(page, source, values, target)
            compared += len(values)
        self.assertEqual(compared, PAIRS * EACH)
        # Numbers that a dtype does not hold are refused by both; most are held.
        self.assertGreater(results, compared)

    def compare(self, page, source, values, target):
        """Compares elements; returns how many results they have."""
        blocks, lines, held = [], "", []
        for value in values:
            self.go(page, page.evaluate("(it) => toElement(...it)", [source, value, target]))
            shown = page.evaluate(SHOWN)
            if shown["problem"] != "":
                self.assertEqual(shown["rows"], [])
                self.assertIsNone(castproof("expect", "--all", "--nearest", source, value, target))
                continue
            held.append(value)
            width = max(len(said) for said, _ in shown["rows"])
            blocks.append([f"{said:<{width}}  {by}" for said, by in shown["rows"]])
            lines += shown["json"] + "\n"
        if not held:
            return 0
        asked = ["expect", "--all", "--nearest", "--from", source, "--to", target, *held]
        text = castproof(*asked)
        self.assertEqual(blocks, [block.splitlines()[1:] for block in text.split("\n\n")])
        self.assertEqual(lines, castproof(*asked, "--json"))
        return sum(len(block) for block in blocks)

    def json_of(self, page):
        return page.text_content("#main .take:last-of-type pre") + "\n"

    def test_drawn_blocks_are_quantised_as_the_program_quantises(self):
        page, draw = self.open(), random.Random(2)
        compared, differ = 0, 0
        for _ in range(BLOCKS):
            elements, source = draw.choice(ELEMENTS), draw.choice(["float32", "float32", "float16", "bfloat16"])
            values = [draw.choice(NUMBERS) for _ in range(draw.choice([1, 3, 8, 16, 17, 40]))]
            largest = draw.choice(["", "", "7", "1e5"])
            with self.subTest(elements=elements, source=source, values=values, largest=largest):
                self.go(page, page.evaluate("(it) => toBlock(...it)", [elements, values, source, largest]))
                more = ["--from", source, *(["--largest", largest] if largest else [])]
                due = castproof("quantize", "--elements", elements, *more, "--json", "--", *values)
                if due is None:
                    self.assertNotEqual(page.text_content("#said"), "")
                    continue
                self.assertEqual(self.json_of(page), due)
                due = [json.loads(line) for line in due.splitlines()]
                shown = sorted((it["rule"], it["cells"]) for it in page.evaluate(BLOCK_SHOWN))
                self.assertEqual(shown, sorted((it["rule"], [it["scale"], *it["elements"]]) for it in due))
                differ += page.locator("td.differs").count()
                compared += 1
        self.assertGreater(compared, BLOCKS // 2)
        self.assertGreater(differ, 0)

    def test_drawn_nodes_are_quantised_as_the_program_quantises(self):
        page, draw = self.open(), random.Random(3)
        compared = 0
        for _ in range(NODES):
            source, target, *zeros = draw.choice(LINEAR_PAIRS)
            numbers = ["0", "1", "5", "-7", "100"] if "int" in source else NUMBERS
            values = [draw.choice(numbers) for _ in range(EACH)]
            zero, scale = draw.choice(zeros), draw.choice(["0.3", "1", "0.007", "0x3e99999a", "1e-3"])
            if source == "uint8":
                values = [value.lstrip("-") for value in values]
            with self.subTest(source=source, target=target, scale=scale, zero=zero, values=values):
                self.go(page, page.evaluate("(it) => toLinear(...it)", [source, target, scale, zero, values]))
                command = "dequantize-linear" if target == "float32" else "quantize-linear"
                more = [f"--zero-point={zero}"] if zero else []
                due = castproof(command, "--from", source, "--to", target, "--scale", scale, *more, "--json", "--", *values)
                self.assertIsNotNone(due, page.text_content("#said"))
                self.assertEqual(self.json_of(page), due)
                shown = page.eval_on_selector_all("#main td[data-said]", "all => all.map((it) => it.querySelector('code')?.textContent)")
                due = [json.loads(line)["expect"] for line in due.splitlines()]
                self.assertEqual(len(shown), len(due))
                for code, outcome in zip(shown, due, strict=True):
                    self.assertIn(code, [outcome.get("code"), *outcome.get("oneOf", []), *([None] if "code" not in outcome else [])])
                compared += 1
        self.assertEqual(compared, NODES)

    def test_the_command_of_a_block_can_be_run(self):
        page = self.open()
        for address in (BLOCK, LINEAR, "#block/float4e2m1/464,-1,nan/bfloat16/1000", "#linear/int8/float32/0.3//-1,2"):
            with self.subTest(address=address):
                self.go(page, address)
                name, *arguments = shlex.split(page.text_content("#main .take pre"))
                self.assertEqual(name, "castproof")
                self.assertEqual(castproof(arguments[0], "--json", *arguments[1:]), self.json_of(page))

    def test_the_marks_of_a_block_are_where_rules_differ(self):
        page = self.open(BLOCK)
        columns = page.eval_on_selector_all("thead th", "all => all.map((it) => it.children.length)")
        self.assertEqual(len(columns), 4)
        rows = page.eval_on_selector_all("tbody tr", "all => all.map((it) => it.querySelectorAll('.differs').length)")
        self.assertEqual(rows, [3, 1, 3, 3, 0])

    def test_runtimes_have_the_faults_of_the_page_of_bugs(self):
        page, runtimes = self.open("#runtimes"), faults()["runtimes"]
        cells = "all => all.map((it) => [it.querySelector('a').textContent, it.children[1].textContent])"
        shown = page.eval_on_selector_all("tbody tr", cells)
        self.assertEqual(shown, [[it["name"], str(len(it["faults"]))] for it in runtimes])
        self.assertEqual(page.locator("ul.list li").count(), len(faults()["gone"]))
        self.assertTrue(PAGE.with_name(page.get_attribute("a[href='comparison.html']", "href")).is_file())
        for runtime in runtimes:
            self.go(page, page.evaluate("(name) => toRuntime(name)", runtime["name"]))
            self.assertEqual(page.locator("table.faults tbody tr").count(), len(runtime["faults"]), runtime["name"])
            looked_up = page.eval_on_selector_all("table.faults a[aria-label^='look up']", "all => all.map((it) => it.hash)")
            casts = [it["cast"] for it in runtime["faults"] if "cast" in it]
            self.assertEqual(looked_up, page.evaluate("(all) => all.map((it) => toElement(...it))", casts))

    def test_what_a_fault_says_is_due_is_what_the_page_gives(self):
        page, compared = self.open(), 0
        for fault in (it for runtime in faults()["runtimes"] for it in runtime["faults"] if "cast" in it):
            due = str(fault["expected"][0]).split()[0]
            if not due.startswith("0x"):
                continue
            with self.subTest(asked=fault["asked"]):
                self.go(page, page.evaluate("(it) => toElement(...it)", fault["cast"]))
                results = page.eval_on_selector_all("#main [data-said]", "all => all.map((it) => it.dataset.said)")
                self.assertTrue(any(said.startswith(due) for said in results), (due, results))
                self.assertGreater(page.locator("table.faults").count(), 0)
                compared += 1
        self.assertGreater(compared, 15)

    def test_an_element_has_what_runtimes_gave(self):
        page, answers = self.open(), faults()["answers"]
        asked = "float32 3e9 int32, float32 nan uint8, float64 1e300 float16, float32 200 int8, float32 464 float8e4m3fn, float32 inf bool"
        for source, value, target in (it.split() for it in asked.split(", ")):
            with self.subTest(source=source, value=value, target=target):
                at, pair, due = [it for it, _ in answers["asked"][source]].index(value), f"{source}:{target}", {}
                for member in ("pairs", "copies"):
                    for row, names in answers[member].get(pair, {}).items():
                        due.setdefault(row.split()[at], set()).update(answers["runtimes"][name]["version"] for name in names)
                self.go(page, f"#{source}/{value}/{target}")
                rows = page.locator("table.given tbody tr").all()
                shown = [row.locator("th").text_content().split()[-1] for row in rows]
                self.assertEqual(sorted(shown), sorted("error" if code == "-" else f"0x{code}" for code in due))
                for code, row in zip(shown, rows):
                    for version in due["-" if code == "error" else code[2:]]:
                        self.assertIn(version, row.locator("td").text_content())
        self.go(page, "#float32/3e9/int32")
        self.assertIn("-2147483648 0x80000000", page.text_content("table.given"))
        for address in ("#float32/3.25/int32", "#string/1/float32", "#float32/3e9/string"):
            self.go(page, address)
            self.assertEqual(page.locator("#given").count(), 0, address)

    def test_the_search_knows_runtimes(self):
        page = self.open()
        for words, name in [("openvino", "openvino"), ("onnx runtime", "onnx-runtime"), ("mindspore", "mindspore")]:
            page.fill("#q", words)
            page.press("#q", "Enter")
            self.wait_for(page, f"#runtime/{name}")

    def test_a_format_has_the_card_of_the_program(self):
        page = self.open("#format/binary8p3se")
        card = castproof("format", "binary8p3se", "--codes")
        shown = page.text_content("#main")
        for line in card.splitlines():
            name, _, said = line.strip().partition(" ")
            if name == "largest":
                code, value = said.strip().rstrip(")").split(" (")
                self.assertIn(f"{value} ({code})", shown)
            if name.startswith("0x"):
                self.assertIn(f"{name} {said}", shown)
        self.assertEqual(page.locator(".codes li").count(), 256)
        self.assertEqual(page.locator(".codes .nan").count(), 1)
        self.assertEqual(page.locator(".codes .infinite").count(), 2)

    def test_the_tie_is_drawn(self):
        page = self.open(ELEMENT)
        self.assertIn("464 is the tie between 448 and 480", page.text_content(".line"))
        self.assertIn("float8e4m3fn does not have it", page.text_content(".ends .above"))
        self.assertAlmostEqual(float(page.get_attribute(".here", "cx")), 200, delta=1)
        page = self.open("#float32/449/float8e4m3fn")
        self.assertLess(float(page.get_attribute(".here", "cx")), 90)

    def test_a_rule_is_told_with_its_source(self):
        page = self.open(ELEMENT)
        page.click(".first .why summary")
        page.click(".first .rule a >> nth=0")
        self.wait_for(page, "#rule/F8-S10")
        shown = page.text_content("#main")
        head, *rows = castproof("rules", "F8-S10").splitlines()
        self.assertIn(head.split("  ")[1], shown)
        for row in rows:
            self.assertIn(row.strip().split(maxsplit=1)[1].removeprefix("in").strip(), shown)

    def test_every_question_has_an_answer(self):
        page = self.open("#questions")
        questions = page.eval_on_selector_all("#main li a", "all => all.map((it) => it.getAttribute('href'))")
        self.assertGreaterEqual(len(questions), 20)
        for question in questions:
            with self.subTest(question=question):
                self.go(page, question)
                self.assertGreater(page.locator("#main table td, #main .agreed").count(), 0)
                self.assertEqual(page.text_content("#said"), "")

    # --- Addresses and controls ---

    def test_an_address_restores_what_was_shown(self):
        first = self.open()
        for address in ADDRESSES:
            with self.subTest(address=address):
                again = self.open(address)
                self.go(first, address)
                self.assertEqual(first.inner_text("#main"), again.inner_text("#main"))
                self.assertEqual(first.title(), again.title())
        page = self.open(ELEMENT)
        page.click("#next")
        page.go_back()
        page.wait_for_function("() => document.querySelector('#value').value === '464'")

    def test_the_search_box_reads_names_of_every_project(self):
        page = self.open()
        for words, address in [
            ("464 float32 float8e4m3fn", ELEMENT),
            ("float32 464 float8e4m3fn", ELEMENT),
            ("464 torch.float32 -> torch.float8_e4m3fn", ELEMENT),
            ("cast -1 fp32 to jnp.uint8", "#float32/-1/uint8"),
            ("0x7c01 fp16 bf16", "#float16/0x7c01/bfloat16"),
            ("f32 i32", "#cast/float32/int32"),
            ("bf16", "#format/bfloat16"),
            ("Binary8p3SE", "#format/binary8p3se"),
            ("float8e3m4 binary8p3se", "#format/float8e3m4/binary8p3se"),
            ("int32 -> float32 -> int32", "#chain/int32/float32/int32"),
            ("rust-as", "#differ/rust-as"),
            ("rust-as x86-sse2 f32 i32", "#differ/rust-as/x86-sse2/float32/int32"),
            ("chain fp32 int8 f32 464", "#chain/float32/int8/float32/464"),
            ("300 int8", "#float32/300/int8"),
            ("f8-s10", "#rule/F8-S10"),
            ("which e4m3", "#question/which-e4m3"),
            ("nan integer", "#question/nan-to-integer"),
            ("block e4m3fn 464 1 0.001", BLOCK),
            ("nvfp4 464, 1, 0.001", "#block/float4e2m1/464,1,0.001"),
            ("QuantizeLinear fp32 uint8 0.3 128 -38.25 1", LINEAR),
        ]:
            with self.subTest(words=words):
                self.go(page, "")
                page.fill("#q", words)
                page.press("#q", "Enter")
                self.wait_for(page, address)
                self.assertEqual(page.text_content("#said"), "")
        page.fill("#q", "float7 of nothing")
        page.click("#search button")
        self.assertIn("is no dtype, format or question", page.text_content("#said"))

    def test_every_control_works_by_mouse(self):
        page = self.open(ELEMENT)
        steps = [
            (lambda: page.click("#next"), "#float32/0x43e80001/float8e4m3fn"),
            (lambda: page.click("#previous"), "#float32/0x43e80000/float8e4m3fn"),
            (lambda: page.click(".bit >> nth=0"), "#float32/0xc3e80000/float8e4m3fn"),
            (lambda: page.select_option("#to", "int8"), "#float32/0xc3e80000/int8"),
            (lambda: page.fill("#value", "3"), "#float32/0xc3e80000/int8"),
            (lambda: page.click("h1"), "#float32/3/int8"),
            (lambda: page.select_option("#from", "float16"), "#float16/3/int8"),
            (lambda: page.click("#swap"), "#int8/0x03/float16"),
            (lambda: page.click("#home"), ""),
        ]
        for act, address in steps:
            act()
            self.wait_for(page, address)
            self.assertEqual(page.text_content("#said"), "")
        page = self.open("#cast/float32/int32")
        self.assertGreater(page.locator(".results tbody tr").count(), 5)
        page.fill("#values", "3e9, nan")
        page.press("#values", "Enter")
        self.wait_for(page, "#cast/float32/int32/3e9,nan")
        self.assertEqual(page.eval_on_selector_all(".results thead a", "all => all.map((it) => it.textContent)"), ["3e9", "nan"])
        page.select_option("#to", "uint8")
        self.wait_for(page, "#cast/float32/uint8")
        page = self.open("#float32/zzz/int8")
        page.fill("#value", "3")
        page.press("#value", "Enter")
        page.wait_for_selector("#answers")
        page = self.open("#format/float8e4m3fn", PHONE)
        page.click(".codes li >> nth=255 >> a")
        page.wait_for_selector("#answers")
        self.assertEqual(page.evaluate("[scrollY, document.activeElement.id]"), [0, "main"])
        page = self.open(ELEMENT)
        page.click("#refused summary")
        self.assertTrue(page.is_visible("#refused .rule"))

    def test_every_control_works_by_keyboard(self):
        page = self.open(ELEMENT)
        page.keyboard.press("ArrowRight")
        self.wait_for(page, "#float32/0x43e80001/float8e4m3fn")
        page.keyboard.press("ArrowLeft")
        self.wait_for(page, "#float32/0x43e80000/float8e4m3fn")
        reached = []
        for _ in range(40):
            page.keyboard.press("Tab")
            reached.append(page.evaluate("document.activeElement.id || document.activeElement.className"))
        for control in ("home", "q", "from", "value", "previous", "next", "to", "swap", "bit sign", "tie-above", "special", "plain copy"):
            self.assertIn(control, reached)
        # Arrow keys move among the bits.
        page.focus(".bit >> nth=0")
        page.keyboard.press("ArrowRight")
        self.assertEqual(page.evaluate("document.activeElement.getAttribute('aria-label')"), "bit 30, exponent")
        page.keyboard.press("End")
        page.keyboard.press("Space")
        self.wait_for(page, "#float32/0x43e80001/float8e4m3fn")
        self.assertEqual(page.evaluate("document.activeElement.getAttribute('aria-label')"), "bit 0, significand")
        page.focus("#value")
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.type("2.5")
        page.keyboard.press("Enter")
        self.wait_for(page, "#float32/2.5/float8e4m3fn")
        # An arrow in the field moves in the field.
        page.focus("#value")
        page.keyboard.press("ArrowLeft")
        self.assertEqual(self.address(page), "#float32/2.5/float8e4m3fn")

    def test_a_link_that_has_the_focus_alone_is_not_followed(self):
        held = "document.activeElement.id"
        page = self.open(ELEMENT)
        page.focus("#home")
        self.go(page, "#float32/3e9/int32")
        self.assertEqual(page.evaluate(held), "home")
        page.evaluate("scrollTo(0, 200)")
        page.click("#home")
        self.wait_for(page, "")
        self.assertEqual(page.evaluate(f"[scrollY, {held}]"), [0, "main"])
        # What had the focus is gone with the old answer.
        page.focus(".examples a >> nth=0")
        self.go(page, ELEMENT)
        self.assertEqual(page.evaluate(held), "main")

    def test_numbers_are_pasted_by_keyboard(self):
        page = self.open(BLOCK)
        page.focus("#numbers")
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.insert_text("[1.5, -2\n3e5]")
        page.keyboard.press("Enter")
        self.wait_for(page, "#block/float8e4m3fn/1.5,-2,3e5")
        self.assertEqual(page.evaluate("document.activeElement.id"), "numbers")
        page.keyboard.press("Shift+Tab")
        self.assertEqual(page.evaluate("document.activeElement.id"), "to")
        page.select_option("#to", "float4e2m1")
        self.wait_for(page, "#block/float4e2m1/1.5,-2,3e5")
        page.fill("#largest", "1e6")
        page.press("#largest", "Enter")
        self.wait_for(page, "#block/float4e2m1/1.5,-2,3e5/float32/1e6")
        page = self.open(LINEAR)
        for name, text in (("scale", "0.5"), ("zero", "3"), ("numbers", "1 2")):
            page.focus(f"#{name}")
            page.keyboard.press("ControlOrMeta+a")
            page.keyboard.type(text)
            page.keyboard.press("Enter")
        self.wait_for(page, "#linear/float32/uint8/0.5/3/1,2")
        self.assertEqual(page.text_content("#said"), "")

    def test_texts_are_copied(self):
        page = self.open(ELEMENT, permissions=["clipboard-read", "clipboard-write"])
        command, python = "castproof expect float32 464 float8e4m3fn --all", 'castproof.expect(["464"], "float32", "float8e4m3fn")'
        javascript = 'expect(["464"], "float32", "float8e4m3fn")'
        for place, said in enumerate([command, python, javascript]):
            page.click(f".copy >> nth={place}")
            page.wait_for_function(f"() => document.querySelectorAll('.copy')[{place}].textContent === 'Copied'")
            self.assertEqual(page.evaluate("navigator.clipboard.readText()"), said)

    def test_tests_to_take_along_hold_the_right_results_alone(self):
        cases = [(ELEMENT, 0x7E, (0x7D, 0x7F)), ("#float32/-0.0/bool", 0, (1,)), ("#float32/0.1/float16", 0x2E66, (0x2E67,))]
        both = "all => all.map((it) => [it.children[0].textContent, it.children[1].textContent])"
        for address, code, others in cases:
            page = self.open(address)
            texts = dict(page.eval_on_selector_all(".take", both))
            for got in (code, *others):
                known: dict = {"cast": lambda _, got=got: got}
                exec(texts["pytest"], known)
                test = next(it for name, it in known.items() if name.startswith("test_"))
                if got == code:
                    test()
                else:
                    self.assertRaises(AssertionError, test)
            self.assertIn(f"{code:#04x}" if code < 256 else f"{code:#06x}", texts["Rust"])
            self.assertIn("assert(got == ", texts["C"])
        # Where any NaN will do, one code is no test, nor where ONNX leaves the result open and profiles decide it.
        for address in ("#float32/nan/float16", "#float32/3e9/int32"):
            page = self.open(address)
            self.assertNotIn("pytest", page.eval_on_selector_all(".take span", "all => all.map((it) => it.textContent)"), address)

    def test_histories_are_those_of_the_adapters(self):
        page = self.open("#runtimes")
        histories = faults()["histories"]
        self.assertGreater(len(histories), 1)
        for history in histories:
            self.go(page, f"#history/{history['adapter']}")
            self.assertEqual(page.locator("table.changes >> nth=0 >> tbody tr").count(), len(history["versions"]))
            looked_up = page.eval_on_selector_all("a[aria-label^='look up']", "all => all.map((it) => it.hash)")
            examples = [it["example"] for it in history["changes"] if "example" in it]
            examples = [[it["from"], it["input"], it["to"]] for it in examples]
            self.assertEqual(looked_up, page.evaluate("(all) => all.map((it) => toElement(...it))", examples))
        change = next(it for history in histories for it in history["changes"] if "example" in it)
        self.go(page, f"#cast/{change['from'][0]}/{change['to'][0]}")
        self.assertIn(change["example"]["said"], page.text_content("#main"))
        page = self.open("#history/none")
        self.assertIn("there is no history of 'none'", page.text_content("#said"))

    def test_what_is_no_element_gets_a_line(self):
        for address, said in [
            ("#float32/zzz/int8", "'zzz' is neither a number nor a code of float32"),
            ("#float99/1/int8", "unknown dtype 'float99'"),
            ("#format/float99", "unknown format 'float99'"),
            ("#rule/F8-S99", "there is no rule 'F8-S99'"),
            ("#question/none", "there is no question 'none'"),
            ("#block/float4e2m1/1,x", "'x' is neither a number nor a code of float32"),
            ("#block/float4e2m1/", "no numbers"),
            ("#block/int8/1", "no rule quantises float32 to int8"),
            ("#block/float99/1", "unknown dtype 'float99'"),
            ("#linear/float32/uint8/y//1", "scale: 'y' is neither a number nor a code of float32"),
            ("#linear/float32/uint8/1/300/1", "zero point: uint8 does not hold 300"),
            ("#linear/float32/float64/1//1", "QuantizeLinear"),
            ("#linear/float32/int8/1//1/opset=99", "opset 99 is not known; the newest known is 28"),
            ("#linear/float32/int8/1//1/speed=1", "speed is no option of a node; they are opset, scale-dtype"),
            ("#linear/float32/int8/1//1/saturate=2", "saturate is 0 or 1, not '2'"),
            ("#chain/int8/string/int8", "chains are of numeric dtypes, and string is not numeric"),
            ("#chain/int8/int8/int8//none", "none does not cast all of int8, int8, int8"),
            ("#chain/int8/int8", "a chain has three dtypes"),
            ("#chains/string", "'string' is no numeric dtype"),
            ("#differ/none", "'none' differs from no other specification here"),
            ("#format/float8e4m3fn/int8", "int8 is no float format"),
            ("#cast/float32/int8//0x3", "'0x3' has 1 hex digits"),
            ("#cast/float32/int8//0x50000000:0x4e000000", "is no part of the line; write two codes, the smaller first"),
            ("#nowhere", "the address #nowhere is none of this page"),
            ("#int8/%zz/int8", "the address #int8/%zz/int8 is none of this page"),
        ]:
            with self.subTest(address=address):
                page = self.open(address)
                self.assertIn(said, page.text_content("#said"))
                self.assertEqual(page.locator("#main [data-said], #main table").count(), 0)

    # --- Size, phone, colours ---

    def test_the_page_is_small(self):
        self.assertLessEqual(len(gzip.compress(PAGE.read_bytes(), 9)), LIMIT)

    def test_a_phone_shows_every_page_without_scrolling_sideways(self):
        page = self.open("", PHONE)
        questions = page.eval_on_selector_all(".questions a", "all => all.map((it) => it.getAttribute('href'))")
        for address in ADDRESSES + questions:
            with self.subTest(address=address):
                self.go(page, address)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), PHONE["width"])

    def test_print_has_the_answers_without_controls(self):
        page = self.open(ELEMENT)
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print")
        for shown in (".answer", ".answer .rule", "#refused .rule", ".line svg"):
            self.assertTrue(page.is_visible(shown), shown)
        for hidden in ("#q", ".asked", ".copy"):
            self.assertFalse(page.is_visible(hidden), hidden)

    def test_axe_finds_nothing(self):
        for scheme in ("light", "dark"):
            page = self.open(color_scheme=scheme)
            for address in AXE:
                with self.subTest(scheme=scheme, address=address):
                    self.go(page, address)
                    found = Axe().run(page).response["violations"]
                    self.assertEqual([(it["id"], [node["target"] for node in it["nodes"]][:3]) for it in found], [])


if __name__ == "__main__":
    unittest.main()
