"""One-node ONNX models: what a request asks for, as a model of exactly its opset."""

from typing import NamedTuple

from castproof_testee import ELEMENT_BITS, Request, Unsupported
from onnx import ModelProto, TensorProto, helper

# First opset in which `to` is a number; before, it is the name of the type (T-04).
FIRST_OPSET_WITH_NUMERIC_TO = 6
# The opset of BitCast.
BITCAST_OPSET = 26


class ModelKey(NamedTuple):
    """All of a request that its model depends on."""

    op: str
    source: str
    target: str
    opset: int
    saturate: int | None
    round_mode: str | None
    rank: int


def model_key(request: Request) -> ModelKey:
    """The key under which the model of a request can be kept."""
    return ModelKey(
        request.op,
        request.source,
        request.target,
        request.opset,
        request.saturate,
        request.round_mode,
        len(request.shape),
    )


def onnx_type(dtype: str) -> int:
    """The TensorProto.DataType number of a dtype."""
    name = {"float32": "FLOAT", "float64": "DOUBLE"}.get(dtype, dtype.upper())
    return TensorProto.DataType.Value(name)


def bitcast_request(question: dict) -> Request:
    """The question of a BitCast as a request, to be run as a cast is."""
    if question["op"] != "bitcast" or question["system"] != "onnx":
        raise Unsupported("ONNX has no such operator")
    for dtype in (question["from"], question["to"]):
        if dtype not in ELEMENT_BITS and not dtype.startswith("complex"):
            raise Unsupported(f"ONNX has no {dtype}")
    shape = tuple(question["shape"])
    return Request("bitcast", question["from"], question["to"], BITCAST_OPSET, None, None, shape)


def build_model(key: ModelKey) -> ModelProto:
    """The model `y = Cast(x)`, `y = CastLike(x, like)` or `y = BitCast(x)`, sizes left open.

    Attributes that the request does not set are not in the node. The model may break the rules
    of its opset: to refuse it is the task of the implementation under test.
    """
    source, target = onnx_type(key.source), onnx_type(key.target)
    attributes = {"saturate": key.saturate, "round_mode": key.round_mode}
    attributes = {name: value for name, value in attributes.items() if value is not None}
    sizes = [f"size{axis}" for axis in range(key.rank)]
    inputs = [helper.make_tensor_value_info("x", source, sizes)]
    if key.op == "castlike":
        inputs.append(helper.make_tensor_value_info("like", target, ["any"]))
        node = helper.make_node("CastLike", ["x", "like"], ["y"], **attributes)
    elif key.op == "bitcast":
        node = helper.make_node("BitCast", ["x"], ["y"], to=target)
    else:
        numeric_to = key.opset >= FIRST_OPSET_WITH_NUMERIC_TO
        attributes["to"] = target if numeric_to else TensorProto.DataType.Name(target)
        node = helper.make_node("Cast", ["x"], ["y"], **attributes)
    outputs = [helper.make_tensor_value_info("y", target, sizes)]
    opsets = [helper.make_opsetid("", key.opset)]
    # The oldest IR version that allows the opset, so that no runtime refuses it needlessly.
    ir_version = helper.find_min_ir_version_for(opsets, ignore_unknown=True)
    graph = helper.make_graph([node], "one_cast", inputs, outputs)
    return helper.make_model(graph, opset_imports=opsets, ir_version=ir_version)
