"""The reference evaluator of the onnx package as a castproof testee."""

import functools
import sys
import warnings
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee  # noqa: E402

STREAM = castproof_testee.claim_stdio()

import numpy  # noqa: E402
import onnx  # noqa: E402
from cast_model import (  # noqa: E402
    ModelKey,
    bitcast_request,
    build_model,
    model_key,
    onnx_type,
)
from castproof_testee import STRING, Request, Unsupported, first_line  # noqa: E402
from onnx import TensorProto, checker, helper, numpy_helper, shape_inference  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402

# The words of numpy for a pair of dtypes between which no cast is registered, and of ml_dtypes for
# what none of its dtypes is made from.
NO_SUCH_CAST = ("Cannot cast array data from", "cannot cast dtype", "expected number, got str")
MODELS_KEPT = 256


def cast(request: Request, elements: bytes | list[str]) -> bytes | list[str]:
    """Runs one cast; elements are unpacked and packed by the onnx package itself."""
    evaluator = load(model_key(request))
    feeds = {"x": to_array(request, elements)}
    if request.op == "castlike":
        feeds["like"] = numpy.empty(0, numpy_dtype(request.target))
    try:
        output = numpy.asarray(evaluator.run(None, feeds)[0])
    except (NotImplementedError, TypeError) as error:
        root = error.__cause__ or error  # the evaluator wraps a TypeError in another one
        if lacks_cast(root):
            raise Unsupported(first_line(root)) from error
        raise root
    return to_elements(request, output)


def ask(question: dict, payload: bytes) -> tuple[dict, bytes]:
    """One BitCast."""
    request = bitcast_request(question)
    return {"shape": list(request.shape)}, cast(request, payload)


def to_array(request: Request, elements: bytes | list[str]) -> numpy.ndarray:
    """The input. Strings are an array of objects: numpy's own strings end before a NUL."""
    if request.source == STRING:
        return numpy.array(elements, object).reshape(request.shape)
    source = onnx_type(request.source)
    packed = TensorProto(data_type=source, dims=request.shape, raw_data=elements)
    return numpy_helper.to_array(packed)


def to_elements(request: Request, output: numpy.ndarray) -> bytes | list[str]:
    """What the evaluator returned, which for strings may be numpy's own or objects."""
    is_text = request.target == STRING and output.dtype.kind in "OU"
    if output.shape != request.shape or not (is_text or output.dtype == numpy_dtype(request.target)):
        raise RuntimeError(f"the output is {output.dtype} of shape {list(output.shape)}")
    return output.ravel().tolist() if is_text else numpy_helper.from_array(output).raw_data


def numpy_dtype(dtype: str) -> numpy.dtype:
    """The package's own numpy dtype of a dtype."""
    return helper.tensor_dtype_to_np_dtype(onnx_type(dtype))


@functools.lru_cache(maxsize=MODELS_KEPT)
def load(key: ModelKey) -> ReferenceEvaluator:
    """The evaluator of a one-node model; raises Unsupported if the checker refuses the model.

    The evaluator trusts its model; to refuse one is the task of the same package's checker.
    """
    model = build_model(key)
    try:
        checker.check_model(model, full_check=True)
        return ReferenceEvaluator(model)
    except (
        checker.ValidationError,
        shape_inference.InferenceError,
        NotImplementedError,
    ) as refusal:
        raise Unsupported(first_line(refusal)) from refusal


def lacks_cast(error: BaseException) -> bool:
    """Does the evaluator lack the cast, as opposed to fail in it? It notices only at run time."""
    return isinstance(error, NotImplementedError) or str(error).startswith(NO_SUCH_CAST)


if __name__ == "__main__":
    # numpy warns of every NaN and overflow on its way to an integer; here they are the subject.
    warnings.simplefilter("ignore", RuntimeWarning)
    castproof_testee.serve(STREAM, "onnx-reference", onnx.__version__, cast, ask=ask, strings=True)
