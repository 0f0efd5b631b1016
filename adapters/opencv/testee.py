"""OpenCV's module dnn on the CPU as a castproof testee, through its reader of ONNX."""

import sys
from importlib.metadata import version
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

import array_cast  # noqa: E402
import cv2  # noqa: E402
import numpy  # noqa: E402
from cast_model import loader  # noqa: E402
from castproof_testee import ELEMENT_BITS, Request, Unsupported  # noqa: E402
from onnx import ModelProto  # noqa: E402


def cast(request: Request, payload: bytes) -> bytes:
    """Runs one model: a cast, a CastLike, or a chain of casts."""
    net = net_of(request, payload)
    if not request.constant:
        net.setInput(array_cast.to_array(request.source, payload, request.shape), "x")
    if request.op == "castlike":
        net.setInput(array_cast.to_array(request.target, bytes(ELEMENT_BITS[request.target] // 8), (1,)), "like")
    output = numpy.asarray(net.forward("y"))
    if output.shape != request.shape:
        raise RuntimeError(f"the output has shape {list(output.shape)}")
    return array_cast.to_bytes(request.target, as_element(request.target, output))


def as_element(name: str, output: numpy.ndarray) -> numpy.ndarray:
    """Returns an output in its dtype: OpenCV hands out float16 as the same numbers in float32, and bfloat16 as codes in uint16."""
    dtype = array_cast.dtype(name)
    if name == "bfloat16" and output.dtype == numpy.uint16:
        return output.view(dtype)
    if name == "float16" and output.dtype == numpy.float32:
        narrow = output.astype(dtype)
        if not numpy.array_equal(narrow, output, equal_nan=True):
            raise RuntimeError("the output has numbers that float16 lacks")
        return narrow
    return output


def load(model: ModelProto) -> cv2.dnn.Net:
    """Returns a model that runs; raises Unsupported if OpenCV refuses to load it."""
    try:
        return cv2.dnn.readNetFromONNX(numpy.frombuffer(model.SerializeToString(), numpy.uint8))
    except cv2.error as refusal:
        raise Unsupported(refusal.err) from refusal


net_of = loader(load)


def takes(name: str) -> bool:
    """Does OpenCV take arrays of a dtype?"""
    try:
        cv2.dnn.Net().setInput(numpy.zeros(1, array_cast.dtype(name)))
    except cv2.error as error:
        return "is not supported" not in str(error)
    return True


if __name__ == "__main__":
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
    cv2.setNumThreads(1)
    castproof_testee.serve(
        STREAM,
        "opencv",
        version("opencv-python-headless"),
        cast,
        [{"from": name, "to": list(ELEMENT_BITS)} for name in ELEMENT_BITS if takes(name)],
        features=("shapes", "constant"),
        limits={"empty": False},
        chain=cast,
    )
