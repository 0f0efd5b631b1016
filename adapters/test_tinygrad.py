"""Tests the adapter of tinygrad. It is skipped where tinygrad is not installed."""

import unittest

from test_adapters import ADAPTERS, AdapterCase, Testee, adapter_command, floats


@unittest.skipUnless(adapter_command("tinygrad"), "tinygrad is not installed: ./setup.sh --adapters tinygrad")
class Tinygrad(AdapterCase):
    name = "tinygrad"

    def test_hello(self):
        # bool, 8 integers, 4 float8, float16, bfloat16, float32, float64.
        self.assert_hello("tinygrad", 17 * 17)

    def test_layouts(self):
        self.assert_layouts()

    def test_float8_and_its_known_faults(self):
        f32 = floats("f")
        self.assert_codes("387efe", "float32", "float8e4m3fn", 28, f32(1.0, 1e6, float("-inf")))
        self.assert_codes("000080bf", "float8e4m3fn", "float32", 28, b"\xb8")
        self.assert_refused("saturates", "float32", "float8e4m3fn", 28, f32(1.0), saturate=0)
        # Rounded through float16; subnormal results are zero. The interpreter has neither fault.
        interpreter = Testee(adapter_command(self.name, "python"), ADAPTERS / self.name)
        self.addCleanup(interpreter.close)
        for testee, due in ((self.testee, "3800"), (interpreter, "3902")):
            answer = testee.ask("float32", "float8e4m3fn", 28, f32(1.062501, 2.0**-8), [2])
            self.assertEqual(answer, ("ok", due))

    def test_a_chain_is_a_kernel(self):
        payload = floats("f")(0.99975586)  # 1 in float16
        header = {"seq": 1, "op": "chain", "opset": 28, "shape": [1], "bytes": 4, "attributes": [{}, {}]}
        testee = self.start()
        self.addCleanup(testee.close)
        testee.send(header | {"dtypes": ["float32", "float16", "int8"]}, payload)
        self.assertEqual(testee.receive(), ({"seq": 1, "status": "ok", "bytes": 1}, b"\1"))


if __name__ == "__main__":
    unittest.main()
