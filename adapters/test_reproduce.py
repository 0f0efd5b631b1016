"""Runs reproducers of chains, CastLike and tensors, made from results that are written here.

`CASTPROOF` names the program; by default it is the development build.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CASTPROOF = os.environ.get("CASTPROOF", str(ROOT / "target/debug/castproof"))
TEST = "0123456789ab"

# ONNX Runtime's default optimisations drop float16 here, in which 0x3f7ff000 rounds to 1.
CHAIN = {"chain": {"dtypes": ["float32", "float16", "int8"], "input": "0x3f7ff000"}}
CONSTANT = {"chain": {"dtypes": ["int8", "int16", "int8"], "constant": True, "input": "0x05"}}
CASTLIKE = {"castLike": {"from": "float32", "to": "int8", "input": "0x40e00000"}}


class Reproduce(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.results = self.folder / "results.json"
        command = [CASTPROOF, "gate", "--testee", "builtin", "--pair", "bool:bool"]
        command += ["--arrangements", "none", "--json", self.results]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def script(self, runtime: str, suite: str, ask: dict, code: str) -> subprocess.CompletedProcess:
        """Runs the reproducer of a question for which `code` is expected."""
        results = json.loads(self.results.read_text())
        results["testee"]["name"] = runtime
        (question,) = ask.values()
        ends = question.get("dtypes") or [question["from"], question["to"]]
        asked = {"suite": suite, "opset": 25, "from": ends[0], "to": ends[-1], "attributes": {}}
        test = {"id": TEST, "opsets": [25], "ask": ask, "expect": {"code": code}, "clause": "FI-01"}
        deviation = {"verdict": "fail", "asked": asked, "id": TEST, "clause": "FI-01"}
        deviation |= {"question": "", "opset": 25, "got": "", "expected": "", "test": test}
        run = {"suite": suite, "announced": 1, "counts": {}}
        results["suites"] = [run | {"deviations": [deviation]}]
        return self.run_script(results)

    def run_script(self, results: dict) -> subprocess.CompletedProcess:
        """Runs the reproducer of the only finding of these results."""
        results |= {"passed": False, "reasons": ["1 finding"]}
        self.results.write_text(json.dumps(results))
        out = self.folder / "out"
        shown = subprocess.run(
            [CASTPROOF, "show", "--results", self.results], capture_output=True, text=True
        )
        finding = re.search(r"F-[0-9a-f]{6}", shown.stdout)
        self.assertTrue(finding, shown.stdout + shown.stderr)
        command = [CASTPROOF, "reproduce", finding[0], "--results", self.results, "--out", out]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        script = [sys.executable, out / "reproduce.py"]
        return subprocess.run(script, capture_output=True, text=True)

    def in_tensor(self, runtime: str, ends: list, attributes: dict, codes: list):
        """Runs the reproducer of a fault in the tail of 19 equal elements."""
        results = json.loads(self.results.read_text())
        results["testee"]["name"] = runtime
        source, got, due = codes
        found = {"opset": 25, "from": ends[0], "to": ends[1], "attributes": attributes}
        found |= {"place": "the tail of 8", "sentence": "right alone", "count": 19, "index": 16}
        found |= {"layout": "contiguous", "input": source, "got": got, "expect": {"code": due}}
        results["misplaced"] = [found | {"clause": "FI-01", "codes": [source]}]
        return self.run_script(results)

    def assert_came(self, ran: subprocess.CompletedProcess, code: str, status: int):
        self.assertIn(f"got {code}", ran.stdout, ran.stderr)
        self.assertEqual(ran.returncode, status, ran.stdout)

    def test_nodes_of_quantisation_are_built_and_run(self):
        """Each runtime runs a node, and the script counts its answer as wrong or right."""
        command = [CASTPROOF, "gate", "--adapter", "onnxruntime", "--no-baseline"]
        command += ["--suite", "onnx-quantize", "--pair", "float16:int8,float32:float8e5m2", "--json", self.results]
        subprocess.run(command, stdout=subprocess.DEVNULL)
        results = json.loads(self.results.read_text())
        # An infinity of float16 becomes the lowest number in both. With saturate 0 only ONNX Runtime makes NaN of an
        # overflow of float8e5m2.
        for rule, to, runtime, said, status in (
            ("QL-13", "int8", "onnxruntime", "got 0x80 expected 0x7f", 1),
            ("QL-13", "int8", "onnx-reference", "got 0x80 expected 0x7f", 1),
            ("QL-09", "float8e5m2", "onnxruntime", "got 0x7f expected 0x7c", 1),
            ("QL-09", "float8e5m2", "onnx-reference", "", 0),
        ):
            with self.subTest(rule=rule, runtime=runtime):
                told = {it["id"]: (it["rule"], it["example"]["to"]) for it in results["findings"]}
                (finding,) = (name for name, asked in told.items() if asked == (rule, to))
                results["testee"]["name"] = runtime
                self.results.write_text(json.dumps(results))
                out = self.folder / runtime
                command = [CASTPROOF, "reproduce", finding, "--results", self.results, "--out", out]
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                script = [sys.executable, out / "reproduce.py"]
                ran = subprocess.run(script, capture_output=True, text=True)
                self.assertIn(said, ran.stdout, ran.stderr)
                self.assertEqual(ran.returncode, status, ran.stdout + ran.stderr)

    def test_a_chain_that_a_runtime_shortens_fails(self):
        self.assert_came(self.script("onnxruntime", "onnx-chain", CHAIN, "0x01"), "0x00", 1)

    def test_the_reference_evaluator_carries_out_each_cast(self):
        self.assert_came(self.script("onnx-reference", "onnx-chain", CHAIN, "0x01"), "0x01", 0)

    def test_the_input_of_a_chain_can_be_a_constant(self):
        for runtime in ("onnxruntime", "onnx-reference"):
            with self.subTest(runtime):
                ran = self.script(runtime, "onnx-chain", CONSTANT, "0x05")
                self.assert_came(ran, "0x05", 0)

    def test_castlike_is_a_model_too(self):
        for runtime in ("onnxruntime", "onnx-reference"):
            with self.subTest(runtime):
                ran = self.script(runtime, "onnx-castlike", CASTLIKE, "0x07")
                self.assert_came(ran, "0x07", 0)


    def test_a_tensor_is_asked_whole(self):
        for runtime in ("onnxruntime", "onnx-reference", "numpy-ml-dtypes"):
            for ends, codes in (
                (["int8", "float32"], ["0xff", "0x00000000", "0xbf800000"]),
                (["uint4", "int8"], ["0x5", "0x00", "0x05"]),
                (["int8", "uint4"], ["0x05", "0x0", "0x5"]),
            ):
                with self.subTest(runtime=runtime, ends=ends):
                    ran = self.in_tensor(runtime, ends, {}, codes)
                    self.assert_came(ran, codes[2], 0)
                    self.assertIn("element 18 of 19", ran.stdout)

    def test_a_wrong_element_of_a_tensor_is_told(self):
        # ONNX Runtime saturates 480 although saturate is 0.
        codes = ["0x43f00000", "0x7e", "0x7f"]
        ran = self.in_tensor("onnxruntime", ["float32", "float8e4m3fn"], {"saturate": 0}, codes)
        self.assert_came(ran, "0x7e", 1)
        self.assertIn("element 0 of 19", ran.stdout)


if __name__ == "__main__":
    unittest.main()
