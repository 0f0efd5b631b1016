# QuantizeLinear in the reference evaluator: numbers that are beyond the range of int32 after the division.
import sys
import warnings
import numpy
import onnx.parser
from onnx.reference import ReferenceEvaluator
warnings.simplefilter("ignore")
graph = "g (float[n] x, float scale, int8 zero) => (int8[n] y) { y = QuantizeLinear(x, scale, zero) }"
model = onnx.parser.parse_model('<ir_version: 10, opset_import: ["": 21]> ' + graph)
x = numpy.array([200, 1e10, numpy.inf], "float32")
(y,) = ReferenceEvaluator(model).run(None, {"x": x, "scale": numpy.float32(1), "zero": numpy.int8(0)})
for number, code in zip(x, y):
    print(f"{number} by 1 to int8: got {code}, expected 127")
sys.exit(not numpy.array_equal(y, [127, 127, 127]))
