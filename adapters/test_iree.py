"""Tests the adapter of IREE. It is skipped where IREE is not installed."""

import struct
import unittest

from test_adapters import ADAPTERS, AdapterCase, adapter_command, floats


@unittest.skipUnless(adapter_command("iree"), "iree is not installed: ./setup.sh --adapters iree")
class Iree(AdapterCase):
    name = "iree"

    def test_hello(self):
        hello = self.hello()
        pins = (ADAPTERS / self.name / "requirements.in").read_text().split()
        self.assertIn(f"iree-base-runtime=={hello['version']}", pins)
        # Bool, 8 integers, 5 kinds of float8, and 4 wider floats.
        self.assertEqual(sum(len(row["to"]) for row in hello["casts"]), 18 * 18)

    def test_every_rank(self):
        f32 = floats("f")
        self.assert_codes("01fe", "float32", "int8", 28, f32(1.5, -2.7))
        self.assert_codes("003c" * 6, "float32", "float16", 28, f32(*[1.0] * 6), [1, 2, 3])
        self.assert_codes("01", "float64", "bool", 28, floats("d")(0.25), [])
        self.assert_codes("", "int16", "uint64", 28, b"", [0, 3])

    def test_refusals_have_their_reason(self):
        self.assert_refused("failed to legalize operation", "float16", "float8e5m2", 28, b"\0\x3c", saturate=0)
        self.assert_refused("no cast to float8e5m2 saturates", "float32", "float8e5m2", 28, floats("f")(1.0))

    def chains(self, *many: tuple[list[str], bytes]) -> list[str]:
        """Sends chains together, and returns what each gives."""
        testee = self.start()
        self.addCleanup(testee.close)
        for seq, (dtypes, payload) in enumerate(many):
            header = {"seq": seq, "op": "chain", "opset": 28, "shape": [1], "bytes": len(payload)}
            testee.send(header | {"dtypes": dtypes, "attributes": [{}] * (len(dtypes) - 1)}, payload)
        answers = [testee.receive() for _ in many]
        self.assertEqual([answer["seq"] for answer, _ in answers], list(range(len(many))))
        return [output.hex() or answer["message"] for answer, output in answers]

    def test_chains_that_are_sent_together(self):
        f32 = floats("f")
        given = self.chains((["float32", "int8", "int32"], f32(2.5)), (["int16", "uint8", "float32"], struct.pack("<h", 257)))
        self.assertEqual(given, ["02000000", "0000803f"])
        # One that is refused hides no other.
        given = self.chains((["float32", "int8", "int32"], f32(2.5)), (["float64", "float16", "float8e8m0"], bytes(8)))
        self.assertEqual(given[0], "02000000")
        self.assertIn("no cast to float8e8m0 saturates", given[1])

    def test_known_faults(self):
        self.assert_codes("00", "float32", "float8e5m2", 28, floats("f")(1.9375 * 2**-15), saturate=0)
        self.assert_codes("0000c07f0000f0c3", "float8e4m3fn", "float32", 28, b"\x7f\xff")
        self.assert_codes("00000000", "float8e8m0", "int32", 28, b"\x80")
        self.assert_codes("80", "int32", "float8e8m0", 28, struct.pack("<i", 64), saturate=0, roundMode="nearest")
        self.assertEqual(self.chains((["int16", "bfloat16", "int16"], struct.pack("<h", 257))), ["0101"])


if __name__ == "__main__":
    unittest.main()
