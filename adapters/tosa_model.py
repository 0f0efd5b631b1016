"""Casts arrays with TOSA's reference model, which tosa-tools has.

A graph of CASTs is serialised, and the model runs it in this process. tosa-opt is not asked: the model itself refuses the
pairs that TOSA's table of supported data types lacks.
"""

import os
from collections.abc import Sequence

import numpy
import tosa_reference_model
import tosa_serializer as tosa
from castproof_testee import Unsupported

# The dtypes that a serialised graph can name, by the names there.
TYPES = {
    "bool": tosa.DType.BOOL,
    "int4": tosa.DType.INT4,
    "int8": tosa.DType.INT8,
    "int16": tosa.DType.INT16,
    "int32": tosa.DType.INT32,
    "int64": tosa.DType.INT64,
    "float4e2m1": tosa.DType.FP4E2M1,
    "float6e2m3": tosa.DType.FP6E2M3,
    "float6e3m2": tosa.DType.FP6E3M2,
    "float8e4m3fn": tosa.DType.FP8E4M3,
    "float8e5m2": tosa.DType.FP8E5M2,
    "float8e8m0": tosa.DType.FP8UE8M0,
    "float16": tosa.DType.FP16,
    "bfloat16": tosa.DType.BF16,
    "float32": tosa.DType.FP32,
}

# By this text the binding says that the model takes no such graph. Other texts speak of wrong calls.
REFUSAL = "Invalid TOSA graph"

# Where it refuses a graph, the model starts gdb, if there is one, to print the stack. That takes a second.
os.environ["PATH"] = os.devnull


def graph(dtypes: Sequence[str], shape: Sequence[int]) -> bytes:
    """Returns a graph that casts an input to each of the dtypes that follow, one after the other."""
    serializer = tosa.TosaSerializer("")
    tensor = tosa.TosaSerializerTensor("x", shape, TYPES[dtypes[0]])
    serializer.addInputTensor(tensor)
    for step, dtype in enumerate(dtypes[1:], 2):
        source = tensor.name
        make = serializer.addOutput if step == len(dtypes) else serializer.addIntermediate
        tensor = make(shape, TYPES[dtype])
        attribute = tosa.TosaSerializerAttribute()
        attribute.CastAttribute()
        serializer.addOperator(tosa.Op.CAST, [source], [tensor.name], attribute)
    return serializer.serialize()


def cast(dtypes: Sequence[str], array: numpy.ndarray) -> numpy.ndarray:
    """Runs one cast, or several in a row, on an array whose elements are held as `as_held` says.

    Returns the output in the same form; raises Unsupported if the model refuses the graph.
    """
    try:
        outputs, status = tosa_reference_model.run(graph(dtypes, array.shape), [array])
    except ValueError as error:
        if str(error) != REFUSAL:
            raise
        raise Unsupported(f"the model takes no cast {' to '.join(dtypes)} of shape {list(array.shape)}") from None
    if status != tosa_reference_model.GraphStatus.TOSA_VALID:
        raise RuntimeError(f"the model ends with {status.name}")
    (output,) = outputs
    if output.shape != array.shape:
        raise RuntimeError(f"the output is of shape {list(output.shape)}")
    return output


def as_held(dtype: numpy.dtype) -> numpy.dtype:
    """Returns the dtype by which the binding holds elements: bytes, where numpy itself lacks the dtype."""
    return dtype if dtype.isbuiltin == 1 else numpy.dtype(f"V{dtype.itemsize}")
