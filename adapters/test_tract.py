"""Tests the adapter of tract. It is skipped where tract is not installed."""

import struct
import unittest

from test_adapters import ADAPTERS, AdapterCase, adapter_command, floats


@unittest.skipUnless(adapter_command("tract"), "tract is not installed: ./setup.sh --adapters tract")
class Tract(AdapterCase):
    name = "tract"

    def test_hello(self):
        pins = (ADAPTERS / self.name / "requirements.in").read_text().split()
        self.assertIn(f"tract=={self.hello()['version']}", pins)

    def test_every_shape_and_a_constant(self):
        f32 = floats("f")
        self.assert_codes("01fe7f", "float32", "int8", 28, f32(1.5, -2.7, 300.0))
        self.assert_codes("01fe7f", "float32", "int8", 28, f32(1.5, -2.7, 300.0), input="constant")
        self.assert_codes("003c" * 6, "float32", "float16", 13, f32(*[1.0] * 6), [1, 2, 3])
        self.assert_codes("01", "float64", "bool", 28, floats("d")(0.25), [])
        self.assert_codes("", "int16", "uint64", 28, b"", [0, 3])
        self.assert_codes("0500000000000000", "int32", "int64", 28, struct.pack("<i", 5))
        self.assert_codes("7f", "float32", "int8", 25, f32(300.0), op="castlike")

    def test_refusals_have_no_places_in_the_program(self):
        self.assert_refused("Unknown DatumType Bfloat16", "float32", "bfloat16", 28, floats("f")(1.0))
        self.assert_refused("Unknown DatumType Float8e4m3fn", "float8e4m3fn", "float32", 28, b"\x38")
        status, message = self.ask("float32", "bfloat16", 28, floats("f")(1.0), [1])
        self.assertNotIn("backtrace", message)

    def test_a_known_fault(self):
        self.assert_codes("00000080ffffffff", "int64", "int64", 28, struct.pack("<q", 1 << 31))
        self.assert_codes("ffffff7f00000000", "float32", "int64", 28, floats("f")(2.0**31))


if __name__ == "__main__":
    unittest.main()
