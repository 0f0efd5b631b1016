# ONNX Cast to int64 goes through int32: numbers beyond 32 bits are lost.
import sys
import tempfile
import numpy
import onnx.parser
import tract
wrong, text = False, '<ir_version: 10, opset_import: ["": 21]> g (X[1] x) => (double[1] y) {m = Cast <to = 7> (x) y = Cast <to = 11> (m)}'
for dtype, number in (("int64", 2**31), ("int64", 2**40 + 5), ("uint32", 2**32 - 1), ("float32", 2**31)):
    with tempfile.NamedTemporaryFile(buffering=0) as file:
        file.write(onnx.parser.parse_model(text.replace("X", dtype.replace("float32", "float"))).SerializeToString())
        runnable = tract.onnx().load(file.name).into_model().into_runnable()
    got = int(runnable.run([numpy.array([number], dtype)])[0].to_numpy()[0])
    print(f"{dtype} {number} to int64 to float64: got {got}, expected {number}")
    wrong |= got != number
sys.exit(wrong)
