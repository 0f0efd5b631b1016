"""Tests the adapter of packages of npm that have float16. It is skipped where they are not installed."""

import json
import struct
import unittest

from test_adapters import ADAPTERS, AdapterCase, Testee, adapter_command, floats

FOLDER = ADAPTERS / "js-float16"
F32, F64 = floats("f"), floats("d")


@unittest.skipUnless((FOLDER / "node_modules").is_dir(), "js-float16 is not installed: ./setup.sh --adapters js-float16")
class JsFloat16(AdapterCase):
    name = "js-float16"

    def variant(self, name: str) -> Testee:
        testee = Testee(adapter_command(self.name, name), FOLDER)
        self.addCleanup(testee.close)
        return testee

    def test_each_package_says_which_version_answers(self):
        pins = json.loads((FOLDER / "package.json").read_text())["dependencies"]
        for testee in (self.start(), self.variant("fp16"), self.variant("float16")):
            testee.send({"hello": "castproof-testee/1"})
            hello, _ = testee.receive()
            self.assertEqual(pins[hello["name"]], hello["version"])
            self.assertEqual(sum(len(row["to"]) for row in hello["casts"]), 10)
            testee.close()

    def test_casts(self):
        self.assert_codes("003c0068007c0080", "float32", "float16", 28, F32(1.0, 2049.0, 65520.0, -1e-30))
        self.assert_codes("013c", "float64", "float16", 28, F64(1 + 2**-11 + 2**-40))
        self.assert_codes("0000803f000080ff", "float16", "float32", 28, b"\0\x3c\0\xfc", [2])
        self.assert_codes("00bc007c", "int32", "float16", 28, struct.pack("<2i", -1, 1 << 20))
        self.assert_codes("", "float32", "float16", 28, b"", [0, 3])

    def test_what_the_package_does_not_do_is_unsupported(self):
        self.assert_refused("no such cast", "int64", "float16", 28, bytes(8))
        self.assert_refused("no such cast", "float16", "int8", 28, bytes(2))
        self.assert_refused("no such cast", "float32", "float16", 25, F32(1.0))
        self.assert_refused("'saturate'", "float32", "float16", 28, F32(1.0), saturate=1)

    def test_known_faults_of_the_others(self):
        ask = self.variant("fp16").ask
        self.assertEqual(ask("float32", "float16", 28, F32(1.0, 1e-30), [2]), ("ok", "00000000"))
        ask = self.variant("float16").ask
        self.assertEqual(ask("float32", "float16", 28, F32(2049.0, 131072.0), [2]), ("ok", "01680080"))


if __name__ == "__main__":
    unittest.main()
