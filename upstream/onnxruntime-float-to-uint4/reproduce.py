# Cast from float to uint4 and int4: ties, and what a tie of -0.5 becomes.
import sys
import numpy
import onnx.parser
import onnxruntime
GRAPH = """<ir_version: 10, opset_import: ["": 21]> g (float[n] x) => (int32[n] y)
    { small = Cast<to = NUMBER>(x) y = Cast<to = 6>(small) }"""
wrong = False
for name, number, x, expected in [("UINT4", 21, -0.5, 0), ("UINT4", 21, 2.5, 2), ("INT4", 22, 2.5, 2)]:
    model = onnx.parser.parse_model(GRAPH.replace("NUMBER", str(number))).SerializeToString()
    (y,) = onnxruntime.InferenceSession(model).run(None, {"x": numpy.array([x], "float32")})
    print(f"{x} to {name}: got {y[0]}, expected {expected}")
    wrong |= bool(y[0] != expected)
sys.exit(wrong)
