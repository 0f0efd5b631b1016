"""Tests the adapter of wgpu. It is skipped where wgpu is not installed."""

import struct
import unittest

from test_adapters import AdapterCase, adapter_command, floats


@unittest.skipUnless(adapter_command("wgpu"), "wgpu is not installed: ./setup.sh --adapters wgpu")
class Wgpu(AdapterCase):
    name = "wgpu"

    def test_hello(self):
        # The 5 scalar types of WGSL.
        self.assert_hello("wgpu", 5 * 5)
        self.assertEqual(self.hello()["limits"], {"empty": False})

    def test_casts_of_every_count(self):
        f32 = floats("f")
        self.assert_codes("01000000feffffff", "float32", "int32", 28, f32(1.5, -2.7))
        # Results of 16 bits end in the middle of a word; a bool is a byte here and a word there.
        self.assert_codes("003c" * 3, "float32", "float16", 28, f32(1.0, 1 - 2**-20, 1 + 2**-11), [1, 3])
        self.assert_codes("0000803f", "float16", "float32", 28, b"\x00\x3c", [])
        self.assert_codes("010001", "float32", "bool", 28, f32(0.25, -0.0, -3.0))
        self.assert_codes("003c00000000", "bool", "float16", 28, b"\x01\x00\x00")
        # A group of the shader has 256 elements.
        self.assert_codes("00010001" * 150, "bool", "bool", 28, b"\x00\x01\x00\x01" * 150, [600])
        self.assert_codes("ffffffff", "int32", "uint32", 28, struct.pack("<i", -1))

    def test_a_number_out_of_range_becomes_the_last_that_both_types_have(self):
        self.assert_codes("80ffff7f00000080", "float32", "int32", 28, floats("f")(3e9, -3e9))
        self.assert_codes("00ffffff00000000", "float32", "uint32", 28, floats("f")(1e20, -1.0))
        self.assert_codes("e0ff0000", "float16", "int32", 28, b"\x00\x7c")

    def test_what_wgpu_lacks_is_unsupported(self):
        self.assert_refused("hello lists no cast", "float32", "int8", 28, floats("f")(1.0))
        self.assert_refused("no CastLike", "float32", "int32", 28, floats("f")(1.0), op="castlike")

    def chain(self, dtypes: list[str], payload: bytes) -> str:
        """Sends a chain of one element, and returns its result."""
        header = {"seq": 1, "op": "chain", "opset": 28, "shape": [1], "bytes": len(payload)}
        self.testee.send(header | {"dtypes": dtypes, "attributes": [{}] * (len(dtypes) - 1)}, payload)
        answer, output = self.testee.receive()
        return output.hex() or answer["message"]

    def test_a_chain_is_one_shader(self):
        f32 = floats("f")
        self.assertEqual(self.chain(["float32", "float16", "float32"], f32(1 + 2**-12)), "0000803f")
        self.assertEqual(self.chain(["float32", "bool", "int32"], f32(-7.5)), "01000000")
        self.assertEqual(self.chain(["float32", "int32", "float32"], f32(-7.5)), "0000e0c0")
        # WGSL lets a zero have either sign: see README.md.
        self.assertEqual(self.chain(["float32", "int32", "float32"], f32(-0.0)), "00000080")


if __name__ == "__main__":
    unittest.main()
