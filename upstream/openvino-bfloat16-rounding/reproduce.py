# Convert from f32 to bf16 on the CPU.
import sys
import numpy
import openvino
from openvino import opset15
x = opset15.parameter([-1], openvino.Type.f32)
model = openvino.Model([opset15.convert(x, "bf16")], [x], "m")
compiled = openvino.Core().compile_model(model, "CPU", {"EXECUTION_MODE_HINT": "ACCURACY"})
codes = numpy.array([0x3F80C000, 0x3F80FFFF, 0x7FFFFFFF], "uint32")  # 1.0058594, 1.0078124, NaN
request = compiled.create_infer_request()
request.infer([openvino.Tensor(codes.view("float32"))])
got = (request.get_output_tensor().data.view("uint16").astype("uint32") << 16).view("float32")
expected = numpy.array([1.0078125, 1.0078125, numpy.nan], "float32")
print("got", *got, "expected", *expected)
sys.exit(not numpy.array_equal(got, expected, equal_nan=True))
