import io
import sys
import numpy
import onnx.parser
import openvino
CORE, wrong = openvino.Core(), False
for name, number, expected in [("float8e4m3fn", 17, 0x7E), ("float8e5m2", 19, 0x7B)]:
    text = f'<ir_version: 9, opset_import: ["": 19]> g (float[n] x) => ({name}[n] y) {{ y = Cast<to = {number}>(x) }}'
    model = CORE.read_model(io.BytesIO(onnx.parser.parse_model(text).SerializeToString()))
    request = CORE.compile_model(model, "CPU", {"EXECUTION_MODE_HINT": "ACCURACY"}).create_infer_request()
    request.infer([numpy.array([1e6], "float32")])
    (got,) = request.get_output_tensor().data.view("uint8")
    print(f"1000000 to {name}: got {got:#04x}, expected {expected:#04x} (the largest number)")
    wrong |= bool(got != expected)
sys.exit(wrong)
