# ONNX Cast to uint32 and to uint64 are dropped.
import sys
import cv2
import numpy
from onnx import TensorProto as T, helper as h
cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
x, y = (h.make_tensor_value_info(name, T.FLOAT, ["n"]) for name in "xy")
got = []
for to in (T.UINT32, T.UINT64):
    nodes = [h.make_node("Cast", ["x"], ["m"], to=to), h.make_node("Cast", ["m"], ["y"], to=T.FLOAT)]
    model = h.make_model(h.make_graph(nodes, "g", [x], [y]), opset_imports=[h.make_opsetid("", 21)], ir_version=10)
    net = cv2.dnn.readNetFromONNX(numpy.frombuffer(model.SerializeToString(), numpy.uint8))
    net.setInput(numpy.array([1.5, 2.75], numpy.float32), "x")
    got.append(net.forward("y").tolist())
sys.exit(print(f"1.5 and 2.75 to uint32 to float32: got {got[0]}, expected [1.0, 2.0]; by uint64: got {got[1]}") or got != [[1, 2]] * 2)
