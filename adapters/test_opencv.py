"""Tests the adapter of OpenCV. It is skipped where OpenCV is not installed."""

import struct
import unittest

from test_adapters import AdapterCase, adapter_command, floats


@unittest.skipUnless(adapter_command("opencv"), "opencv is not installed: ./setup.sh --adapters opencv")
class Opencv(AdapterCase):
    name = "opencv"

    def test_hello(self):
        # bool, 8 integers, float16, float32 and float64 go in; whatever is asked for is tried.
        self.assert_hello("opencv-python-headless", 12 * 25)

    def test_every_shape_and_a_constant(self):
        f32 = floats("f")
        self.assert_codes("01fe7f", "float32", "int8", 28, f32(1.5, -2.7, 300.0))
        self.assert_codes("01fe7f", "float32", "int8", 28, f32(1.5, -2.7, 300.0), input="constant")
        self.assert_codes("003c" * 6, "float32", "float16", 13, f32(*[1.0] * 6), [1, 2, 3])
        self.assert_codes("803f0040", "int8", "bfloat16", 28, b"\1\2")
        self.assert_codes("01", "float64", "bool", 28, floats("d")(0.25), [])
        self.assert_codes("7f", "float32", "int8", 25, f32(300.0), op="castlike")

    def test_what_it_refuses(self):
        self.assert_refused("unsupported datatype", "float32", "float8e4m3fn", 28, floats("f")(1.0))
        self.assert_refused("hello lists no cast", "bfloat16", "float32", 28, b"\x80\x3f")

    def test_known_faults(self):
        f32 = floats("f")
        self.assert_codes("00000080ffffffff", "int64", "int64", 28, struct.pack("<q", 1 << 31))
        self.assert_codes("0000008000000000", "int64", "int64", 28, struct.pack("<q", 1 << 31), input="constant")
        self.assert_codes("803f", "float32", "bfloat16", 28, struct.pack("<I", 0x3F80FFFF))
        self.assert_codes("7f7f", "uint32", "int8", 28, struct.pack("<2I", 128, 1 << 31))
        self.assert_codes("80" * 64, "uint32", "int8", 28, struct.pack("<I", 1 << 31) * 64)
        for target in ("uint32", "uint64"):
            self.assertEqual(self.ask("float32", target, 28, f32(1.5), [1]), ("error", "RuntimeError: the output is float32"))

    def test_float16_is_told_from_float32_that_was_not_cast(self):
        status, message = self.ask("float32", "float16", 1, floats("f")(2049.0), [1])
        self.assertEqual((status, message), ("error", "RuntimeError: the output has numbers that float16 lacks"))


if __name__ == "__main__":
    unittest.main()
