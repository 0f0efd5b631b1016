"""Tests the adapter of PaddlePaddle. It is skipped where PaddlePaddle is not installed."""

import unittest

from castproof_testee import LAYOUTS
from test_adapters import ADAPTERS, AdapterCase, adapter_command, floats


@unittest.skipUnless(adapter_command("paddle"), "paddle is not installed: ./setup.sh --adapters paddle")
class Paddle(AdapterCase):
    name = "paddle"

    def test_hello(self):
        hello = self.hello()
        pins = (ADAPTERS / self.name / "requirements.in").read_text().split()
        self.assertIn(f"paddlepaddle=={hello['version']}", pins)
        # bool, 8 integers, 2 float8, float16, bfloat16, float32, float64.
        self.assertEqual(sum(len(row["to"]) for row in hello["casts"]), 15 * 15)

    def test_layouts(self):
        f32 = floats("f")
        for layout in ("contiguous", *LAYOUTS):
            values = (1.5, -2.7, 1.5, -2.7) if layout == "broadcast" else (1.5, -2.7, 30.0, -1.0)
            due = "01fe01fe" if layout == "broadcast" else "01fe1eff"
            self.assert_codes(due, "float32", "int8", 28, f32(*values), [2, 2], layout=layout)
            self.assert_codes("01000100", "uint32", "uint8", 28, b"\1\0\0\0\0\0\0\0" * 2, [2, 2], layout=layout)
        self.assert_codes("01", "float64", "bool", 28, floats("d")(0.25), [])
        self.assert_codes("", "bfloat16", "uint64", 28, b"", [0, 3])

    def test_known_faults(self):
        f32 = floats("f")
        self.assert_codes("7e7f7e7e", "float32", "float8e4m3fn", 28, f32(464.0, 470.0, 480.0, float("nan")))
        self.assert_codes("7c7b7b", "float32", "float8e5m2", 28, f32(61440.0, 65536.0, float("inf")))
        self.assert_codes("00040000", "float32", "float16", 28, f32(2.0**-78, 2.0**-76))
        self.assert_refused("saturates", "float32", "float8e4m3fn", 28, f32(1.0), saturate=0)


if __name__ == "__main__":
    unittest.main()
