"""Times numpy (with ml_dtypes) and ONNX Runtime for `cargo xtask bench --peers`.

Reads one JSON object per line, `{"from": .., "to": .., "elements": .., "repeats": ..}`, and answers
each with the seconds of one cast on one thread, as in `{"numpy": 1.5e-6}`. The time of a call with
a single element is subtracted. A peer that does not have the pair is left out. numpy keeps each
2-, 4- or 6-bit element in a byte.
"""

import ctypes
import functools
import json
import os
import sys
import time

# Only answers may reach the reader, and no library may use more than one thread.
ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
import onnxruntime  # noqa: E402
from cast_model import ModelKey, build_model, onnx_type  # noqa: E402

# The newest operator set that ONNX Runtime loads.
OPSET = 25
FATAL_ONLY = 4
ML_DTYPES = {
    "float8e4m3fn": "float8_e4m3fn",
    "float8e4m3fnuz": "float8_e4m3fnuz",
    "float8e5m2": "float8_e5m2",
    "float8e5m2fnuz": "float8_e5m2fnuz",
    "float8e8m0": "float8_e8m0fnu",
    "float6e2m3": "float6_e2m3fn",
    "float6e3m2": "float6_e3m2fn",
    "float4e2m1": "float4_e2m1fn",
}


def main():
    onnxruntime.set_default_logger_severity(FATAL_ONLY)
    np.seterr(all="ignore")
    for line in sys.stdin:
        job = json.loads(line)
        seconds = {}
        for name, prepare in (("numpy", numpy_cast), ("onnxruntime", onnxruntime_cast)):
            cast = prepare(job["from"], job["to"], job["elements"])
            if cast is not None:
                overhead = per_call(prepare(job["from"], job["to"], 1), job["repeats"])
                seconds[name] = max(per_call(cast, job["repeats"]) - overhead, 1e-12)
        print(json.dumps(seconds), file=ANSWERS, flush=True)


def per_call(cast, repeats):
    """Returns the mean seconds of `repeats` calls, after one call that is not counted."""
    cast()
    start = time.perf_counter()
    for _ in range(repeats):
        cast()
    return (time.perf_counter() - start) / repeats


# Keeps two pairs, each with its size and with a single element.
@functools.lru_cache(maxsize=4)
def numpy_cast(source, target, elements):
    """Returns a function that casts once, or None if numpy does not have the pair."""
    values = sample(source, elements)
    try:
        output = np.empty(elements, numpy_type(target))
        np.copyto(output, values, casting="unsafe")
    except (AttributeError, TypeError, ValueError):
        return None
    return lambda: np.copyto(output, values, casting="unsafe")


@functools.lru_cache(maxsize=4)
def onnxruntime_cast(source, target, elements):
    """Returns a function that casts once, or None if ONNX Runtime does not have the pair."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    key = ModelKey("cast", source, target, OPSET, None, None, 1)
    try:
        session = onnxruntime.InferenceSession(
            build_model(key).SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        tensors = [
            onnxruntime.OrtValue.ortvalue_from_shape_and_type([elements], onnx_type(dtype))
            for dtype in (source, target)
        ]
        values = sample(source, elements)
        # Packed elements take fewer bytes than numpy's; any bytes are valid elements.
        size = min(tensors[0].tensor_size_in_bytes(), values.nbytes)
        ctypes.memmove(tensors[0].data_ptr(), values.ctypes.data, size)
        binding = session.io_binding()
        binding.bind_ortvalue_input("x", tensors[0])
        binding.bind_ortvalue_output("y", tensors[1])
        session.run_with_iobinding(binding)
    except Exception:  # whatever the message, it does not have the pair
        return None
    return lambda: session.run_with_iobinding(binding)


@functools.lru_cache(maxsize=2)
def sample(dtype, elements):
    """Returns values of moderate size, of both signs."""
    values = np.random.default_rng(1).uniform(-64, 64, elements)
    return values.astype(numpy_type(dtype), casting="unsafe")


def numpy_type(dtype):
    """Returns the numpy type of a dtype."""
    name = ML_DTYPES.get(dtype, dtype)
    return np.dtype(getattr(ml_dtypes, name, None) or name)


if __name__ == "__main__":
    main()
