"""ncnn (CPU) as a castproof testee: its functions of casts, and the layer Cast in a net. See --help."""

import argparse
import sys
from importlib.metadata import version
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

import ncnn  # noqa: E402
import numpy  # noqa: E402
from castproof_testee import ELEMENT_BITS, Attributes, Request, Unsupported  # noqa: E402

# ncnn has no operator versions, so it answers only the newest one.
NEWEST_OPSET = 28

# How the layer Cast numbers its dtypes. No other dtype can be written in a net.
NUMBERS = {"float32": 1, "float16": 2, "int8": 3, "bfloat16": 4}

# A Mat knows the width of its elements and not their dtype: one of 16 bits reads as float16, whatever it holds.
CARRIERS = {8: numpy.int8, 16: numpy.float16, 32: numpy.float32}


def cast(request: Request, payload: bytes) -> bytes:
    """Runs one function. It makes a layer Cast, whose status it drops, and packs nothing."""
    check(request)
    run = function(request.source, request.target)
    if run is None:
        raise Unsupported(f"ncnn has no cast_{request.source}_to_{request.target}")
    array = to_array(request, payload)
    return to_bytes(request, run(ncnn.Mat(array), options(request)))


def chain(request: Request, payload: bytes) -> bytes:
    """Runs a net with a layer Cast for each step. Where a size divides, it packs up to 16 elements to one."""
    check(request)
    array = to_array(request, payload)
    net = ncnn.Net()
    net.opt = options(request)
    if status := net.load_param_mem(network(request.dtypes)):
        raise Unsupported(f"load_param_mem returned {status}")
    extractor = net.create_extractor()
    extractor.input("b0", ncnn.Mat(array))
    # Type 1: as the last layer left it, packed. Type 0 makes float32 of 16 bits on some processors.
    status, output = extractor.extract(f"b{len(request.dtypes) - 1}", 1)
    if status != 0:
        raise Unsupported(f"extract returned {status}")
    return to_bytes(request, ncnn.convert_packing(output, 1))


def check(request: Request) -> None:
    """Raises Unsupported for what ncnn has no words for."""
    if request.op == "castlike" or request.opset != NEWEST_OPSET:
        raise Unsupported("ncnn is asked for Cast-28 only")
    if any(given != Attributes() for given in request.attributes):
        raise Unsupported("casts of ncnn have no attributes")


def options(request: Request) -> ncnn.Option:
    """Returns ncnn's own options. Threads share the channels, of which a Mat of one or two axes has one; there others
    would have nothing to do, and starting them takes forty times as long as the cast."""
    chosen = ncnn.Option()
    if len(request.shape) <= 2:
        chosen.num_threads = 1
    return chosen


def function(source: str, target: str):
    """Returns ncnn's function for a pair, or None."""
    return getattr(ncnn, f"cast_{source}_to_{target}", None)


def network(dtypes: tuple[str, ...]) -> str:
    """Returns the text of a net; "b0" is its input, and b1 and so on are the outputs of its layers."""
    layers = ["Input b0 0 1 b0"]
    for step, (source, target) in enumerate(zip(dtypes, dtypes[1:], strict=False), 1):
        ends = f"0={NUMBERS[source]} 1={NUMBERS[target]}"
        layers.append(f"Cast cast{step} 1 1 b{step - 1} b{step} {ends}")
    return "\n".join(["7767517", f"{len(layers)} {len(layers)}", *layers, ""])


def to_array(request: Request, payload: bytes) -> numpy.ndarray:
    """Returns the input. A Mat of it is a view that does not keep it alive, takes no notice of strides, and has 1
    to 4 axes; one without elements keeps its shape."""
    return numpy.frombuffer(payload, CARRIERS[ELEMENT_BITS[request.source]]).reshape(request.shape)


def to_bytes(request: Request, output: ncnn.Mat) -> bytes:
    """Returns the elements of a Mat. ncnn aligns the rows of its last axis, so that numpy sees strides."""
    array = numpy.asarray(output)
    if array.shape != request.shape or array.dtype.itemsize * 8 != ELEMENT_BITS[request.target]:
        raise RuntimeError(f"the output is {array.dtype} of shape {array.shape}")
    return array.tobytes()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--net", action="store_true", help="run every cast as a layer of a net")
    with_net = parser.parse_args().net
    casts = []
    for source in NUMBERS:
        # What the layer makes of a dtype is a pair that has a function, or its input. Of every other pair its output
        # is memory that nobody wrote.
        targets = [name for name in NUMBERS if function(source, name) or with_net and name == source]
        casts.append({"from": source, "to": targets, "opsets": [NEWEST_OPSET]})
    castproof_testee.serve(
        STREAM,
        "ncnn net" if with_net else "ncnn",
        version("ncnn"),
        chain if with_net else cast,
        casts,
        features=("shapes",),
        chain=chain,
        # Of a tensor without elements a net says -100, as where memory lacks; the functions return it.
        limits={"ranks": [1, 2, 3, 4], "empty": not with_net},
    )
