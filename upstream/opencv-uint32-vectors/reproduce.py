# Casts of uint32 differ between tensors of 3 and of 64 elements: ONNX Cast, by the loops of the module core.
import sys
import cv2
import numpy
from onnx import TensorProto as T, helper as h
wrong = False
for number, to, due in ((16777217, "DOUBLE", 16777217), (2**32 - 129, "FLOAT", 2**32 - 256), (2**31, "INT8", 127), (2**31, "INT16", 32767)):
    x, y = h.make_tensor_value_info("x", T.UINT32, ["n"]), h.make_tensor_value_info("y", getattr(T, to), ["n"])
    graph = h.make_graph([h.make_node("Cast", ["x"], ["y"], to=getattr(T, to))], "g", [x], [y])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 21)], ir_version=10)
    net = cv2.dnn.readNetFromONNX(numpy.frombuffer(model.SerializeToString(), numpy.uint8))
    got = [net.setInput(numpy.full(n, number, numpy.uint32), "x") or int(net.forward("y")[0]) for n in (3, 64)]
    print(f"{number} to {to}: got {got[0]} of 3 and {got[1]} of 64 elements, expected {due}")
    wrong |= got != [due, due]
sys.exit(wrong)
