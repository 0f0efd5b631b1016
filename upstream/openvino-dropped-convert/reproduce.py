import sys
import numpy
import openvino
from openvino import opset15
wrong = False
for first, middle, value in [("int32", "int16", 70000), ("int16", "float16", 2049)]:
    array = numpy.array([value], first)
    x = opset15.parameter([-1], openvino.Type(array.dtype))
    there = opset15.convert(x, openvino.Type(numpy.dtype(middle)).get_type_name())
    model = openvino.Model([opset15.convert(there, openvino.Type(array.dtype).get_type_name())], [x], "m")
    got = openvino.Core().compile_model(model, "CPU", {"EXECUTION_MODE_HINT": "ACCURACY"})([array])[0][0]
    print(f"{value}: {first} to {middle} to {first}: got {got}, expected {array.astype(middle).astype(first)[0]}")
    wrong |= bool(got != array.astype(middle).astype(first)[0])
sys.exit(wrong)
