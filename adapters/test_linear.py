"""Linear quantisation: the models that adapters run, and faults of runtimes, each shown alone."""

import struct
import sys
import unittest
from pathlib import Path

ADAPTERS = Path(__file__).resolve().parent
sys.path.append(str(ADAPTERS))

import linear_model  # noqa: E402
import numpy  # noqa: E402
import onnx  # noqa: E402
import onnx.checker  # noqa: E402
import onnxruntime  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402
from test_arrangements import Asking  # noqa: E402

BLOCKED = {
    "op": "quantize-linear",
    "opset": 21,
    "from": "float32",
    "to": "int8",
    "scale": "float32",
    "zeroPoint": "int8",
    "shape": [2, 3],
    "scaleShape": [2, 2],
    "axis": 1,
    "blockSize": 2,
}
# Numbers, scales and zero points. 2.5 and 1.5 are ties, 3e9 is beyond int8, the last block of a row is short.
PAYLOAD = struct.pack("<6f4f4b", 2.5, -1.5, 3, 1.5, 300, 9, 1, 2, 1, 0.5, 1, 0, -1, 2)
DUE = struct.pack("<6b", 3, -1, 2, 1, 127, 20)


class Linear(Asking):
    def test_blocks_along_an_axis(self):
        onnx.checker.check_model(linear_model.build(BLOCKED), full_check=True)
        for adapter in ("onnxruntime", "onnx-reference"):
            self.begin_adapter(adapter)
            self.assertEqual(self.ask(PAYLOAD, **BLOCKED), ("ok", DUE.hex()), adapter)

    def test_a_dynamic_scale(self):
        payload = struct.pack("<3f", 0, 1, 2)
        for adapter in ("onnxruntime", "onnx-reference"):
            self.begin_adapter(adapter)
            status, answer = self.ask(payload, op="dynamic-quantize-linear", shape=[3])
            self.assertEqual((status, answer[8:]), ("ok", "00007fff"), adapter)

    def test_a_node_that_a_runtime_lacks_is_unsupported(self):
        self.begin_adapter("onnxruntime")
        lacking = {"from": "float32", "to": "float6e2m3", "scale": "float32", "opset": 28, "shape": [1]}
        payload = struct.pack("<2f", 1, 1)
        status, _ = self.ask(payload, op="quantize-linear", scaleShape=[], outputDtype="float6e2m3", **lacking)
        self.assertEqual(status, "unsupported")

    def test_openvino_takes_blocks_of_one_size(self):
        self.begin_adapter("openvino")
        status, message = self.ask(PAYLOAD, **BLOCKED)
        self.assertEqual(status, "unsupported")
        self.assertIn("must be divisible by the block size", message)
        payload = struct.pack("<8f4f4b", 2, -1, 3, 1, 300, 9, 8, 4, 1, 2, 1, 0.5, 1, 0, -1, 2)
        answer = struct.pack("<8b", 3, 0, 2, 0, 127, 8, 18, 10)
        self.assertEqual(self.ask(payload, **BLOCKED | {"shape": [2, 4]}), ("ok", answer.hex()))

    def test_openvino_drops_the_zero_point_of_float8(self):
        self.begin_adapter("openvino")
        question = {"op": "quantize-linear", "opset": 19, "from": "float32", "to": "float8e4m3fn", "scale": "float32"}
        question |= {"zeroPoint": "float8e4m3fn", "shape": [2], "scaleShape": []}
        # The numbers 2 and NaN, the scale 2, the zero point 1. Here NaN becomes the lowest number.
        payload = struct.pack("<fIfB", 2, 0x7FC00000, 2, 0x38)
        self.assertEqual(self.ask(payload, **question), ("ok", "38fe"))

    def test_openvino_rounds_the_sum_with_the_zero_point(self):
        self.begin_adapter("openvino")
        question = {"op": "quantize-linear", "opset": 13, "from": "float32", "to": "uint8", "scale": "float32"}
        question |= {"zeroPoint": "uint8", "shape": [1], "scaleShape": []}
        self.assertEqual(self.ask(struct.pack("<ffB", -1.5, 3, 1), **question), ("ok", "00"))
        # 1 by 0.0078431377 is 127.49999, which becomes 128.
        status, answer = self.ask(struct.pack("<3f", 0, 1, 2), op="dynamic-quantize-linear", shape=[3])
        self.assertEqual((status, answer[8:]), ("ok", "000080ff"))

    def test_what_openvino_lacks_is_unsupported(self):
        self.begin_adapter("openvino")
        lacking = {"from": "float32", "to": "int2", "scale": "float32", "opset": 25, "outputDtype": "int2"}
        status, message = self.ask(struct.pack("<2f", 1, 1), op="quantize-linear", shape=[1], scaleShape=[], **lacking)
        self.assertEqual(status, "unsupported")
        self.assertIn("Unsupported data type INT2", message)
        status, _ = self.ask(b"", op="bitcast", system="onnx", **{"from": "int8", "to": "uint8"}, shape=[0])
        self.assertEqual(status, "unsupported")

    def test_infinity_becomes_the_lowest_integer(self):
        """The evaluator of onnx and ONNX Runtime's float16 convert infinity to int32 before they clamp."""
        model = linear_model.build(
            {"op": "quantize-linear", "opset": 19, "from": "float16", "to": "int8", "scale": "float16", "zeroPoint": "int8"}
            | {"shape": [1], "scaleShape": []}
        )
        feeds = {"x": numpy.array([numpy.inf], numpy.float16), "scale": numpy.float16(1), "zero": numpy.int8(0)}
        with numpy.errstate(all="ignore"):
            self.assertEqual(ReferenceEvaluator(model).run(None, feeds)[0].tolist(), [-128])
        session = onnxruntime.InferenceSession(model.SerializeToString())
        feeds = {name: numpy.asarray(value) for name, value in feeds.items()}
        self.assertEqual(session.run(None, feeds)[0].tolist(), [-128])


if __name__ == "__main__":
    unittest.main()
