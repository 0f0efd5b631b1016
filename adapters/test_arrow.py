"""Tests the adapters of what casts arrays of Arrow. Each is skipped where it is not installed."""

import unittest

from test_adapters import ADAPTERS, AdapterCase, Testee, adapter_command, floats, texts


def installed(name: str):
    """Skips a class unless its adapter is installed."""
    return unittest.skipUnless(adapter_command(name), f"{name} is not installed: ./setup.sh --adapters {name}")


class Arrays:
    """What every such adapter does."""

    def pinned_hello(self) -> dict:
        """Returns the hello, which names the pinned version."""
        hello = self.hello()
        pins = (ADAPTERS / self.name / "requirements.in").read_text().split()
        self.assertIn(f"{self.name}=={hello['version']}", pins)
        return hello

    def chain(self, dtypes: list[str], payload: bytes, count: int) -> tuple[str, str]:
        testee = self.start()
        self.addCleanup(testee.close)
        steps = [{}] * (len(dtypes) - 1)
        header = {"seq": 1, "op": "chain", "opset": 28, "shape": [count], "bytes": len(payload)}
        testee.send(header | {"dtypes": dtypes, "attributes": steps}, payload)
        answer, output = testee.receive()
        return answer["status"], output.hex() or answer.get("message", "")

    def test_a_slice_is_cast_and_not_what_lies_before(self):
        for layout in ("contiguous", "offset"):
            self.assert_codes("000001", "int32", "bool", 28, bytes(8) + b"\2\0\0\0", layout=layout)
            self.assert_codes("0100", "bool", "uint8", 28, b"\1\0", layout=layout)
            self.assert_codes("0c", "string", "int8", 28, texts("12"), [1], layout=layout)
        self.assert_codes("", "float32", "int8", 28, b"", layout="offset")

    def test_texts(self):
        self.assert_texts(["true", "false"], "bool", 28, b"\1\0")
        self.assert_texts(["a\0", "ö"], "string", 28, texts("a\0", "ö"))
        self.assertEqual(self.ask("string", "float32", 28, texts("abc"), [1])[0], "error")

    def test_what_there_is_no_word_for_is_unsupported(self):
        f32 = floats("f")(1.0)
        self.assert_refused("hello lists no cast", "float32", "bfloat16", 28, f32)
        self.assert_refused("no attributes", "float32", "int8", 28, f32, saturate=1)
        self.assert_refused("Cast-28 only", "float32", "int8", 25, f32)
        self.assert_refused("Cast-28 only", "float32", "int8", 28, f32, op="castlike")


@installed("pyarrow")
class Pyarrow(Arrays, AdapterCase):
    name = "pyarrow"

    def test_hello(self):
        # 13 dtypes; none of bool from or to float16.
        self.assertEqual(sum(len(row["to"]) for row in self.pinned_hello()["casts"]), 167)

    def test_its_own_results(self):
        self.assert_codes("01fe2c", "float32", "int8", 28, floats("f")(1.5, -2.7, 300.0))
        self.assert_codes("003c023c007c", "float32", "float16", 28, floats("f")(1 + 2**-11, 1 + 3 * 2**-11, 65520.0))

    def test_a_known_fault_of_expressions(self):
        self.assertEqual(self.chain(["int8", "float16", "float32"], b"\3", 1), ("ok", "00004040"))
        status, message = self.chain(["float16", "float16", "float32"], b"\0\x3c", 1)
        self.assertEqual(status, "error")
        self.assertIn("halffloat to halffloat", message)


@installed("datafusion")
class Datafusion(Arrays, AdapterCase):
    name = "datafusion"

    def test_hello(self):
        # 13 dtypes, all pairs.
        self.assertEqual(sum(len(row["to"]) for row in self.pinned_hello()["casts"]), 169)

    def test_a_float_is_truncated_and_what_is_out_of_range_is_null(self):
        self.assert_codes("7f0701fe", "float32", "int8", 28, floats("f")(127.9, 7.0, 1.5, -2.7))
        self.assert_codes("0700", "float32", "int8", 28, floats("f")(7.0, 128.0))
        self.assert_codes("000ac0", "int16", "uint8", 28, b"\xff\xff\x0a\0\xc0\0")
        self.assert_codes("003c007c", "float64", "float16", 28, floats("d")(1 + 2**-11 + 2**-40, 65520.0))

    def test_a_chain_out_of_range_is_an_error(self):
        self.assertEqual(self.chain(["float32", "int8", "int32"], floats("f")(2.5), 1), ("ok", "02000000"))
        status, message = self.chain(["int16", "int8", "int32"], b"\x00\x01", 1)
        self.assertEqual(status, "error")
        self.assertIn("Can't cast value 256", message)


@installed("polars")
class Polars(Arrays, AdapterCase):
    name = "polars"

    def test_hello(self):
        # 13 dtypes, all pairs but the one from String to Boolean.
        self.assertEqual(sum(len(row["to"]) for row in self.pinned_hello()["casts"]), 168)

    def test_a_float_is_truncated_and_what_is_out_of_range_is_null(self):
        self.assert_codes("7f0701fe", "float32", "int8", 28, floats("f")(127.9, 7.0, 1.5, -2.7))
        self.assert_codes("0700", "float32", "int8", 28, floats("f")(7.0, 128.0))
        self.assert_codes("000ac0", "int16", "uint8", 28, b"\xff\xff\x0a\0\xc0\0")
        self.assert_codes("003c007c", "float64", "float16", 28, floats("d")(1 + 2**-11 + 2**-40, 65520.0))

    def test_wrap_wraps_integers_and_clamps_floats(self):
        testee = Testee(adapter_command("polars", "wrap"), ADAPTERS / "polars")
        self.addCleanup(testee.close)
        self.assertEqual(testee.ask("int16", "uint8", 28, b"\xff\xff\x2c\1", [2]), ("ok", "ff2c"))
        self.assertEqual(testee.ask("float32", "int8", 28, floats("f")(300.0, -2.7), [2]), ("ok", "7ffe"))
        self.assertEqual(testee.ask("string", "int8", 28, texts("abc"), [1])[0], "error")

    def test_a_chain_out_of_range_is_an_error(self):
        self.assertEqual(self.chain(["float32", "int8", "int32"], floats("f")(2.5), 1), ("ok", "02000000"))
        status, message = self.chain(["int16", "int8", "int32"], b"\x00\x01", 1)
        self.assertEqual(status, "error")
        self.assertIn("conversion from `i16` to `i8` failed", message)


@installed("duckdb")
class Duckdb(Arrays, AdapterCase):
    name = "duckdb"

    def test_hello(self):
        # 12 dtypes, all pairs.
        self.assertEqual(sum(len(row["to"]) for row in self.pinned_hello()["casts"]), 144)

    def test_a_float_rounds_to_the_nearest_and_what_is_out_of_range_is_null(self):
        self.assert_codes("020203", "float32", "int8", 28, floats("f")(1.5, 2.5, 2.6))
        self.assert_codes("800780", "float32", "int8", 28, floats("f")(300.0, 7.0, float("nan")))
        self.assert_codes("000ac0", "int16", "uint8", 28, b"\xff\xff\x0a\0\xc0\0")

    def test_a_chain_out_of_range_is_an_error(self):
        self.assertEqual(self.chain(["float32", "int8", "int32"], floats("f")(2.5), 1), ("ok", "02000000"))
        status, message = self.chain(["int16", "int8", "int32"], b"\x00\x01", 1)
        self.assertEqual(status, "error")
        self.assertIn("out of range", message)


if __name__ == "__main__":
    unittest.main()
