"""Tests the adapters of burn and candle, which are compiled. Each is skipped where it is not."""

import struct
import tomllib
import unittest

from test_adapters import ADAPTERS, AdapterCase, Testee, adapter_command, floats

F32, F64 = floats("f"), floats("d")


def compiled(name: str):
    """Skips a class unless the program of its adapter is there."""
    program = ADAPTERS / name / adapter_command(name)[0]
    return unittest.skipUnless(program.is_file(), f"{name} is not compiled: ./setup.sh --adapters {name}")


class Tensors:
    """What both do."""

    @classmethod
    def start(cls) -> Testee:
        """Starts the testee and takes its hello, before which it answers nothing."""
        testee = super().start()
        testee.send({"hello": "castproof-testee/1"})
        testee.hello, _ = testee.receive()
        return testee

    def test_hello_names_the_pinned_version(self):
        manifest = tomllib.loads((ADAPTERS / self.name / "Cargo.toml").read_text())
        self.assertEqual(f"={self.testee.hello['version']}", manifest["dependencies"][self.crate]["version"])

    def test_integers_wrap_and_floats_are_clamped(self):
        self.assert_codes("2cff", "int32", "uint8", 28, struct.pack("<2i", 300, -1))
        self.assert_codes("ff0100ff00", "float32", "uint8", 28, F32(300.0, 1.5, -2.7, 255.5, float("nan")))
        self.assert_codes("003c007c", "float64", "float16", 28, F64(1 + 2**-12, 65520.0))
        self.assert_codes("", "int16", "float64", 28, b"")

    def test_a_known_fault_of_half(self):
        self.assert_codes("4400", "float64", "bfloat16", 28, struct.pack("<Q", 0x3801200040000000))

    def test_what_there_is_no_word_for_is_unsupported(self):
        self.assert_refused("only Cast of opset 28", "float32", "int16", 25, F32(1.0))
        self.assert_refused(f"{self.name} has no float8e5m2", "float32", "float8e5m2", 28, F32(1.0))


@compiled("candle")
class Candle(Tensors, AdapterCase):
    name, crate = "candle", "candle-core"

    def test_float8_saturates(self):
        self.assert_codes("7e7f38", "float32", "float8e4m3fn", 28, F32(1000.0, float("nan"), 1.0), saturate=1)
        self.assert_refused("saturates", "float32", "float8e4m3fn", 28, F32(1.0), saturate=0)

    def test_a_known_fault_ends_the_process(self):
        self.assert_codes("0000803f", "float8e4m3fn", "float32", 28, b"\x38")
        testee = self.start()
        header = {"seq": 1, "op": "cast", "from": "float8e4m3fn", "to": "float64", "opset": 28, "shape": [1], "bytes": 1}
        testee.send(header, b"\x38")
        self.assertEqual(testee.process.stdout.read(), b"")
        self.assertNotEqual(testee.close(), 0)


@compiled("burn")
class Burn(Tensors, AdapterCase):
    name, crate = "burn", "burn-flex"

    def test_bool(self):
        self.assert_codes("000101", "float32", "bool", 28, F32(0.0, 2.0**-149, float("nan")))
        self.assert_codes("0001", "int64", "bool", 28, struct.pack("<2q", 0, 1 << 40))
        self.assert_codes("803f0000", "bool", "bfloat16", 28, b"\1\0")


if __name__ == "__main__":
    unittest.main()
