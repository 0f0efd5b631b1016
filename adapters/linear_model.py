"""Builds ONNX models of one node of linear quantisation."""

import functools
import json
import math
from collections.abc import Callable
from typing import NamedTuple, TypeVar

from cast_model import MODELS_KEPT, onnx_type
from castproof_testee import ELEMENT_BITS
from onnx import ModelProto, helper

OPERATORS = {
    "quantize-linear": "QuantizeLinear",
    "dequantize-linear": "DequantizeLinear",
    "dynamic-quantize-linear": "DynamicQuantizeLinear",
}
# What an adapter makes of a model.
T = TypeVar("T")
# The only version of DynamicQuantizeLinear.
DYNAMIC_OPSET = 11


class Part(NamedTuple):
    """An input or an output of a node: its name, dtype and shape, and the elements of an input."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    elements: bytes = b""


def split(question: dict, payload: bytes) -> tuple[list[Part], list[Part]]:
    """Returns the inputs of a question with their elements, and its outputs."""
    shape = tuple(question["shape"])
    if question["op"] == "dynamic-quantize-linear":
        outputs = [Part("y", "uint8", shape), Part("scale", "float32", ()), Part("zero", "uint8", ())]
        return [Part("x", "float32", shape, payload)], outputs
    of_scales = tuple(question["scaleShape"])
    parts = [("x", question["from"], shape), ("scale", question["scale"], of_scales)]
    if "zeroPoint" in question:
        parts.append(("zero", question["zeroPoint"], of_scales))
    inputs = []
    for name, dtype, sizes in parts:
        length = -(-math.prod(sizes) * ELEMENT_BITS[dtype] // 8)
        inputs.append(Part(name, dtype, sizes, payload[:length]))
        payload = payload[length:]
    return inputs, [Part("y", question["to"], shape)]


def build(question: dict, sizes: str = "open") -> ModelProto:
    """Builds the model of a question, with open sizes or fixed ones."""
    inputs, outputs = split(question, b"")
    members = {"axis": "axis", "blockSize": "block_size", "saturate": "saturate"}
    attributes = {members[name]: question[name] for name in members if name in question}
    for name, attribute in (("precision", "precision"), ("outputDtype", "output_dtype")):
        if name in question:
            attributes[attribute] = onnx_type(question[name])
    operator = OPERATORS[question["op"]]
    names = [[part.name for part in parts] for parts in (inputs, outputs)]
    node = helper.make_node(operator, *names, **attributes)

    def info(part: Part):
        is_fixed = sizes == "fixed"
        sides = part.shape if is_fixed else [f"{part.name}{axis}" for axis in range(len(part.shape))]
        return helper.make_tensor_value_info(part.name, onnx_type(part.dtype), sides)

    graph = helper.make_graph([node], operator, [*map(info, inputs)], [*map(info, outputs)])
    opsets = [helper.make_opsetid("", question.get("opset", DYNAMIC_OPSET))]
    ir_version = helper.find_min_ir_version_for(opsets, ignore_unknown=True)
    return helper.make_model(graph, opset_imports=opsets, ir_version=ir_version)


def loader(load: Callable[[ModelProto], T], sizes: str = "open") -> Callable[[dict], T]:
    """Returns a function that loads the model of a question once."""

    @functools.lru_cache(MODELS_KEPT)
    def of_members(members: str) -> T:
        return load(build(json.loads(members), sizes))

    def of_question(question: dict) -> T:
        members = {name: question[name] for name in question if name not in ("seq", "bytes")}
        return of_members(json.dumps(members))

    return of_question


def answer(outputs: list[bytes]) -> bytes:
    """Returns the payload of an answer: the elements, or scale, zero point and elements."""
    return b"".join(outputs[1:] + outputs[:1])
