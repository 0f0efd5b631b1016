# ONNX Cast of float32 to bfloat16 drops the low bits.
import sys
import cv2
import numpy
from onnx import TensorProto as T, helper as h
x, y = h.make_tensor_value_info("x", T.FLOAT, ["n"]), h.make_tensor_value_info("y", T.BFLOAT16, ["n"])
graph = h.make_graph([h.make_node("Cast", ["x"], ["y"], to=T.BFLOAT16)], "g", [x], [y])
model = h.make_model(graph, opset_imports=[h.make_opsetid("", 21)], ir_version=10)
net = cv2.dnn.readNetFromONNX(numpy.frombuffer(model.SerializeToString(), numpy.uint8))
codes = {0x3F80FFFF: 0x3F81, 0x457F8000: 0x4580, 0x7F7FFFFF: 0x7F80, 0x7F800001: 0x7FC0}
net.setInput(numpy.array(list(codes), numpy.uint32).view(numpy.float32), "x")
got = [int(code) for code in net.forward("y")]
print("\n".join(f"{code:#010x}: got {it:#06x}, expected {due:#06x}" for (code, due), it in zip(codes.items(), got)))
sys.exit(got != list(codes.values()))
