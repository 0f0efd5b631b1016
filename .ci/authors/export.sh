#!/usr/bin/env bash
# Tests as ONNX models, for a runtime that runs such: README, "Your own kernel". The runtime is ONNX's
# reference evaluator; no part of Castproof runs with it.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

passes castproof vectors export --format onnx-backend --from int8 --to float16 --opset 21 --out tests
cat >run.py <<'PYTHON'
"""Runs every test of a folder; with --wrong, the runtime forgets the sign."""
import pathlib
import sys

import numpy
import onnx
import onnx.numpy_helper
import onnx.reference

failing = []
folders = sorted(path.parent for path in pathlib.Path("tests").rglob("model.onnx"))
for folder in folders:
    read = lambda name: onnx.numpy_helper.to_array(onnx.load_tensor(folder / "test_data_set_0" / name))
    (got,) = onnx.reference.ReferenceEvaluator(onnx.load(folder / "model.onnx")).run(None, {"x": read("input_0.pb")})
    if "--wrong" in sys.argv:
        got = abs(got)
    if got.tobytes() != read("output_0.pb").tobytes():
        failing.append(folder.name)
print(f"{len(failing)} of {len(folders)} tests fail: {', '.join(failing)}")
sys.exit(bool(failing) or not folders)
PYTHON
passes "$CLONE/.venv/bin/python" run.py
fails "$CLONE/.venv/bin/python" run.py --wrong
lines_written run.py
