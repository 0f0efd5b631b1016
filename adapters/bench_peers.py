"""Times the peers of `cargo xtask bench --peers` that live in Python.

The arguments name them: numpy (with ml_dtypes), onnxruntime, torch. The first line of the answer says
their versions. Then each line that is read, `{"from": .., "to": .., "elements": .., "repeats": ..}`,
is answered with the seconds of one cast on one thread, as in `{"numpy": 1.5e-6}`. The time of a call
with a single element is subtracted. A peer that does not have the pair is left out; any other error
ends the process. Each 2-, 4- or 6-bit element has a byte in numpy. A line with `profile` instead of `from` is
answered with the seconds of one quantisation of a row of blocks; see bench_blocks.py.
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
# All contenders get pages of the usual size.
os.environ["NUMPY_MADVISE_HUGEPAGE"] = "0"

import bench_blocks  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402

# The newest operator set that ONNX Runtime loads.
OPSET = 25
FATAL_ONLY = 4
BATCHES = 8
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
    peers = {name: PEERS[name] for name in sys.argv[1:]}
    np.seterr(all="ignore")
    answer({name: version() for name, (version, _) in peers.items()})
    for line in sys.stdin:
        job = json.loads(line)
        if "profile" in job:
            answer(bench_blocks.seconds(job, peers, beyond))
            continue
        seconds = {}
        for name, (_, prepare) in peers.items():
            cast = prepare(job["from"], job["to"], job["elements"])
            if cast is not None:
                alone = prepare(job["from"], job["to"], 1)
                seconds[name] = max(beyond(alone, cast, job["repeats"]), 1e-12)
        answer(seconds)


def answer(members):
    print(json.dumps(members), file=ANSWERS, flush=True)


def beyond(alone, cast, repeats):
    """Returns the seconds by which a call of `cast` takes longer than one of `alone`.

    The two are called in turns, after one call each that is not counted. The fastest batch of each
    counts, because other work on the machine slows the others.
    """
    batches = min(repeats, BATCHES)
    calls = (alone, cast)
    for call in calls:
        call()
    fastest = [float("inf"), float("inf")]
    for _ in range(batches):
        for index, call in enumerate(calls):
            start = time.perf_counter()
            for _ in range(repeats // batches):
                call()
            seconds = (time.perf_counter() - start) / (repeats // batches)
            fastest[index] = min(fastest[index], seconds)
    return fastest[1] - fastest[0]


def numpy_version():
    return f"{np.__version__} with ml_dtypes {ml_dtypes.__version__}"


# Keeps two pairs, each with its size and with a single element.
@functools.lru_cache(maxsize=4)
def numpy_cast(source, target, elements):
    """Returns a function that casts once, or None if numpy does not have the pair."""
    try:
        values = sample(source, elements)
        output = np.empty(elements, numpy_type(target))
        np.copyto(output, values, casting="unsafe")
    except TypeError:  # there is no such dtype, or no cast between the two
        return None
    return lambda: np.copyto(output, values, casting="unsafe")


def onnxruntime_version():
    import onnxruntime

    onnxruntime.set_default_logger_severity(FATAL_ONLY)
    return onnxruntime.__version__


@functools.lru_cache(maxsize=4)
def onnxruntime_cast(source, target, elements):
    """Returns a function that casts once, or None if ONNX Runtime does not have the pair."""
    import onnxruntime
    from cast_model import ModelKey, build_model, onnx_type
    from castproof_testee import Attributes
    from onnxruntime.capi import onnxruntime_pybind11_state as states

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    key = ModelKey("cast", (source, target), (Attributes(),), OPSET, 1)
    try:
        session = onnxruntime.InferenceSession(
            build_model(key).SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
    except (states.NotImplemented, states.InvalidArgument):  # no such cast, no such dtype
        return None
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
    return lambda: session.run_with_iobinding(binding)


def torch_version():
    import torch

    torch.set_num_threads(1)
    return torch.__version__


@functools.lru_cache(maxsize=4)
def torch_cast(source, target, elements):
    """Returns a function that casts once, or None if torch does not have the pair."""
    import torch

    def dtype(name):
        return getattr(torch, ML_DTYPES.get(name, name), None)

    if dtype(source) is None or dtype(target) is None:
        return None
    values = torch.from_numpy(sample("float32", elements))
    try:
        values = values.to(dtype(source))
        output = torch.empty(elements, dtype=dtype(target))
        output.copy_(values)
    except NotImplementedError:
        return None
    return lambda: output.copy_(values)


@functools.lru_cache(maxsize=2)
def sample(dtype, elements):
    """Returns values of moderate size, of both signs."""
    values = np.random.default_rng(1).uniform(-64, 64, elements)
    return values.astype(numpy_type(dtype), casting="unsafe")


def numpy_type(dtype):
    """Returns the numpy type of a dtype."""
    name = ML_DTYPES.get(dtype, dtype)
    return np.dtype(getattr(ml_dtypes, name, None) or name)


# Of each peer: its version, and a function that prepares a cast.
PEERS = {
    "numpy": (numpy_version, numpy_cast),
    "onnxruntime": (onnxruntime_version, onnxruntime_cast),
    "torch": (torch_version, torch_cast),
}

if __name__ == "__main__":
    main()
