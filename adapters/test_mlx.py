"""Tests the adapter of MLX. It is skipped where MLX is not installed."""

import subprocess
import sys
import unittest

from castproof_testee import LAYOUTS
from test_adapters import ADAPTERS, AdapterCase, Testee, adapter_command, floats


@unittest.skipUnless(adapter_command("mlx"), "mlx is not installed: ./setup.sh --adapters mlx")
class Mlx(AdapterCase):
    name = "mlx"

    def test_hello(self):
        hello = self.hello()
        pins = (ADAPTERS / self.name / "requirements.in").read_text().split()
        self.assertIn(f"mlx[cpu]=={hello['version']}", pins)
        # 13 dtypes, and three floats to float8 and back.
        self.assertEqual(sum(len(row["to"]) for row in hello["casts"]), 13 * 13 + 6)

    def test_what_it_imports_is_found_there_and_not_here(self):
        """MLX has no __init__.py."""
        python = adapter_command(self.name)[0]
        for interpreter, missing in ((python, ""), (sys.executable, "mlx\n")):
            script = [interpreter, ADAPTERS / "missing.py", ADAPTERS / self.name / "testee.py"]
            self.assertEqual(subprocess.run(script, capture_output=True, text=True, check=True).stdout, missing)

    def test_layouts(self):
        f32 = floats("f")
        for layout in ("contiguous", *LAYOUTS):
            values = (1.5, -2.7, 1.5, -2.7) if layout == "broadcast" else (1.5, -2.7, 300.0, -1.0)
            due = "01fe01fe" if layout == "broadcast" else "01fe2cff"
            self.assert_codes(due, "float32", "int8", 28, f32(*values), [2, 2], layout=layout)
        self.assert_codes("01", "float64", "bool", 28, floats("d")(0.25), [])
        self.assert_codes("", "bfloat16", "uint64", 28, b"", [0, 3])

    def test_float8_and_its_known_fault(self):
        f32 = floats("f")
        self.assert_codes("387efe7e", "float32", "float8e4m3fn", 28, f32(1.0, 1e6, float("-inf"), float("nan")))
        self.assert_codes("7e", "float32", "float8e4m3fn", 28, f32(1e6), saturate=1)
        self.assert_codes("000080bf", "float8e4m3fn", "float32", 28, b"\xb8")
        self.assert_refused("saturates", "float32", "float8e4m3fn", 28, f32(1.0), saturate=0)
        self.assert_refused("hello lists no cast", "float64", "float8e4m3fn", 28, floats("d")(1.0))

    def test_chains(self):
        payload = floats("f")(0.99975586)  # 1 in float16
        for variant in ("plain", "compile"):
            command = adapter_command(self.name, None if variant == "plain" else variant)
            testee = Testee(command, ADAPTERS / self.name)
            self.addCleanup(testee.close)
            header = {"seq": 1, "op": "chain", "opset": 28, "shape": [1], "bytes": 4, "attributes": [{}, {}]}
            testee.send(header | {"dtypes": ["float32", "float16", "int8"]}, payload)
            self.assertEqual(testee.receive(), ({"seq": 1, "status": "ok", "bytes": 1}, b"\1"), variant)


if __name__ == "__main__":
    unittest.main()
