"""Tests adapters/answers.json: its parts fit together, and numpy with ml_dtypes gives again what the file has of it."""

import unittest

import ask_values
from castproof_testee import ELEMENT_BITS

NAME = "numpy-ml-dtypes"
# Pairs that are asked again: numbers, integers, packed elements, and those that wrap or saturate.
PAIRS = "float32:int32 float64:float16 int32:int8 float32:float8e4m3fn float8e5m2:float4e2m1 int4:uint16 bfloat16:bool uint8:float6e2m3"


class Answers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.answers = ask_values.read()

    def test_every_runtime_says_what_it_is(self):
        self.assertEqual(self.answers["format"], ask_values.FORMAT)
        self.assertIn(NAME, self.answers["runtimes"])
        for adapter, runtime in self.answers["runtimes"].items():
            self.assertTrue((ask_values.ADAPTERS / adapter / "adapter.toml").is_file(), adapter)
            self.assertEqual(set(runtime), {"name", "version", "description", "date", "machine"}, adapter)
            self.assertRegex(runtime["date"], r"^\d{4}-\d\d-\d\d$", adapter)

    def test_every_row_is_as_long_as_the_values(self):
        self.assertGreater(len(self.answers["pairs"]), 400)
        for member in ("pairs", "copies"):
            for pair, groups in self.answers[member].items():
                self.check(pair, groups)
        for pair, groups in self.answers["copies"].items():
            for row, names in groups.items():
                alone = self.answers["pairs"][pair]
                self.assertLessEqual(set(names), {name for other, them in alone.items() if other != row for name in them}, pair)

    def check(self, pair, groups):
        source, target = pair.split(":")
        width = -(-ELEMENT_BITS[target] // 4)
        givers = [name for names in groups.values() for name in names]
        self.assertEqual(len(givers), len(set(givers)), f"{pair}: an adapter has one row")
        self.assertLessEqual(set(givers), set(self.answers["runtimes"]), pair)
        for row in groups:
            self.assertEqual(len(row.split(" ")), len(self.answers["asked"][source]), pair)
            for code in row.split(" "):
                self.assertRegex(code, rf"^(-|[0-9a-f]{{{width}}})$", pair)

    def test_the_codes_of_values_are_those_of_the_program(self):
        self.assertEqual(set(self.answers["asked"]), set(ELEMENT_BITS))
        for dtype in ("float32", "float6e3m2", "int2", "bool"):
            self.assertEqual(self.answers["asked"][dtype], ask_values.values_of(dtype), dtype)

    def test_numpy_gives_what_the_file_has_of_it(self):
        # What is out of range depends on the processor.
        if self.answers["runtimes"][NAME]["machine"] != ask_values.machine():
            self.skipTest("the file is of another machine")
        testee = ask_values.Testee(ask_values.launch(NAME)[1], ask_values.ADAPTERS / NAME)
        self.addCleanup(testee.close)
        for pair in PAIRS.split():
            source, target = pair.split(":")
            codes = [int(code, 16) for _, code in self.answers["asked"][source]]
            had = [row for row, names in self.answers["pairs"][pair].items() if NAME in names]
            self.assertEqual([ask_values.ask_pair(testee, source, target, codes)], had, pair)
            copied = [row for row, names in self.answers["copies"].get(pair, {}).items() if NAME in names]
            self.assertEqual([ask_values.ask_pair(testee, source, target, codes, ask_values.COPIES)], copied or had, pair)


class Codes(unittest.TestCase):
    def test_elements_are_packed_from_the_least_significant_bits_up(self):
        asked = [("int4", [1, 0xF, 7], "f107"), ("uint2", [3, 0, 1], "13"), ("float6e2m3", [0x3F, 1], "7f00"), ("int16", [256], "0001")]
        for dtype, codes, payload in asked:
            self.assertEqual(ask_values.packed(dtype, codes).hex(), payload, dtype)
            self.assertEqual(ask_values.unpacked(dtype, bytes.fromhex(payload), len(codes)), codes, dtype)

    def test_the_answers_of_an_adapter_replace_those_it_gave(self):
        answers = {"runtimes": {}, "pairs": {"int8:bool": {"00 01": ["a", "b"], "01 01": ["c"]}}, "copies": {"int8:bool": {"01 00": ["b"]}}}
        ask_values.merge(answers, "b", {"version": "2"}, {"pairs": {"int8:bool": "01 01"}, "copies": {}})
        ask_values.merge(answers, "c", {"version": "2"}, {"pairs": {"int8:int4": "0 1"}, "copies": {"int8:int4": "1 1"}})
        self.assertEqual(answers["pairs"], {"int8:bool": {"00 01": ["a"], "01 01": ["b"]}, "int8:int4": {"0 1": ["c"]}})
        self.assertEqual(answers["copies"], {"int8:bool": {}, "int8:int4": {"1 1": ["c"]}})


if __name__ == "__main__":
    unittest.main()
