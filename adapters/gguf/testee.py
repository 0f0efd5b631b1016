"""The package gguf of llama.cpp as a castproof testee: blocks of GGUF, decoded and made with numpy."""

import sys
import warnings
from importlib.metadata import version
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

import gguf  # noqa: E402
import numpy  # noqa: E402
from castproof_testee import Request, Unsupported, message_of  # noqa: E402
from gguf.quants import dequantize, quantize  # noqa: E402


def ask(question: dict, payload: bytes) -> tuple[dict, bytes]:
    """Decodes blocks, or makes them of float32. numpy warns of scales that are not finite; they are asked on purpose."""
    given = numpy.frombuffer(payload, numpy.uint8)
    if question["op"] not in ("dequantize-gguf", "quantize-gguf"):
        raise Unsupported("gguf has no such operation")
    kind = kind_of(question["type"])
    try:
        if question["op"] == "quantize-gguf":
            return {}, quantize(given.view("<f4"), kind).tobytes()
        if question["type"] == "F16":
            given = given.view(numpy.float16)
        numbers = dequantize(given, kind)
    except NotImplementedError as refusal:  # so gguf says which types it does not have
        raise Unsupported(message_of(refusal)) from refusal
    if question["to"] != "float32":
        raise Unsupported("gguf makes numbers of float32")
    return {}, numbers.astype("<f4").tobytes()


def kind_of(name: str) -> gguf.GGMLQuantizationType:
    """Returns the type of a name."""
    if name not in gguf.GGMLQuantizationType.__members__:
        raise Unsupported(f"gguf has no type {name}")
    return gguf.GGMLQuantizationType[name]


def cast(request: Request, elements: bytes) -> bytes:
    raise Unsupported("gguf has no casts of single elements")


if __name__ == "__main__":
    warnings.filterwarnings("ignore", category=RuntimeWarning)
    castproof_testee.serve(STREAM, "gguf", version("gguf"), cast, casts=[], ask=ask)
