"""TensorFlow (CPU, eager) as a castproof testee: tf.cast, also complex, and tf.bitcast."""

import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee  # noqa: E402

STREAM = castproof_testee.claim_stdio()

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import numpy  # noqa: E402
import tensorflow as tf  # noqa: E402
from castproof_testee import Request, Unsupported, first_line  # noqa: E402

# tf.cast knows no operator versions: it is asked for the newest one only.
NEWEST_OPSET = 28

# The dtypes that tf.cast takes, among those of the protocol.
CASTS = {
    "bool": tf.bool,
    "int8": tf.int8,
    "uint8": tf.uint8,
    "int16": tf.int16,
    "uint16": tf.uint16,
    "int32": tf.int32,
    "uint32": tf.uint32,
    "int64": tf.int64,
    "uint64": tf.uint64,
    "float16": tf.float16,
    "bfloat16": tf.bfloat16,
    "float32": tf.float32,
    "float64": tf.float64,
    "complex64": tf.complex64,
    "complex128": tf.complex128,
}
BITCASTS = CASTS | {
    "qint8": tf.qint8,
    "quint8": tf.quint8,
    "qint16": tf.qint16,
    "quint16": tf.quint16,
    "qint32": tf.qint32,
}


def cast(request: Request, payload: bytes) -> bytes:
    """One cast by ONNX rules, which tf.cast shares where they are defined."""
    if request.op != "cast" or request.opset != NEWEST_OPSET:
        raise Unsupported("tf.cast is asked as Cast-28 only")
    if request.saturate is not None or request.round_mode is not None:
        raise Unsupported("tf.cast has no attributes")
    source, target = known(CASTS, request.source), known(CASTS, request.target)
    return to_bytes(tf.cast(to_tensor(source, request.shape, payload), target))


def ask(question: dict, payload: bytes) -> tuple[dict, bytes]:
    """Bitcasts of TensorFlow and complex casts of tf-cast."""
    if question["op"] == "bitcast" and question["system"] == "tensorflow":
        source, target = known(BITCASTS, question["from"]), known(BITCASTS, question["to"])
        tensor = to_tensor(source, question["shape"], payload)
        try:
            output = tf.bitcast(tensor, target)
        except (tf.errors.InvalidArgumentError, ValueError, TypeError) as error:
            raise Unsupported(first_line(error)) from error
        return {"shape": [int(size) for size in output.shape]}, to_bytes(output)
    if question["op"] == "complexcast" and question["profile"] == "tf-cast":
        source, target = known(CASTS, question["from"]), known(CASTS, question["to"])
        return {}, to_bytes(tf.cast(to_tensor(source, [1], payload), target))
    raise Unsupported("TensorFlow has no such operation")


def known(dtypes: dict, name: str) -> tf.DType:
    """The dtype of a name; raises Unsupported if TensorFlow does not have it there."""
    if name not in dtypes:
        raise Unsupported(f"TensorFlow does not take {name} here")
    return dtypes[name]


def to_tensor(dtype: tf.DType, shape, payload: bytes) -> tf.Tensor:
    """The payload as a tensor, byte for byte."""
    # Quantized dtypes have no numpy array of their own: they come as integers of their size.
    if dtype.is_quantized:
        integers = {1: tf.uint8, 2: tf.uint16, 4: tf.uint32}[dtype.size]
        return tf.bitcast(to_tensor(integers, shape, payload), dtype)
    return tf.constant(numpy.frombuffer(payload, dtype.as_numpy_dtype).reshape(shape), dtype)


def to_bytes(tensor: tf.Tensor) -> bytes:
    """A tensor's elements, little-endian."""
    if tensor.dtype.is_quantized:
        integers = {1: tf.uint8, 2: tf.uint16, 4: tf.uint32}[tensor.dtype.size]
        tensor = tf.bitcast(tensor, integers)
    return tensor.numpy().tobytes()


if __name__ == "__main__":
    castproof_testee.serve(STREAM, "tensorflow", tf.__version__, cast, ask=ask)
