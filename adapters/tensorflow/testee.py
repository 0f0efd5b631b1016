"""TensorFlow (CPU) as a castproof testee: tf.cast, also complex, and tf.bitcast. See --help."""

import argparse
import functools
import os
import sys
import types
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import array_cast  # noqa: E402
import tensorflow as tf  # noqa: E402
from castproof_testee import (  # noqa: E402
    CONTIGUOUS,
    ELEMENT_BITS,
    LAYOUTS,
    Request,
    Unsupported,
    message_of,
)

# Errors by which TensorFlow says that it has no kernel for a pair of dtypes.
NO_KERNEL = (tf.errors.UnimplementedError, tf.errors.NotFoundError)
NO_KERNEL_IN_GRAPH = "No OpKernel was registered"
# The words of its TypeError if a graph can hold no constant of a dtype.
NO_CONSTANT = "Element type not supported in TensorProto"

# Dtypes that no numpy array holds. Their elements are passed as integers of their size.
QUANTIZED = {
    "qint8": tf.qint8,
    "quint8": tf.quint8,
    "qint16": tf.qint16,
    "quint16": tf.quint16,
    "qint32": tf.qint32,
}
# The numeric dtypes of tf.bitcast (TF-B01).
BITCAST = (
    "bfloat16", "float16", "float32", "float64",
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
)
INTEGERS = {1: "uint8", 2: "uint16", 4: "uint32"}

# The functions by which `array_cast.view_of` makes views.
VIEWS = types.SimpleNamespace(
    swapaxes=lambda tensor, *_: tf.transpose(tensor),
    broadcast_to=tf.broadcast_to,
    reshape=tf.reshape,
)
GRAPHS_KEPT = 4096


def cast(request: Request, payload: bytes) -> bytes:
    """Runs one request by the rules of ONNX, which tf.cast shares where they define the result.

    Chains, views and constants are parts of a graph, which Grappler optimises. A single cast of any
    other tensor runs eagerly.
    """
    check(request)
    array = array_cast.to_array(request.source, payload, request.shape)
    memory = array_cast.memory_of(request.source, array, request.layout)
    steps = request.steps, request.layout, request.shape
    dtype = tensorflow_dtype(request.source)
    in_graph = with_xla or request.op == "chain" or request.layout != CONTIGUOUS
    try:
        if request.constant:
            constant = tf.function(
                lambda: convert_all(tf.constant(memory, dtype), *steps), jit_compile=with_xla
            )
            output = constant()
        else:
            tensor = tf.constant(memory, dtype)
            output = graph(request.source, *steps)(tensor) if in_graph else convert_all(tensor, *steps)
    except NO_KERNEL as refusal:
        raise Unsupported(message_of(refusal)) from refusal
    except tf.errors.InvalidArgumentError as error:
        if message_of(error).startswith(NO_KERNEL_IN_GRAPH):
            raise Unsupported(message_of(error)) from error
        raise
    except TypeError as error:
        if request.constant and NO_CONSTANT in str(error):
            # Without the TypeError as the cause: it would say that the adapter's call was wrong.
            raise Unsupported(f"{NO_CONSTANT}: {request.source}") from None
        raise
    return to_bytes(request.target, output)


@functools.lru_cache(maxsize=GRAPHS_KEPT)
def graph(source: str, steps: tuple[tuple[str, str], ...], layout: str, shape: tuple[int, ...]):
    """Returns the graph of a view of a memory and its casts. The sizes of the memory are open."""
    rank = 1 if layout == "offset" else len(shape)
    memory = tf.TensorSpec([None] * rank, tensorflow_dtype(source))
    return tf.function(
        lambda tensor: convert_all(tensor, steps, layout, shape),
        input_signature=[memory],
        jit_compile=with_xla,
    )


def chains(requests: list[tuple[Request, bytes]]) -> list[bytes]:
    """Runs chains as parts of one graph; each has an input of its own, or is of a constant."""
    arrays = []
    for request, payload in requests:
        check(request)
        arrays.append(array_cast.to_array(request.source, payload, request.shape))
    fed = [
        tf.constant(array, tensorflow_dtype(request.source))
        for (request, _), array in zip(requests, arrays, strict=True)
        if not request.constant
    ]

    def run_all(*tensors):
        left = iter(tensors)
        outputs = []
        for (request, _), array in zip(requests, arrays, strict=True):
            dtype = tensorflow_dtype(request.source)
            tensor = tf.constant(array, dtype) if request.constant else next(left)
            outputs.append(convert_all(tensor, request.steps, CONTIGUOUS, request.shape))
        return outputs

    outputs = tf.function(run_all, jit_compile=with_xla)(*fed)
    return [
        to_bytes(request.target, output)
        for (request, _), output in zip(requests, outputs, strict=True)
    ]


def convert_all(
    tensor, steps: tuple[tuple[str, str], ...], layout: str, shape: tuple[int, ...]
):
    """Makes a view and runs its steps."""
    tensor = array_cast.view_of(VIEWS, tensor, layout, shape)
    for operator, name in steps:
        run_step = tf.bitcast if operator == "bitcast" else tf.cast
        tensor = run_step(tensor, tensorflow_dtype(name))
    return tensor


def check(request: Request) -> None:
    """Raises Unsupported if TensorFlow has no such request."""
    array_cast.check_request(request)
    for step, operator in enumerate(request.operators):
        for name in request.dtypes[step : step + 2]:
            if operator == "bitcast" and name not in BITCAST:
                raise Unsupported(f"tf.bitcast takes no {name}")


def ask(question: dict, payload: bytes) -> tuple[dict, bytes]:
    """Answers questions about bitcasts of TensorFlow and complex casts of tf-cast."""
    if question["op"] == "bitcast" and question["system"] == "tensorflow":
        tensor = to_tensor(question["from"], question["shape"], payload)
        try:
            output = tf.bitcast(tensor, tensorflow_dtype(question["to"]))
        except (tf.errors.InvalidArgumentError, ValueError, TypeError) as error:
            raise Unsupported(message_of(error)) from error
        shape = [int(size) for size in output.shape]
        return {"shape": shape}, to_bytes(question["to"], output)
    if question["op"] == "complexcast" and question["profile"] == "tf-cast":
        return {}, convert(question["from"], question["to"], (1,), payload)
    raise Unsupported("TensorFlow has no such operation")


def convert(source: str, target: str, shape, payload: bytes) -> bytes:
    """Runs one tf.cast of the payload's elements."""
    tensor = to_tensor(source, shape, payload)
    try:
        output = tf.cast(tensor, tensorflow_dtype(target))
    except NO_KERNEL as error:
        raise Unsupported(message_of(error)) from error
    return to_bytes(target, output)


def tensorflow_dtype(name: str) -> tf.DType:
    """Returns the dtype of a name; raises Unsupported if TensorFlow has none."""
    if name in QUANTIZED:
        return QUANTIZED[name]
    try:
        return tf.as_dtype(array_cast.dtype(name))
    except TypeError as error:
        raise Unsupported(message_of(error)) from error


def to_tensor(name: str, shape, payload: bytes) -> tf.Tensor:
    """Returns the payload as a tensor, byte for byte."""
    dtype = tensorflow_dtype(name)
    if name in QUANTIZED:
        return tf.bitcast(to_tensor(INTEGERS[dtype.size], shape, payload), dtype)
    return tf.constant(array_cast.to_array(name, payload, shape), dtype)


def to_bytes(name: str, tensor: tf.Tensor) -> bytes:
    """Returns a tensor's elements, as the protocol packs them."""
    if name in QUANTIZED:
        name = INTEGERS[tensor.dtype.size]
        tensor = tf.bitcast(tensor, tensorflow_dtype(name))
    return array_cast.to_bytes(name, tensor.numpy())


def has(name: str) -> bool:
    """Does TensorFlow have a dtype of this name?"""
    try:
        return tensorflow_dtype(name) is not None
    except Unsupported:
        return False


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--xla", action="store_true", help="compile every graph with XLA")
    with_xla = parser.parse_args().xla
    casts = array_cast.casts([name for name in ELEMENT_BITS if has(name)])
    features = ("shapes", "constant", *LAYOUTS, "chain-bitcast")
    castproof_testee.serve(
        STREAM,
        "tensorflow xla" if with_xla else "tensorflow",
        tf.__version__,
        cast,
        casts,
        ask,
        features=features,
        chain=cast,
        chains=chains,
    )
