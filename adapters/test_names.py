"""The names that other projects have for the dtypes are those of the table that `castproof dtypes` prints.

`CASTPROOF` names the program; by default it is the development build.
"""

import json
import os
import subprocess
import unittest
from pathlib import Path

import ml_dtypes
import numpy
import onnx

import castproof_testee

ROOT = Path(__file__).resolve().parent.parent
CASTPROOF = os.environ.get("CASTPROOF", str(ROOT / "target/debug/castproof"))


def dtypes() -> list[dict]:
    """Returns the table."""
    said = subprocess.run([CASTPROOF, "dtypes", "--json"], capture_output=True, check=True, text=True)
    return json.loads(said.stdout)


class Names(unittest.TestCase):
    def test_numbers_and_enumerators_of_onnx(self):
        known = {number: name for name, number in onnx.TensorProto.DataType.items() if number}
        found = {row["onnx"]: row["otherNames"]["ONNX"] for row in dtypes() if row["onnx"]}
        for number, names in found.items():
            if number in known:  # a newer version of ONNX may have numbers that this one lacks
                self.assertEqual(names, [known[number]])
        self.assertGreaterEqual(len(found.keys() & known.keys()), 24)

    def test_names_of_numpy_and_ml_dtypes(self):
        asked = 0
        for row in dtypes():
            for name in row["otherNames"].get("numpy, ml_dtypes, JAX", []):
                if name in ("str_", "object_"):
                    continue
                dtype = numpy.dtype(getattr(ml_dtypes, name, getattr(numpy, name, name)))
                bits = castproof_testee.ELEMENT_BITS.get(row["name"], row["bits"])
                self.assertEqual(max(bits, 8), 8 * dtype.itemsize, name)
                if row["name"] in ("bool",) or hasattr(numpy, row["name"]):
                    self.assertEqual(dtype.name, row["name"], name)
                asked += 1
        self.assertGreater(asked, 30)
