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
from cast_model import ModelKey, build_model, model_key, onnx_type  # noqa: E402
from castproof_testee import Request, Unsupported, first_line  # noqa: E402
from onnx import TensorProto, checker, helper, numpy_helper, shape_inference  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402

# numpy's words for a pair of dtypes between which no cast is registered.
NO_SUCH_CAST = "Cannot cast array data from"
MODELS_KEPT = 256


def cast(request: Request, payload: bytes) -> bytes:
    """Runs one cast; elements are unpacked and packed by the onnx package itself."""
    evaluator = load(model_key(request))
    packed = TensorProto(data_type=onnx_type(request.source), dims=request.shape, raw_data=payload)
    feeds = {"x": numpy_helper.to_array(packed)}
    target = helper.tensor_dtype_to_np_dtype(onnx_type(request.target))
    if request.op == "castlike":
        feeds["like"] = numpy.empty(0, target)
    try:
        output = numpy.asarray(evaluator.run(None, feeds)[0])
    except (NotImplementedError, TypeError) as error:
        root = error.__cause__ or error  # the evaluator wraps a TypeError in another one
        if lacks_cast(root):
            raise Unsupported(first_line(root)) from error
        raise root
    if output.dtype != target or output.shape != request.shape:
        raise RuntimeError(f"the output is {output.dtype} of shape {list(output.shape)}")
    return numpy_helper.from_array(output).raw_data


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
    castproof_testee.serve(STREAM, "onnx-reference", onnx.__version__, cast)
