"""Builds ONNX models of casts. The model of a request has exactly the opset of the request."""

import functools
from typing import NamedTuple

from castproof_testee import ELEMENT_BITS, STRING, Attributes, Request, Unsupported
from onnx import ModelProto, NodeProto, TensorProto, helper

# First opset in which `to` is a number. In older opsets it is the name of the type (T-04).
FIRST_OPSET_WITH_NUMERIC_TO = 6
# The opset of BitCast.
BITCAST_OPSET = 26
# The dtypes of BitCast that are not numeric.
COMPLEX = ("complex64", "complex128")
# Enough for every pair of dtypes in one operator set. A chain is asked once, so it is not kept.
MODELS_KEPT = 1024


class ModelKey(NamedTuple):
    """The parts of a request that decide its model, except the elements of a constant input."""

    op: str
    dtypes: tuple[str, ...]
    attributes: tuple[Attributes, ...]
    opset: int
    rank: int
    operators: tuple[str, ...] = ()


def model_key(request: Request) -> ModelKey:
    """Returns the key under which the model of a request can be kept."""
    return ModelKey(
        request.op,
        request.dtypes,
        request.attributes,
        request.opset,
        len(request.shape),
        request.operators,
    )


def onnx_type(dtype: str) -> int:
    """Returns the TensorProto.DataType number of a dtype."""
    name = {"float32": "FLOAT", "float64": "DOUBLE"}.get(dtype, dtype.upper())
    if name not in TensorProto.DataType.keys():
        raise Unsupported(f"this onnx has no {dtype}")
    return TensorProto.DataType.Value(name)


def bitcast_request(question: dict) -> Request:
    """Returns the question of a BitCast as a request, which runs as a cast does."""
    if question["op"] != "bitcast" or question["system"] != "onnx":
        raise Unsupported("ONNX has no such operator")
    dtypes = question["from"], question["to"]
    for dtype in dtypes:
        if dtype not in ELEMENT_BITS and dtype not in COMPLEX:
            raise Unsupported(f"ONNX has no {dtype}")
    return Request("bitcast", dtypes, (Attributes(),), BITCAST_OPSET, tuple(question["shape"]))


def loader(load):
    """Turns `load`, a function of a model, into a function of a request and its elements.

    Loaded models are kept for later requests, except chains and models with a constant input, which
    are asked once. Refusals are kept too, because some runtimes take long to refuse.
    """

    @functools.lru_cache(maxsize=MODELS_KEPT)
    def kept(key: ModelKey):
        try:
            return load(build_model(key)), None
        except Unsupported as refusal:
            return None, refusal

    def for_request(request: Request, elements: bytes | list[str]):
        if request.op == "chain" and not request.constant:
            return load(build_model(model_key(request)))
        if not request.constant:
            loaded, refusal = kept(model_key(request))
            if refusal is not None:
                raise refusal.with_traceback(None)
            return loaded
        constant = tensor_proto("x", request.source, request.shape, elements)
        return load(build_model(model_key(request), constant))

    return for_request


def together(requests: list[tuple[Request, bytes]]) -> ModelProto:
    """Builds one model of requests in one operator set, each a part of its own."""
    parts = []
    for number, (request, elements) in enumerate(requests):
        constant = None
        if request.constant:
            name = f"x{part_end(number)}"
            constant = tensor_proto(name, request.source, request.shape, elements)
        parts.append((model_key(request), constant))
    return build_models(parts)


def build_model(key: ModelKey, constant: TensorProto | None = None) -> ModelProto:
    """Builds `y = Cast(x)`, `y = CastLike(x, like)`, `y = BitCast(x)` or a chain of casts.

    The sizes of the input are open, unless the input is the constant. The nodes have only the
    attributes that the request sets. The model may break the rules of its opset; to refuse it is
    the task of the implementation under test.
    """
    return build_models([(key, constant)])


def build_models(parts: list[tuple[ModelKey, TensorProto | None]]) -> ModelProto:
    """Builds one model of independent parts, each as `build_model` does.

    The names of the first part are plain; those of the others have its number at the end. The second
    input of each CastLike in a chain is a constant without elements.
    """
    inputs, outputs, constants, made = [], [], [], []
    for number, (key, constant) in enumerate(parts):
        end = part_end(number)
        sizes = [f"size{axis}{end}" for axis in range(key.rank)]
        types = [onnx_type(dtype) for dtype in key.dtypes]
        if constant is not None:
            sizes = list(constant.dims)
            constants.append(constant)
        else:
            inputs.append(helper.make_tensor_value_info(f"x{end}", types[0], sizes))
        if key.op == "castlike":
            inputs.append(helper.make_tensor_value_info(f"like{end}", types[-1], ["any"]))
        outputs.append(helper.make_tensor_value_info(f"y{end}", types[-1], sizes))
        for step, operator in enumerate(key.operators):
            if operator == "castlike":
                name = f"like{step}{end}"
                constants.append(TensorProto(name=name, data_type=types[step + 1], dims=(0,)))
        made += nodes(key, types, end)
    key, _ = parts[0]
    opsets = [helper.make_opsetid("", key.opset)]
    # The oldest IR version that allows the opset, so that no runtime refuses it needlessly.
    ir_version = helper.find_min_ir_version_for(opsets, ignore_unknown=True)
    graph = helper.make_graph(made, key.op, inputs, outputs, constants)
    return helper.make_model(graph, opset_imports=opsets, ir_version=ir_version)


def part_end(number: int) -> str:
    """Returns the end of the names of a part of a model."""
    return "" if number == 0 else f"_{number}"


def nodes(key: ModelKey, types: list[int], end: str) -> list[NodeProto]:
    """Returns the nodes of a part, from `x` to `y`."""
    x, y = f"x{end}", f"y{end}"
    if key.op == "bitcast":
        return [helper.make_node("BitCast", [x], [y], to=types[-1])]
    steps = [given(attributes) for attributes in key.attributes]
    if key.op == "castlike":
        return [helper.make_node("CastLike", [x, f"like{end}"], [y], **steps[0])]
    names = [x, *(f"step{step}{end}" for step in range(1, len(steps))), y]
    numeric_to = key.opset >= FIRST_OPSET_WITH_NUMERIC_TO
    made = []
    operators = key.operators or ("cast",) * len(steps)
    for step, (operator, attributes) in enumerate(zip(operators, steps, strict=True)):
        target = types[step + 1]
        to = target if numeric_to else TensorProto.DataType.Name(target)
        given_to, made_to = [names[step]], [names[step + 1]]
        if operator == "castlike":
            given_to.append(f"like{step}{end}")
            made.append(helper.make_node("CastLike", given_to, made_to, **attributes))
        elif operator == "bitcast":
            made.append(helper.make_node("BitCast", given_to, made_to, to=target))
        else:
            made.append(helper.make_node("Cast", given_to, made_to, to=to, **attributes))
    return made


def given(attributes: Attributes) -> dict[str, int | str]:
    """Returns the attributes that are given, as those of a node."""
    members = {"saturate": attributes.saturate, "round_mode": attributes.round_mode}
    return {name: value for name, value in members.items() if value is not None}


def tensor_proto(
    name: str, dtype: str, shape: tuple[int, ...], elements: bytes | list[str]
) -> TensorProto:
    """Returns elements as a tensor of ONNX, which packs them as the protocol does."""
    # `helper` passes texts through numpy, where they end before a NUL, so it is not used.
    tensor = TensorProto(name=name, data_type=onnx_type(dtype), dims=shape)
    if dtype == STRING:
        tensor.string_data.extend(text.encode() for text in elements)
    else:
        tensor.raw_data = elements
    return tensor
