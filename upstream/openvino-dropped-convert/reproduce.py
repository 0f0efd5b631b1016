import sys
import numpy
import openvino
from openvino import opset15
wrong = False
for first, middle, last, value in [("int32", "int16", "int32", 70000), ("int32", "int16", "bool", 65536)]:
    array = numpy.array([value], first)
    types = [openvino.Type(numpy.dtype(name)).get_type_name() for name in (middle, last)]
    x = opset15.parameter([-1], openvino.Type(array.dtype))
    model = openvino.Model([opset15.convert(opset15.convert(x, types[0]), types[1])], [x], "m")
    got = openvino.Core().compile_model(model, "CPU", {"EXECUTION_MODE_HINT": "ACCURACY"})([array])[0][0]
    due = array.astype(middle).astype(last)[0]
    print(f"{value}: {first} to {middle} to {last}: got {got}, expected {due}")
    wrong |= bool(got != due)
sys.exit(wrong)
