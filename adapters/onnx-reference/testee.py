"""The reference evaluator of the onnx package as a castproof testee."""

import sys
import warnings
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

import linear_model  # noqa: E402
import numpy  # noqa: E402
import onnx  # noqa: E402
from cast_model import bitcast_request, loader, onnx_type, tensor_proto  # noqa: E402
from castproof_testee import LINEAR, STRING, Request, Unsupported, message_of  # noqa: E402
from onnx import ModelProto, helper, numpy_helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402


def cast(request: Request, elements: bytes | list[str]) -> bytes | list[str]:
    """Runs one model. The onnx package itself unpacks and packs the elements."""
    evaluator = evaluator_of(request, elements)
    feeds = {} if request.constant else {"x": to_array(request, elements)}
    if request.op == "castlike":
        feeds["like"] = numpy.empty(0, numpy_dtype(request.target))
    try:
        output = numpy.asarray(evaluator.run(None, feeds)[0])
    except NotImplementedError as refusal:
        raise Unsupported(message_of(refusal)) from refusal
    except TypeError as error:
        raise (error.__cause__ or error) from None  # the evaluator wraps a TypeError in another one
    return to_elements(request, output)


def ask(question: dict, payload: bytes) -> tuple[dict, bytes]:
    """Runs one node of linear quantisation, or one BitCast."""
    if question["op"] in LINEAR:
        return {}, linear(question, payload)
    request = bitcast_request(question)
    return {"shape": list(request.shape)}, cast(request, payload)


def linear(question: dict, payload: bytes) -> bytes:
    """Runs one node of linear quantisation."""
    inputs, outputs = linear_model.split(question, payload)
    proto = {part.name: tensor_proto(part.name, part.dtype, part.shape, part.elements) for part in inputs}
    feeds = {name: numpy_helper.to_array(tensor) for name, tensor in proto.items()}
    elements = []
    for part, output in zip(outputs, linear_evaluator_of(question).run(None, feeds), strict=True):
        array = numpy.asarray(output)
        if array.dtype != numpy_dtype(part.dtype) or array.shape != part.shape:
            raise RuntimeError(f"{part.name} is {array.dtype} of shape {list(array.shape)}")
        elements.append(numpy_helper.from_array(array).raw_data)
    return linear_model.answer(elements)


def to_array(request: Request, elements: bytes | list[str]) -> numpy.ndarray:
    """Returns the input. Strings are objects, because numpy's own strings end before a NUL."""
    if request.source == STRING:
        return numpy.array(elements, object).reshape(request.shape)
    return numpy_helper.to_array(tensor_proto("x", request.source, request.shape, elements))


def to_elements(request: Request, output: numpy.ndarray) -> bytes | list[str]:
    """Returns the elements of an output. Its strings may be numpy's own or objects."""
    is_text = request.target == STRING and output.dtype.kind in "OU"
    if output.shape != request.shape or not (is_text or output.dtype == numpy_dtype(request.target)):
        raise RuntimeError(f"the output is {output.dtype} of shape {list(output.shape)}")
    return output.ravel().tolist() if is_text else numpy_helper.from_array(output).raw_data


def numpy_dtype(dtype: str) -> numpy.dtype:
    """Returns the onnx package's numpy dtype of a dtype."""
    return helper.tensor_dtype_to_np_dtype(onnx_type(dtype))


def load(model: ModelProto) -> ReferenceEvaluator:
    """Returns the evaluator of a model; raises Unsupported if it says that it has no such node."""
    try:
        return ReferenceEvaluator(model)
    except NotImplementedError as refusal:
        raise Unsupported(message_of(refusal)) from refusal


evaluator_of = loader(load)
linear_evaluator_of = linear_model.loader(load)


if __name__ == "__main__":
    # numpy warns of NaN and overflow in casts to integers; here they are the subject.
    warnings.simplefilter("ignore", RuntimeWarning)
    castproof_testee.serve(
        STREAM,
        "onnx-reference",
        onnx.__version__,
        cast,
        ask=ask,
        strings=True,
        features=("shapes", "constant", "chain-castlike", "chain-bitcast"),
        chain=cast,
    )
