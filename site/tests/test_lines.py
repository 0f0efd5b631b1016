"""Chains, pieces on the number line, differences, and two formats: what the page draws, compared with the program and its files."""

import gzip
import json
import random
import re
import sys
import unittest
from fractions import Fraction

from browser import PAGE, PHONE, ROOT, PageTest, castproof

sys.path.insert(0, str(ROOT / "site"))
from differences import differences

CODES = re.compile(r"0x[0-9a-f]+")
# Drawn chains, and drawn pairs with codes of each.
CHAINS, PAIRS, CODES_EACH = 40, 25, 8
# A specification beside ONNX, and dtypes that it casts.
RUST = "rust-as", ["int8", "uint8", "int32", "int64", "uint64", "float32", "float64"]

ZOOMED = "#cast/float32/int32//0x4e000000:0x50000000"
# The kind and the codes of each row of steps.
STEPS = "all => all.map((it) => [it.dataset.kind, [...it.querySelectorAll('code')].map((code) => code.textContent)])"
# The pieces of a pair, and for codes of it what the page says of their elements.
ASKED = """([from, to, hexes]) => ({ pieces: ask("pieces", from, to), ends: ask("landmarks", to),
  elements: hexes.map((hex) => ask("element", from, to, hex)) })"""
# The smallest and the largest number of a dtype, of the landmarks that were read in the specifications; of unsigned integers one is zero.
ENDS = {"largest", "negative largest", "smallest", "min", "max", "zero"}


def number(text):
    """Returns the number of a text, where -0 is 0, and true 1."""
    return Fraction({"true": "1", "false": "0"}.get(text, text)) if text not in ("Inf", "-Inf") else text


class Chains(PageTest):
    def chain(self, page, dtypes, values, spec=""):
        self.go(page, page.evaluate("(it) => toChain(...it)", [dtypes, values, spec]))
        self.assertEqual(page.text_content("#said"), "")
        first = page.locator("section.answer")
        rows = page.eval_on_selector_all("table.results tbody tr", STEPS)
        return first.get_attribute("data-differ"), first.get_attribute("data-open"), rows

    def test_drawn_chains_are_what_the_program_says(self):
        page, draw = self.open(), random.Random(4)
        all_dtypes = page.evaluate("ATLAS.dtypes")
        kinds = set()
        for number in range(CHAINS):
            spec, dtypes = RUST if number % 4 == 0 else ("", all_dtypes)
            chosen = [draw.choice(dtypes) for _ in range(3)]
            # Every numeric dtype holds it.
            values = ["1"]
            with self.subTest(dtypes=chosen, spec=spec):
                differ, left_open, rows = self.chain(page, chosen, values, spec)
                more = ["--profile", spec] if spec else []
                head, *lines = castproof("chain", *more, *chosen, *values).splitlines()
                count = re.search(r"([0-9,]+) of [0-9,]+ codes differ", head)
                self.assertEqual(differ, count[1].replace(",", "") if count else "0")
                count = re.search(r"of ([0-9,]+) the chain leaves the result open", head)
                self.assertEqual(left_open, count[1].replace(",", "") if count else "0")
                due = [[line.split()[0], CODES.findall(line)] for line in lines if "no code differs" not in line]
                self.assertEqual(rows, due)
                kinds |= {kind for kind, _ in due}
                command = page.text_content("#main .take pre").split()
                self.assertEqual(castproof(*command[1:]), head + "\n" + "\n".join(lines) + "\n")
        self.assertEqual(kinds, {"positive", "negative", "asked"})

    def test_the_page_has_the_whole_atlas(self):
        file = json.loads(gzip.decompress((ROOT / "vectors/data/atlas.json.gz").read_bytes()))
        chains = [it["dtypes"] for it in file["chains"]]
        shown = self.open().evaluate("(all) => all.map((it) => droppable(...it))", chains)
        self.assertEqual(shown, [it["differ"] == "0" for it in file["chains"]])

    def test_addresses_of_the_atlas_lead_to_chains(self):
        whole = ("#b=int8&a=float32&c=float16", "#chain/float32/int8/float16")
        for old, new in [whole, ("#b=int8", "#chains/int8"), ("", "#chains/float32")]:
            page = self.open()
            page.goto(PAGE.with_name("atlas.html").as_uri() + old)
            page.wait_for_selector("#main > *")
            self.wait_for(page, new)
            self.requests.clear()

    def test_the_matrix_leads_to_each_chain(self):
        page = self.open("#chains/float32")
        self.assertEqual(page.locator("#matrix tbody a").count(), 625)
        page.focus("#matrix tbody a >> nth=0")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowRight")
        focused = "document.activeElement.getAttribute('aria-label')"
        self.assertEqual(page.evaluate(focused), "int2 to float32 to int2: can be dropped")
        page.keyboard.press("Enter")
        self.wait_for(page, "#chain/int2/float32/int2")
        page.select_option("#between", "int8")
        self.wait_for(page, "#chain/int2/int8/int2")
        page.click("text=All chains with int8 between")
        self.wait_for(page, "#chains/int8")
        page.select_option("#between", "bool")
        self.wait_for(page, "#chains/bool")

    def test_a_chain_is_chosen_by_mouse_and_keyboard(self):
        page = self.open("#chain/int32/float32/int32")
        self.assertIn("The casts cannot be dropped", page.text_content("section.answer"))
        page.focus("#values")
        page.keyboard.type("16777217")
        page.keyboard.press("Enter")
        self.wait_for(page, "#chain/int32/float32/int32/16777217")
        self.assertIn("16777216", page.text_content("table.results"))
        page.select_option("#by", "rust-as")
        self.wait_for(page, "#chain/int32/float32/int32/16777217/rust-as")
        page.select_option("#to", "int64")
        self.wait_for(page, "#chain/int32/float32/int64/16777217/rust-as")


class Pieces(PageTest):
    def test_pieces_cover_every_code_and_say_what_the_element_says(self):
        page, draw = self.open(), random.Random(5)
        dtypes = [it for it in page.evaluate('names().dtypes.map((it) => [it, ask("format", it).dtype.bits])') if it[0] != "string"]
        told = set()
        for _ in range(PAIRS):
            (source, bits), (target, _) = draw.choice([it for it in dtypes if it[0] != "bool"]), draw.choice(dtypes)
            hexes = [f"0x{draw.getrandbits(bits):0{-(-bits // 4)}x}" for _ in range(CODES_EACH)]
            with self.subTest(source=source, target=target, hexes=hexes):
                asked = page.evaluate(ASKED, [source, target, hexes])
                told |= self.check(asked, bits, hexes)
        self.assertLessEqual({"exact", "rounded", "saturates", "NaN", "wraps", "open"}, told)

    def check(self, asked, bits, hexes):
        pieces, told, ends = asked["pieces"], set(), {it["hex"] for it in asked["ends"] if it["name"] in ENDS}
        for row in pieces["rows"]:
            codes = [(int(it["first"]["hex"], 16), int(it["last"]["hex"], 16)) for it in row["segments"]]
            self.assertEqual([first for first, _ in codes], [0, *(last + 1 for _, last in codes[:-1])])
            self.assertEqual(codes[-1][1], 2**bits - 1)
        for hex_, element in zip(hexes, asked["elements"], strict=True):
            code, said = int(hex_, 16), []
            for row in pieces["rows"]:
                segment = next(it for it in row["segments"] if int(it["first"]["hex"], 16) <= code <= int(it["last"]["hex"], 16))
                of = [it for it in element["rows"] if any(set(by["rules"]) & set(segment["rules"]) for by in it["by"])]
                self.assert_kind(segment, of, element, ends)
                told.add(segment["kind"])
                given = next((it for it in element["rows"] if any(by["name"] == row["by"][0]["name"] for by in it["by"])), None)
                if given and given["kind"] not in ("open", "refused"):
                    said.append("NaN" if "NaN" in given["said"] and given["kind"] != "one of" else json.dumps(given["codes"]))
            if len(set(said)) > 1:
                # What differs is marked; a mark may be wider than what differs.
                marks = [(int(low["hex"], 16), int(high["hex"], 16)) for low, high in pieces["differ"]]
                self.assertTrue(any(low <= code <= high for low, high in marks), (hex_, said))
        return told

    def assert_kind(self, segment, rows, element, ends):
        """Is the kind of a segment what some result of its specification is? `ends` has the codes of the smallest and largest number."""
        kinds = {it["kind"] for it in rows}
        values = {it["value"] for row in rows for it in row["codes"]}
        match segment["kind"]:
            case "open" | "rounded" if len(segment["rules"]) > 1:
                # Where exact numbers and others alternate, they are one segment.
                self.assertTrue(rows)
            case "open" | "refused" as kind:
                self.assertIn(kind, kinds)
            case "one of several":
                self.assertIn("one of", kinds)
            case "NaN":
                self.assertTrue("any NaN" in kinds or any("nan" in it.lower() for it in values))
            case "infinity":
                self.assertTrue(any("inf" in it.lower() for it in values))
            case "exact":
                self.assertIn(number(element["input"]["value"]), {number(it) for it in values})
            case "rounded":
                # An end of the piece may be exact. What is rounded is within one step, and a step is at most half of a float or 1.
                x, results = number(element["input"]["value"]), {number(it) for it in values}
                self.assertTrue(any(abs(it - x) <= max(1, abs(x) / 2, abs(it) / 2) for it in results), (x, results))
            case "saturates":
                self.assertTrue({it["hex"] for row in rows for it in row["codes"]} & ends, (values, ends))
            case "wraps" | "replaced":
                self.assertNotIn(element["input"]["value"], values)
        if segment["said"] is not None and segment["kind"] not in ("open", "refused", "NaN", "one of several"):
            self.assertIn(segment["said"].split()[0], {it["hex"] for row in rows for it in row["codes"]})

    def test_the_line_is_zoomed_by_mouse_and_keyboard(self):
        page = self.open("#cast/float32/int32")
        shown = page.locator("svg.strip a").count()
        self.assertGreater(shown, 50)
        page.focus("#zoom-in")
        page.keyboard.press("Enter")
        page.wait_for_function("() => location.hash.includes(':')")
        self.assertEqual(page.evaluate("document.activeElement.id"), "zoom-in")
        zoomed = self.address(page)
        for button in ("zoom-right", "zoom-left"):
            page.click(f"#{button}")
        page.wait_for_function("(it) => document.getElementById('main').dataset.address === it", arg=zoomed)
        again = self.open(zoomed)
        self.assertEqual(again.locator("svg.strip a").count(), page.locator("svg.strip a").count())
        page.click("#zoom-out")
        self.wait_for(page, "#cast/float32/int32")
        page.dblclick("svg.strip >> nth=1", position={"x": 400, "y": 8}, no_wait_after=True)
        page.wait_for_function("() => location.hash !== '#cast/float32/int32'")
        page = self.open(ZOOMED)
        labels = page.eval_on_selector_all(".ticks .labels span", "all => all.map((it) => it.textContent)")
        self.assertEqual([labels[0], labels[-1]], ["5.37e+8", "8.59e+9"])
        self.assertEqual(page.locator("[data-kind=rounded]").count(), 0)
        page.click("#zoom-all")
        self.wait_for(page, "#cast/float32/int32")

    def test_a_piece_leads_to_its_first_element(self):
        page = self.open(ZOOMED)
        link = page.locator("svg.strip a[data-kind=saturates]").first
        self.assertIn("saturates, 0x7fffffff (2147483647) (RS-02:", link.get_attribute("aria-label"))
        link.focus()
        page.keyboard.press("Enter")
        self.wait_for(page, "#float32/0x4f000000/int32")

    def test_a_phone_has_the_line_too(self):
        page = self.open("#cast/float32/float8e4m3fn", PHONE)
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), PHONE["width"])
        self.assertGreater(page.locator("svg.strip >> nth=1").bounding_box()["width"], 250)


class Jumps(PageTest):
    def test_ties_are_found(self):
        page = self.open("#float32/464/float8e4m3fn")
        page.click("#tie-below")
        self.wait_for(page, "#float32/0x43d80000/float8e4m3fn")
        self.assertIn("432 is the tie between 416 and 448", page.text_content(".line"))
        page.click("#tie-above")
        self.wait_for(page, "#float32/0x43e80000/float8e4m3fn")
        page.click("#tie-above")
        self.assertTrue(page.is_disabled("#tie-above"))
        # By a second way: the numbers of float8e4m3fn in order, and the halves between them.
        codes = castproof("format", "float8e4m3fn", "--codes").splitlines()
        numbers = [line.split()[1] for line in codes if re.match(r"\s*0x[0-9a-f]{2}\s", line)]
        numbers = sorted({Fraction(it) for it in numbers if it not in ("nan",)})
        ties = [(a + b) / 2 for a, b in zip(numbers, numbers[1:], strict=False)]
        for value in ("0.013", "-3.3", "100", "0"):
            for way in ("up", "down"):
                hex_ = page.evaluate("(value) => ask('element', 'float32', 'float32', value).input.hex", value)
                got = page.evaluate("(it) => ask('tie', 'float32', 'float8e4m3fn', ...it).hex", [hex_, way])
                exact = page.evaluate("(hex) => ask('element', 'float32', 'float32', hex).input.exact", got)
                x = Fraction(value)
                due = min(it for it in ties if it > x) if way == "up" else max(it for it in ties if it < x)
                self.assertEqual(Fraction(exact), due, (value, way))

    def test_pieces_and_special_values_are_found(self):
        page = self.open("#float32/1/int8")
        for button, value in (("above", "128"), ("below", "127.99999")):
            page.click(f"#piece-{button}")
            page.wait_for_function("(it) => document.querySelector('h1').textContent.startsWith(it + ' ')", arg=value)
        page.select_option("#special", label="infinity")
        self.wait_for(page, "#float32/0x7f800000/int8")
        page = self.open("#string/1/int8")
        self.assertEqual(page.locator(".jumps").count(), 0)


class Differences(PageTest):
    def shown(self, page):
        return page.eval_on_selector_all("table.classes tbody tr", "all => all.map((it) => it.textContent)")

    def test_two_specifications_differ_as_the_page_of_differences_says(self):
        page = self.open("#differ")
        self.assertEqual(page.locator("table.classes tbody tr").count(), 60)
        page.select_option("#one", "rust-as")
        page.select_option("#other", "x86-sse2")
        self.wait_for(page, "#differ/rust-as/x86-sse2")
        both = next(it for it in differences() if it["by"] == ["rust-as", "x86-sse2"])
        self.assertEqual(len(self.shown(page)), len(both["rows"]))
        for row in both["rows"]:
            self.assertTrue(any(row[4] in line and row[5] in line and row[8] in line for line in self.shown(page)), row)
        page.select_option("#input", "NaN")
        self.wait_for(page, "#differ/rust-as/x86-sse2///NaN")
        self.assertEqual(len(self.shown(page)), sum("NaN" in row[2] for row in both["rows"]))
        page.select_option("#to", "int32")
        self.wait_for(page, "#differ/rust-as/x86-sse2//int32/NaN")
        page.click("table.classes a >> nth=0")
        page.wait_for_selector("#answers")
        self.assertIn("2147483648", page.text_content("#answers"))

    def test_every_class_can_be_looked_up(self):
        page, rows = self.open(), [row for it in differences() for row in it["rows"]]
        self.assertGreater(len(rows), 300)
        for source, code, _, target, first, second, *_ in random.Random(6).sample(rows, 30):
            answer = page.evaluate("(it) => ask('element', ...it)", [source, target, code])
            said = [it["said"] for it in answer["rows"]]
            for result in (first, second):
                is_said = any(it.startswith(result.split(" (")[0]) for it in said)
                self.assertTrue(is_said or "NaN" in result, (source, code, target, result, said))


class Ways(PageTest):
    """The questions of docs/expect.md, each answered from its address alone."""

    def test_each_question_is_answered(self):
        rows = re.findall(r"^\| [^|]+\? \| `(#[^`]+)` \| ([^|]+) \|$", (ROOT / "docs/expect.md").read_text(encoding="utf-8"), re.MULTILINE)
        said = {
            "#float32/464/float8e4m3fn": ["448 0x7eCast-19 to Cast-28", "ml-dtypes", "cuda-cvt", "tolerated beside it: any NaN"],
            "#chain/int32/float32/int32": ["cannot be dropped", "4,143,972,288 of 4,294,967,296", "16777217"],
            "#float32/nan/int64": ["rust-as", "0x8000000000000000", "the specification leaves it open"],
            "#block/float4e2m1/5,2.5,-1,0.3": ["mx-floor", "nvfp4"],
            "#history/torch": ["2.13.0"],
        }
        self.assertEqual([address for address, _ in rows], list(said))
        for address, _ in rows:
            with self.subTest(address=address):
                shown = self.open(address).text_content("#main")
                for text in said[address]:
                    self.assertIn(text, shown)
        page = self.open("#float32/nan/int64")
        by = dict(page.eval_on_selector_all("#main [data-said]", "all => all.map((it) => [it.dataset.said, it.dataset.by])"))
        self.assertIn("rust-as", by["0x0000000000000000 (0)"])
        self.assertIn("cuda-cvt", by["0x8000000000000000 (-9223372036854775808)"])
        self.assertIn("x86-sse2", by["0x8000000000000000 (-9223372036854775808)"])


class Formats(PageTest):
    def test_two_formats_stand_above_each_other(self):
        page = self.open("#format/float8e4m3fn")
        page.select_option("#beside", "float8e5m2")
        self.wait_for(page, "#format/float8e4m3fn/float8e5m2")
        marks = page.eval_on_selector_all(".numbers svg", "all => all.map((it) => it.querySelectorAll('.number, .only').length)")
        # 126 positive numbers of 127 codes, of which one is NaN; 123 below infinity.
        self.assertEqual(marks, [126, 123])
        held = page.eval_on_selector_all(".numbers svg", "all => all.map((it) => it.querySelectorAll('.number').length)")
        self.assertEqual(held[0], held[1])
        self.assertIn("≠ 15", page.text_content("table.results"))
        page.select_option("#one", "float8e8m0")
        self.wait_for(page, "#format/float8e8m0/float8e5m2")
        self.assertEqual(page.locator(".numbers svg >> nth=0").locator(".number, .only").count(), 255)
        self.go(page, "#format/float16/bfloat16")
        self.assertIn("powers of two", page.text_content("#main"))


if __name__ == "__main__":
    unittest.main()
