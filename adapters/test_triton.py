"""Tests the adapter of Triton's interpreter. It is skipped where Triton is not installed."""

import re
import unittest

from test_adapters import ADAPTERS, AdapterCase, Testee, adapter_command, floats


NAME = "triton-interpreter"


@unittest.skipUnless(adapter_command(NAME), f"{NAME} is not installed: ./setup.sh --adapters {NAME}")
class Triton(AdapterCase):
    name = NAME

    def test_hello(self):
        hello = self.hello()
        pins = (ADAPTERS / "torch/requirements.txt").read_text()
        self.assertEqual(re.findall(r"^triton==([^ ]*)", pins, re.MULTILINE), [hello["version"]])
        # 17 dtypes; there is no cast of the four float8 from and to bool and the integers.
        self.assertEqual(sum(len(row["to"]) for row in hello["casts"]), 17 * 17 - 2 * 4 * 9)
        self.assertEqual(hello["limits"], {"elements": 1 << 20})

    def test_its_own_results(self):
        f32 = floats("f")
        self.assert_codes("01fe2c", "float32", "int8", 28, f32(1.5, -2.7, 300.0))
        self.assert_codes("003c007c", "float32", "float16", 28, f32(1 + 2**-11, 65520.0))
        self.assert_codes("010001", "float64", "bool", 28, floats("d")(0.25, -0.0, float("nan")))
        self.assert_codes("", "float32", "int8", 28, b"")

    def test_known_faults(self):
        f32 = floats("f")
        self.assert_codes("813f", "float32", "bfloat16", 28, b"\0\x80\x81\x3f")  # truncated; 0x3f82 is due
        self.assert_codes("0300", "int32", "bfloat16", 28, b"\3\0\0\0")  # the bits of the integer; 0x4040 is due
        self.assert_codes("5978", "float32", "float8e4m3fn", 28, f32(17.0, float("inf")))  # 0x58, 0x7e are due
        self.assertEqual(self.ask("float64", "float8e5m2", 28, floats("d")(0.0), [1])[0], "error")

    def test_what_triton_lacks_is_unsupported(self):
        self.assert_refused("hello lists no cast", "int8", "float8e5m2", 28, b"\1")
        self.assert_refused("saturates", "float32", "float8e5m2", 28, floats("f")(1.0), saturate=0)
        self.assert_refused("hello lists no cast", "float32", "float8e8m0", 28, floats("f")(1.0))

    def test_a_chain_is_one_kernel(self):
        testee = Testee(adapter_command(self.name), ADAPTERS / self.name)
        self.addCleanup(testee.close)
        header = {"seq": 1, "op": "chain", "opset": 28, "shape": [1], "bytes": 4, "attributes": [{}, {}]}
        testee.send(header | {"dtypes": ["float32", "float16", "int8"]}, floats("f")(0.99975586))
        self.assertEqual(testee.receive(), ({"seq": 1, "status": "ok", "bytes": 1}, b"\1"))


if __name__ == "__main__":
    unittest.main()
