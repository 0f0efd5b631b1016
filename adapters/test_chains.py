"""Compares the gate's findings about chains with what brute force finds wrong in ONNX Runtime.

The brute force asks ONNX Runtime itself, without the adapter and the gate: every chain of two casts
between 13 dtypes, and between 7 with cast chain elimination, for up to 40 values each, as one graph
and as two. `CASTPROOF` names the program; by default it is the development build.
"""

import ctypes
import itertools
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import ml_dtypes
import numpy
import onnxruntime
from onnx import TensorProto, helper

ROOT = Path(__file__).resolve().parent.parent
CASTPROOF = os.environ.get("CASTPROOF", str(ROOT / "target/debug/castproof"))

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
DTYPES = ["bool", *INTEGERS, *FLOATS]
# The gate asks more about a wrong chain. The elimination makes 574 of them between all dtypes, which take six minutes of a processor.
FEWER = ["bool", "int8", "uint16", "int64", "float16", "bfloat16", "float32"]
CODES = {1: numpy.uint8, 2: numpy.uint16, 4: numpy.uint32, 8: numpy.uint64}

# Numbers that tell casts apart: with high and low bits, beside integers, beyond each range.
WHOLE = [1, 100, 200, 300, 2049, 40_000, 70_001, 16_777_217, 3_000_000_001, 5_000_000_007]
WHOLE += [2**40 + 2**39 + 300, 2**53 + 2**29 + 1, 2**62 + 2**61 + 77, 2**63 + 2**62 + 99]
BROKEN = [0.3, 0.9999, 1.0001, 2.5, 127.99, 255.99, 300.7, 1.00048828125 + 2**-40, 1e-40, 1e39]
BROKEN += [float("inf"), float("nan")]
MOST_VALUES = 40

LEVELS = onnxruntime.GraphOptimizationLevel
ELIMINATION = {"optimization.enable_cast_chain_elimination": "1"}


def dtype(name: str) -> numpy.dtype:
    return numpy.dtype(getattr(ml_dtypes, name, name))


def onnx_type(name: str) -> int:
    return TensorProto.DataType.Value(
        {"float32": "FLOAT", "float64": "DOUBLE"}.get(name, name.upper())
    )


def values(name: str) -> numpy.ndarray:
    """Returns values of a dtype, at most 40."""
    if name == "bool":
        return numpy.array([False, True])
    if name in INTEGERS:
        ends = numpy.iinfo(dtype(name))
        numbers = {0, ends.min, ends.max, *WHOLE, *(-number for number in WHOLE)}
        return numpy.array(sorted(it for it in numbers if ends.min <= it <= ends.max), dtype(name))
    numbers = [*BROKEN[:8], *WHOLE[1:], *BROKEN[8:]]
    with numpy.errstate(all="ignore"):
        found = numpy.array([*numbers, *(-it for it in numbers)], numpy.float64).astype(dtype(name))
    return found[:MOST_VALUES]


def run(names: tuple[str, ...], elements: numpy.ndarray, level, entries: dict) -> numpy.ndarray:
    """Casts in a row as one graph."""
    between = ["x", *(f"step{step}" for step in range(1, len(names) - 1)), "y"]
    nodes = [
        helper.make_node("Cast", [between[step]], [between[step + 1]], to=onnx_type(name))
        for step, name in enumerate(names[1:])
    ]
    ends = [
        helper.make_tensor_value_info(end, onnx_type(name), ["size"])
        for end, name in (("x", names[0]), ("y", names[-1]))
    ]
    graph = helper.make_graph(nodes, "chain", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    options = onnxruntime.SessionOptions()
    if level is not None:
        options.graph_optimization_level = level
    for key, value in entries.items():
        options.add_session_config_entry(key, value)
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    given = elements.view(numpy.uint16) if names[0] == "bfloat16" else elements
    tensor = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(given, onnx_type(names[0]))
    (output,) = session.run_with_ort_values(["y"], {"x": tensor})
    content = ctypes.string_at(output.data_ptr(), output.tensor_size_in_bytes())
    return numpy.frombuffer(content, dtype(names[-1]))


def undefined(elements: numpy.ndarray, target: str) -> numpy.ndarray:
    """Returns which elements a cast to this dtype leaves undefined: floats that do not fit."""
    if target not in INTEGERS or elements.dtype.kind in "iub":
        return numpy.zeros(len(elements), bool)
    ends = numpy.iinfo(dtype(target))

    def fits(number: float) -> bool:
        return numpy.isfinite(number) and ends.min <= int(number) <= ends.max

    return numpy.array([not fits(float(number)) for number in elements])


def is_nan(elements: numpy.ndarray) -> numpy.ndarray:
    if elements.dtype.kind in "iub":
        return numpy.zeros(len(elements), bool)
    return numpy.isnan(elements.astype(numpy.float64))


def wrong_chains(dtypes: list[str], level, entries: dict) -> set[tuple[str, str, str]]:
    """Returns the chains that give as one graph what they do not give as two."""
    found = set()
    for names in itertools.product(dtypes, repeat=3):
        first, second, third = names
        if first == second or second == third:
            continue
        elements = values(first)
        between = run((first, second), elements, LEVELS.ORT_DISABLE_ALL, {})
        due = run((second, third), between, LEVELS.ORT_DISABLE_ALL, {})
        got = run(names, elements, level, entries)
        code = CODES[due.dtype.itemsize]
        differs = due.view(code) != got.view(code)
        differs &= ~(is_nan(due) & is_nan(got))
        differs &= ~undefined(elements, second) & ~undefined(between, third)
        if differs.any():
            found.add(names)
    return found


def findings(dtypes: list[str], variant: str | None) -> tuple[set[tuple[str, str, str]], list[dict]]:
    """Returns the chains that the gate finds wrong, and its findings about chains."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "results.json")
        command = [CASTPROOF, "gate", "--adapter", "onnxruntime", "--suite", "onnx-chain"]
        # Those whose ends the brute force asks too.
        command += ["--pair", ",".join(f"{a}:{b}" for a, b in itertools.product(dtypes, repeat=2))]
        command += ["--variant", variant] if variant else []
        command += ["--no-baseline", "--json", file]
        subprocess.run(command, stdout=subprocess.DEVNULL, cwd=ROOT, check=False)
        results = json.loads(file.read_text())
    (suite,) = [it for it in results["suites"] if it["suite"] == "onnx-chain"]
    failing = [it for it in suite["deviations"] if it["verdict"] == "fail"]
    chains = {tuple(it["test"]["ask"]["chain"]["dtypes"]) for it in failing}
    return chains, [it for it in results["findings"] if it["kind"] == "chain"]


class Chains(unittest.TestCase):
    """Every chain that brute force finds wrong is found by the gate, in few findings that say why."""

    def compare(self, dtypes: list[str], variant: str | None, level, entries: dict, least: int) -> None:
        brute = wrong_chains(dtypes, level, entries)
        self.assertGreaterEqual(len(brute), least)
        found, listed = findings(dtypes, variant)
        self.assertEqual(brute - found, set(), f"{len(brute)} chains are wrong")
        self.assertLessEqual(len(listed), 5)
        for finding in listed:
            self.assertIn("cause", finding, finding["example"]["sentence"])

    def test_onnxruntime_as_it_optimises_by_default(self):
        self.compare(DTYPES, None, None, {}, 18)

    def test_onnxruntime_with_cast_chain_elimination(self):
        self.compare(FEWER, "all-optimisations", LEVELS.ORT_ENABLE_ALL, ELIMINATION, 128)


if __name__ == "__main__":
    unittest.main()
