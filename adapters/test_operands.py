"""Compares the committed vectors of promoted operands with numpy, cell by cell.

numpy and ml_dtypes share no code with the oracle. Each operand is an array of its own dtype, which
`astype` casts to the dtype of the promotion.
"""

import json
import unittest
import warnings
from pathlib import Path

import ml_dtypes
import numpy

SUITE = Path(__file__).resolve().parent.parent / "vectors/data/suites/mindspore-operands.json"
NUMBERS = {"bool": "bool", "int": "int64", "float": "float64"}
# The number of cells of both tables, and of those that are refused.
CELLS = (15 * 15 + 15 * 3, 72 + 6)


def numpy_dtype(name: str) -> numpy.dtype:
    return numpy.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def array(name: str, element) -> numpy.ndarray:
    """Returns one element, from its code or from the codes of its two parts."""
    codes = element if isinstance(element, list) else [element]
    width = numpy_dtype(name).itemsize // len(codes)
    payload = b"".join(int(code, 16).to_bytes(width, "little") for code in codes)
    return numpy.frombuffer(payload, numpy_dtype(name))


def parts(value: numpy.ndarray) -> list:
    """Returns the real and the imaginary part, or the only part."""
    one = value[0]
    return [one.real, one.imag] if numpy.iscomplexobj(value) else [one]


def admits(outcome: dict, part) -> bool:
    if outcome == {"anyNaN": True}:
        return bool(numpy.isnan(part))
    code = int.from_bytes(part.tobytes(), "little")
    return code == int(outcome["code"], 16)


class Operands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tests = json.loads(SUITE.read_text())["tests"]

    def test_every_cell_is_there(self):
        asked = [test["ask"]["operands"] for test in self.tests]
        cells = {(it["tensor"], json.dumps(it["with"])) for it in asked}
        refused = [test for test in self.tests if test["expect"] == {"reject": True}]
        self.assertEqual((len(cells), len(refused)), CELLS)

    def test_numpy_casts_both_operands_alike(self):
        checked = 0
        for test in self.tests:
            if test["expect"] == {"reject": True}:
                continue
            ask = test["ask"]["operands"]
            other = ask["with"].get("tensor") or NUMBERS[ask["with"]["number"]]
            dtype = test["expect"]["dtype"]
            for place, source in enumerate((ask["tensor"], other)):
                with warnings.catch_warnings():
                    # numpy warns of overflow to infinity, which these tests expect.
                    warnings.simplefilter("ignore")
                    cast = array(source, ask["elements"][place]).astype(numpy_dtype(dtype))
                readings = [test["expect"]] + ([test["tolerate"]] if "tolerate" in test else [])
                due = [reading["operands"][place] for reading in readings]
                due = [one.get("complex", [one]) for one in due]
                for index, part in enumerate(parts(cast)):
                    admitted = any(admits(one[index], part) for one in due)
                    self.assertTrue(admitted, (test, place, cast))
                    checked += 1
        self.assertGreater(checked, 1200)


if __name__ == "__main__":
    unittest.main()
