"""Tests the adapter of MLX. It is skipped where MLX is not installed."""

import subprocess
import sys
import unittest

from test_adapters import ADAPTERS, AdapterCase, Testee, adapter_command, floats


@unittest.skipUnless(adapter_command("mlx"), "mlx is not installed: ./setup.sh --adapters mlx")
class Mlx(AdapterCase):
    name = "mlx"

    def test_hello(self):
        # 13 dtypes, and three floats to float8 and back.
        self.assert_hello("mlx[cpu]", 13 * 13 + 6)

    def test_what_it_imports_is_found_there_and_not_here(self):
        """MLX has no __init__.py."""
        python = adapter_command(self.name)[0]
        for interpreter, missing in ((python, ""), (sys.executable, "mlx\n")):
            script = [interpreter, ADAPTERS / "missing.py", ADAPTERS / self.name / "testee.py"]
            self.assertEqual(subprocess.run(script, capture_output=True, text=True, check=True).stdout, missing)

    def test_layouts(self):
        # 300 wraps.
        self.assert_layouts(300.0, "2c")

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
