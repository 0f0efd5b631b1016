"""Runs the archives of `castproof export onnx` as their readers do: onnx.checker, ONNX's own loader, runner and
reference evaluator, and ONNX Runtime. What passes must be what the lists of a run of the gate say.

`CASTPROOF` names the program; by default it is the development build.
"""

import ctypes
import json
import os
import subprocess
import tarfile
import tempfile
import tomllib
import unittest
import unittest.mock
from pathlib import Path

import numpy
import onnx
import onnxruntime
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner
from onnxruntime.capi import onnxruntime_pybind11_state as status
from test_export import Reference

ROOT = Path(__file__).resolve().parent.parent
CASTPROOF = os.environ.get("CASTPROOF", str(ROOT / "target/debug/castproof"))
DTYPES = json.loads((ROOT / "vectors/data/dtypes.json").read_text())
FACTS = {dtype["name"]: dtype for dtype in DTYPES["dtypes"]}
CASTS = [row["version"] for row in DTYPES["versions"] if row["spec"].startswith("onnx-cast-")]
FATAL_ONLY = 4


def castproof(*words, status=(0,)) -> str:
    run = subprocess.run([CASTPROOF, *map(str, words)], capture_output=True, text=True, check=False)
    assert run.returncode in status, (words, run.returncode, run.stderr)
    return run.stdout


def dtypes(name: str) -> tuple[str, str]:
    """Returns the pair of a test, like test_cast_25_float32_to_int8_0123456789ab."""
    source, target = name.split("_", 3)[3].split("_to_")
    return source, target.split("_")[0]


def is_right(dtype: str, got: bytes, due: bytes) -> bool:
    """Compares two tensors: any NaN code is as good as any other, every other code is itself."""
    ranges = [(int(first, 16), int(last, 16)) for first, last in FACTS[dtype]["nan"]]
    if got == due or not ranges or len(got) != len(due):
        return got == due
    codes = [numpy.frombuffer(data, f"<u{FACTS[dtype]['bits'] // 8}") for data in (got, due)]
    nans = [numpy.logical_or.reduce([(it >= first) & (it <= last) for first, last in ranges]) for it in codes]
    return bool(((codes[0] == codes[1]) | (nans[0] & nans[1])).all())


def passes(folder: Path) -> bool:
    """Does ONNX Runtime pass the test? What it refuses it does not pass."""
    model = onnx.load(folder / "model.onnx")
    given, due = (onnx.load_tensor(folder / "test_data_set_0" / name) for name in ("input_0.pb", "output_0.pb"))
    if given.data_type == onnx.TensorProto.STRING:
        # Python cannot bind a tensor of strings, so it is a constant, which is not folded.
        del model.graph.input[:]
        model.graph.initializer.append(given)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = FATAL_ONLY
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        binding = session.io_binding()
        if model.graph.input:
            value = onnxruntime.OrtValue.ortvalue_from_shape_and_type(list(given.dims), given.data_type)
            assert value.tensor_size_in_bytes() == len(given.raw_data), folder.name
            ctypes.memmove(value.data_ptr(), given.raw_data, len(given.raw_data))
            binding.bind_ortvalue_input("x", value)
        binding.bind_output("y", "cpu")
        session.run_with_iobinding(binding)
    except Exception as error:  # the exceptions of the runtime have no class in common
        if isinstance(error, RuntimeError) or type(error).__module__ == status.__name__:
            return False
        raise
    (output,) = binding.get_outputs()
    if due.data_type == onnx.TensorProto.STRING:
        return [text.encode() for text in output.numpy().ravel()] == list(due.string_data)
    got = ctypes.string_at(output.data_ptr(), output.tensor_size_in_bytes())
    return is_right(dtypes(folder.name)[1], got, due.raw_data)


def listed(results: Path, opset: int) -> tuple[set[str], dict[str, str]]:
    """Returns which tests pass, and why the others do not, as tract's list says. burn's list must say the same."""
    words = ["export", "expected-failures", "--from", results, "--opset", opset]
    passed, failed = set(), {}
    for line in castproof(*words, "--format", "tract").splitlines():
        if line.startswith("# test_"):
            _, name, why = line.split(" ", 2)
            failed[name] = why
        elif not line.startswith("#"):
            passed.add(line)
    burn = tomllib.loads(castproof(*words, "--format", "burn"))
    assert {name for name, entry in burn.items() if entry["status"] == "pass"} == passed
    assert {name: entry["reason"] for name, entry in burn.items() if name not in passed} == failed
    return passed, failed


def reference_failures(folder: Path) -> set[str]:
    """Returns the tests that ONNX's reference evaluator fails in ONNX's own runner."""
    # The loader takes a folder by the name of a kind; the kind "node" is what the package makes itself.
    cases = load_model_tests(str(folder), "node-tests")
    with unittest.mock.patch("onnx.backend.test.runner.load_model_tests", return_value=[]):
        runner = Runner(Reference)
    for case in cases:
        assert (case.rtol, case.atol) == (0, 0), case.name
        runner._add_model_test(case, "Cast")
    result = unittest.TestResult()
    with numpy.errstate(all="ignore"):
        runner.test_suite.run(result)
    bad = [test for test, _ in result.failures + result.errors]
    return {test.id().split(".")[-1].removesuffix("_cpu") for test in bad}


class NodeTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)

    def unpack(self, opset: int) -> list[Path]:
        """Returns the folders of the tests of a version."""
        folder = self.folder / str(opset)
        if not folder.exists():
            archive = self.folder / f"{opset}.tar.gz"
            castproof("export", "onnx", "--opset", opset, "--out", archive)
            with tarfile.open(archive) as packed:
                packed.extractall(folder, filter="data")
        self.assertEqual([path.name for path in folder.iterdir() if not path.is_symlink()], ["node"])
        return sorted((folder / "node").iterdir())

    def gate(self, adapter: str) -> Path:
        results = self.folder / f"{adapter}.json"
        words = ["--suite", "onnx-cast", "--arrangements", "none", "--no-baseline", "--json", results]
        castproof("gate", "--adapter", adapter, *words, status=(0, 1))
        return results

    def test_every_model_is_valid(self):
        for opset in CASTS:
            folders = self.unpack(opset)
            self.assertGreater(len(folders), 200)
            for folder in folders:
                names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.*"))
                data = [f"test_data_set_0/{name}_0.pb" for name in ("input", "output")]
                self.assertEqual(names, ["data.json", "model.onnx", *data])
                onnx.checker.check_model(str(folder / "model.onnx"), full_check=opset >= 6)

    def test_onnxruntime_passes_what_the_gate_lists(self):
        results = self.gate("onnxruntime")
        for opset in CASTS[-4:]:
            passed, failed = listed(results, opset)
            folders = self.unpack(opset)
            names = {folder.name for folder in folders}
            self.assertEqual(names, passed | failed.keys())
            ran = {folder.name for folder in folders if passes(folder)}
            self.compare(names - ran, passed, failed)

    def test_the_reference_evaluator_fails_in_the_runner_of_onnx_what_the_gate_lists(self):
        opset = 25  # the newest that the evaluator knows
        self.unpack(opset)
        (self.folder / str(opset) / "node-tests").symlink_to("node")
        passed, failed = listed(self.gate("onnx-reference"), opset)
        # numpy, with which the runner compares texts, drops a NUL at the end.
        unseen = "^NUL characters at the end of texts lost$"
        self.compare(reference_failures(self.folder / str(opset)), passed, failed, unseen)

    def compare(self, bad: set[str], passed: set[str], failed: dict[str, str], unseen: str = "") -> None:
        """Compares the tests that fail with those that a list names. Of casts of strings the list may have more: those
        with a reason like `unseen`, and those below."""
        self.assertEqual(bad & passed, set())
        # The results file does not say which texts a runtime gave no answer for. It may be one that no node
        # test has, because several results are right.
        others = {name for name in failed.keys() - bad if dtypes(name)[0] == "string"}
        self.assertEqual(failed.keys() - others, bad)
        for name in others:
            self.assertRegex(failed[name], "^error: " if not unseen else unseen)
        self.assertLess(len(others), 5)

    def test_any_nan_is_as_good_as_any_other_and_nothing_else_is(self):
        one, next_one, nan, other_nan, infinity = (
            code.to_bytes(4, "little") for code in (0x3F800000, 0x3F800001, 0x7FC00000, 0xFF800001, 0x7F800000)
        )
        self.assertTrue(is_right("float32", one + nan, one + other_nan))
        for got, due in ((one, next_one), (infinity, nan), (nan, infinity), (one, one + one)):
            self.assertFalse(is_right("float32", got, due))
        self.assertFalse(is_right("int8", b"\x7f", b"\x80"))

    def test_what_a_run_did_not_ask_is_not_listed(self):
        results = self.folder / "one.json"
        words = ["--pair", "int8:uint8", "--arrangements", "none", "--json", results]
        castproof("gate", "--testee", "builtin", *words)
        passed, failed = listed(results, 28)
        self.assertEqual({dtypes(name) for name in passed}, {("int8", "uint8")})
        self.assertEqual(failed, {})


if __name__ == "__main__":
    unittest.main()
