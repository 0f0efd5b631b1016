"""Tests the adapter of ncnn. It is skipped where ncnn is not installed."""

import unittest

from test_adapters import ADAPTERS, AdapterCase, Testee, adapter_command, floats


@unittest.skipUnless(adapter_command("ncnn"), "ncnn is not installed: ./setup.sh --adapters ncnn")
class Ncnn(AdapterCase):
    name = "ncnn"

    def test_hello(self):
        hello = self.hello()
        pins = (ADAPTERS / self.name / "requirements.in").read_text().split()
        self.assertIn(f"ncnn=={hello['version']}", pins)
        self.assertEqual(sum(len(row["to"]) for row in hello["casts"]), 5)
        self.assertEqual(hello["limits"], {"ranks": [1, 2, 3, 4], "empty": True})

    def test_casts_in_every_rank(self):
        f32 = floats("f")
        for rank in range(1, 5):
            self.assert_codes("003c00c2", "float32", "float16", 28, f32(1.0, -3.0), [1] * (rank - 1) + [2])
            self.assert_codes("803f40c0", "float32", "bfloat16", 28, f32(1.0, -3.0), [2] + [1] * (rank - 1))
        self.assert_codes(f32(1.0, -128.0).hex(), "int8", "float32", 28, b"\x01\x80")
        self.assert_codes(f32(1.5).hex(), "bfloat16", "float32", 28, b"\xc0\x3f")
        self.assert_codes("", "float32", "float16", 28, b"", [3, 0])

    def test_known_faults_of_ties(self):
        tie = floats("f")(1 + 2**-11)
        self.assert_codes("013c", "float32", "float16", 28, tie)
        self.assert_codes("003c" * 4 + "013c", "float32", "float16", 28, tie * 5)

    def test_what_ncnn_lacks_is_unsupported(self):
        self.assert_refused("hello lists no cast", "float32", "int8", 28, floats("f")(1.0))
        self.assert_refused("no attributes", "float32", "float16", 28, floats("f")(1.0), saturate=1)
        self.assertEqual(self.ask("float32", "float16", 28, floats("f")(1.0), [])[0], "error")
        self.assertEqual(self.ask("float32", "float16", 28, floats("f")(1.0), [1] * 5)[0], "error")

    def test_a_chain_is_a_net(self):
        payload = floats("f")(*range(32))
        for variant in (None, "net"):
            testee = Testee(adapter_command(self.name, variant), ADAPTERS / self.name)
            self.addCleanup(testee.close)
            header = {"seq": 1, "op": "chain", "opset": 28, "shape": [32], "bytes": len(payload), "attributes": [{}, {}]}
            testee.send(header | {"dtypes": ["float32", "float16", "float32"]}, payload)
            self.assertEqual(testee.receive(), ({"seq": 1, "status": "ok", "bytes": len(payload)}, payload))
        self.assertEqual(testee.ask("float32", "float16", 28, payload[:4], [1]), ("ok", "0000"))


if __name__ == "__main__":
    unittest.main()
