# Two Casts in a row, without graph optimisation: is the first one run?
import sys
import numpy
import onnx.parser
import onnxruntime
options, wrong = onnxruntime.SessionOptions(), False
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
for first, middle, last, x, expected in [("float", 10, 3, 0.99975586, 1), ("double", 7, 6, 1e10, 1410065408)]:
    graph = f"g ({first}[n] x) => ({ {3: 'int8', 6: 'int32'}[last] }[n] y) {{ m = Cast<to = {middle}>(x) y = Cast<to = {last}>(m) }}"
    model = onnx.parser.parse_model('<ir_version: 9, opset_import: ["": 19]> ' + graph).SerializeToString()
    feed = {"x": numpy.array([x], "float32" if first == "float" else first)}
    (y,) = onnxruntime.InferenceSession(model, options).run(None, feed)
    print(f"{x}: {first} to {onnx.TensorProto.DataType.Name(middle)} to {y.dtype}: got {y[0]}, expected {expected}")
    wrong |= bool(y[0] != expected)
sys.exit(wrong)
