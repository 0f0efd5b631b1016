"""Runs exported ONNX backend tests with the onnx package's own runner and reference evaluator.

`CASTPROOF` names the program; by default it is the development build.
"""

import os
import subprocess
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import numpy
from onnx.backend.base import Backend
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.runner import Runner
from onnx.reference import ReferenceEvaluator

ROOT = Path(__file__).resolve().parent.parent
CASTPROOF = os.environ.get("CASTPROOF", str(ROOT / "target/debug/castproof"))


class Reference(Backend):
    """The reference evaluator behind the interface of the backend tests."""

    @classmethod
    def prepare(cls, model, device="CPU", **_):
        evaluator = ReferenceEvaluator(model)
        names = [value.name for value in model.graph.input]

        class Prepared:
            def run(self, inputs, **_):
                return evaluator.run(None, dict(zip(names, inputs, strict=True)))

        return Prepared()

    @classmethod
    def supports_device(cls, device):
        return device == "CPU"


class Folders(Runner):
    """The runner, for the folders of an export instead of the package's own tests."""

    def __init__(self, folder: Path):
        # The package's own tests take long to make and are not needed.
        with unittest.mock.patch("onnx.backend.test.runner.load_model_tests", return_value=[]):
            super().__init__(Reference)
        for path in sorted(folder.iterdir()):
            # The tolerances are 0 because casts are exact.
            case = TestCase(path.name, path.name, None, str(path), None, None, "node", 0.0, 0.0)
            self._add_model_test(case, "Cast")


def export(folder: Path, *selection: str) -> None:
    command = [CASTPROOF, "vectors", "export", "--format", "onnx-backend", "--out", folder]
    subprocess.run([*command, *selection], check=True, stdout=subprocess.DEVNULL)


def run(folder: Path) -> unittest.TestResult:
    result = unittest.TestResult()
    with numpy.errstate(all="ignore"):
        Folders(folder).test_suite.run(result)
    return result


class Export(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "tests"

    def test_the_reference_evaluator_passes_what_it_gets_right(self):
        for selection in (
            ("--from", "float32", "--to", "float16"),
            ("--from", "float32", "--to", "float8e4m3fn"),
            ("--from", "float16", "--to", "float8e5m2"),
            ("--from", "int64", "--to", "float32"),
            ("--from", "uint8", "--to", "int4"),
            ("--from", "int4", "--to", "float64"),
            ("--from", "float8e4m3fnuz", "--to", "bool"),
            ("--from", "float32", "--to", "bfloat16"),
        ):
            export(self.folder, *selection)
        folders = len(list(self.folder.iterdir()))
        result = run(self.folder)
        ran = result.testsRun - len(result.skipped)
        self.assertEqual(ran, folders)
        self.assertGreaterEqual(folders, 10)
        self.assertEqual([], result.errors + result.failures)

    def test_a_wrong_expectation_fails(self):
        export(self.folder, "--from", "int8", "--to", "uint8")
        (output, *_) = self.folder.rglob("output_0.pb")
        data = bytearray(output.read_bytes())
        data[-1] ^= 1  # raw_data is the last field
        output.write_bytes(data)
        result = run(self.folder)
        self.assertEqual(len(result.failures), 1, result.errors)


if __name__ == "__main__":
    unittest.main()
