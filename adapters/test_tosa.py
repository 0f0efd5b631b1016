"""Tests the adapter of TOSA's reference model. It is skipped where tosa-tools is not installed."""

import struct
import subprocess
import unittest

from castproof_testee import LAYOUTS
from test_adapters import ADAPTERS, AdapterCase, Testee, adapter_command, floats


@unittest.skipUnless(
    adapter_command("tosa-reference"), "tosa-reference is not installed: ./setup.sh --adapters tosa-reference"
)
class TosaReference(AdapterCase):
    name = "tosa-reference"

    @classmethod
    def start(cls):
        # Of each graph that it refuses, the model writes a report.
        return Testee(adapter_command(cls.name), ADAPTERS / cls.name, stderr=subprocess.DEVNULL)

    def test_hello(self):
        hello = self.hello()
        pins = (ADAPTERS / self.name / "requirements.in").read_text().split()
        self.assertIn(f"tosa-tools=={hello['version']}", pins)
        self.assertEqual(hello["profiles"], ["tosa-cast"])
        self.assertEqual({row["from"] for row in hello["casts"]} & {"uint8", "float64"}, set())

    def test_casts_of_tosa(self):
        f32 = floats("f")
        self.assert_codes("02027f80", "float32", "int8", 28, f32(1.5, 2.5, 1e9, -1e9))
        self.assert_codes("010001", "float32", "bool", 28, f32(0.5, -0.0, float("nan")))
        self.assert_codes("3cc0", "float32", "float8e4m3fn", 28, f32(1.5, -2.0), saturate=0)
        # Infinity and 448.
        self.assert_codes("7f7e", "float16", "float8e4m3fn", 28, b"\x00\x7c\x00\x5f", saturate=0)
        self.assert_codes("0000c03f", "bfloat16", "float32", 28, b"\xc0\x3f")
        self.assert_codes("003e00fc", "float8e5m2", "float16", 28, b"\x3e\xfc")
        self.assert_codes("c8", "int16", "int8", 28, b"\xc8\x00")

    def test_casts_of_the_profile(self):
        f32 = floats("f")
        more = {"profile": "tosa-cast"}
        self.assert_codes("02000000ffffff7f", "float32", "int32", None, f32(1.5, 3e9), **more)
        # The model rounds to float32 first; half a unit in the last place away would be 0x4b81.
        self.assert_codes("804b", "int32", "bfloat16", None, struct.pack("<i", 0x01010001), **more)
        self.assert_refused("no attributes", "float32", "float8e5m2", None, f32(1.0), saturate=0, **more)

    def test_what_tosa_lacks_is_unsupported(self):
        f32 = floats("f")
        self.assert_refused("no cast float32 to int64", "float32", "int64", 28, f32(1.0))
        self.assert_refused("no cast float32 to float32", "float32", "float32", None, f32(1.0), profile="tosa-cast")
        self.assert_refused("no cast int4 to int8", "int4", "int8", 28, b"\x21")
        self.assert_refused("of shape [0]", "float32", "int8", 28, b"")
        self.assert_refused("hello lists no cast", "float32", "uint8", 28, f32(1.0))
        self.assert_refused("saturates", "float32", "float8e5m2", 28, f32(1.0))
        self.assert_refused("saturates", "float32", "float8e5m2", 28, f32(1.0), saturate=1)
        self.assert_codes("01", "float32", "int8", 28, f32(1.0))

    def test_every_shape_and_layout(self):
        f32 = floats("f")
        self.assert_codes("01", "float32", "int8", 28, f32(1.0), [])
        for rank in range(1, 7):
            self.assert_codes("0102", "float32", "int8", 28, f32(1.0, 2.0), [1] * (rank - 1) + [2])
        for layout in set(LAYOUTS) - {"broadcast"}:
            shape = [2, 3]
            self.assert_codes("010203040506", "float32", "int8", 28, f32(1, 2, 3, 4, 5, 6), shape, layout=layout)
            codes = struct.pack("<6H", *range(0x3F80, 0x3F86))
            due = struct.pack("<6I", *(code << 16 for code in range(0x3F80, 0x3F86)))
            self.assert_codes(due.hex(), "bfloat16", "float32", 28, codes, shape, layout=layout)
        self.assert_codes("01020102", "float32", "int8", 28, f32(1, 2, 1, 2), [2, 2], layout="broadcast")

    def test_a_chain_is_one_graph(self):
        steps = [{}, {"saturate": 0}]
        header = {"seq": 1, "op": "chain", "opset": 28, "shape": [2], "bytes": 8, "attributes": steps}
        payload = floats("f")(1.5, 300.0)
        self.testee.send(header | {"dtypes": ["float32", "int8", "float32"]}, payload)
        self.assertEqual(self.testee.receive(), ({"seq": 1, "status": "ok", "bytes": 8}, floats("f")(2.0, 127.0)))
        self.testee.send(header | {"dtypes": ["float32", "int8", "float8e5m2"]}, payload)
        answer, _ = self.testee.receive()
        self.assertEqual(answer["status"], "unsupported")
        self.assertIn("float32 to int8 to float8e5m2", answer["message"])


if __name__ == "__main__":
    unittest.main()
