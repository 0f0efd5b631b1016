"""Tests the adapter of PaddlePaddle. It is skipped where PaddlePaddle is not installed."""

import unittest

from castproof_testee import LAYOUTS
from test_adapters import AdapterCase, adapter_command, floats


@unittest.skipUnless(adapter_command("paddle"), "paddle is not installed: ./setup.sh --adapters paddle")
class Paddle(AdapterCase):
    name = "paddle"

    def test_hello(self):
        # bool, 8 integers, 2 float8, float16, bfloat16, float32, float64.
        self.assert_hello("paddlepaddle", 15 * 15)

    def test_layouts(self):
        self.assert_layouts()
        for layout in ("contiguous", *LAYOUTS):
            self.assert_codes("01000100", "uint32", "uint8", 28, b"\1\0\0\0\0\0\0\0" * 2, [2, 2], layout=layout)

    def test_known_faults(self):
        f32 = floats("f")
        self.assert_codes("7e7f7e7e", "float32", "float8e4m3fn", 28, f32(464.0, 470.0, 480.0, float("nan")))
        self.assert_codes("7c7b7b", "float32", "float8e5m2", 28, f32(61440.0, 65536.0, float("inf")))
        self.assert_codes("00040000", "float32", "float16", 28, f32(2.0**-78, 2.0**-76))
        self.assert_refused("saturates", "float32", "float8e4m3fn", 28, f32(1.0), saturate=0)


if __name__ == "__main__":
    unittest.main()
