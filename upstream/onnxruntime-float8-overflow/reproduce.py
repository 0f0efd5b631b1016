# Cast to float8 with saturate=0: numbers between the largest number and what would be one step beyond it.
import sys
import numpy
import onnx.parser
import onnxruntime
GRAPH = """<ir_version: 9, opset_import: ["": 19]> g (float[n] x) => (float[n] y)
    { small = Cast<to = NUMBER, saturate = 0>(x) y = Cast<to = 1>(small) }"""
wrong = False
for name, number, x, expected in [("FLOAT8E4M3FN", 17, 480, "nan"), ("FLOAT8E5M2", 19, 61440, "inf")]:
    model = onnx.parser.parse_model(GRAPH.replace("NUMBER", str(number))).SerializeToString()
    (y,) = onnxruntime.InferenceSession(model).run(None, {"x": numpy.array([x], "float32")})
    print(f"{x} to {name}, saturate 0: got {y[0]}, expected {expected}")
    wrong |= str(y[0]) != expected
sys.exit(wrong)
