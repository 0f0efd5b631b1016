"""torchao (CPU, eager) as a castproof testee: blocks of MX and NVFP4."""

import math
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

import numpy  # noqa: E402
import torch  # noqa: E402
import torchao  # noqa: E402
from castproof_testee import ELEMENT_BITS, Request, Unsupported, message_of  # noqa: E402
from torchao.prototype.mx_formats import mx_tensor, nvfp4_tensor  # noqa: E402

MODES = mx_tensor.ScaleCalculationMode
# The rule of each profile. Those of torchao itself say what it computes, the others what it means.
RULES = {
    "mx-floor": MODES.FLOOR,
    "mx-torchao-floor": MODES.FLOOR,
    "mx-ceil": MODES.CEIL,
    "mx-torchao-ceil": MODES.CEIL,
    "mx-even": MODES.EVEN,
    "mx-torchao-even": MODES.EVEN,
    "mx-rceil": MODES.RCEIL,
}
NVFP4 = "nvfp4-torchao"
NUMBERS = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
ELEMENTS = {
    "float8e4m3fn": torch.float8_e4m3fn,
    "float8e5m2": torch.float8_e5m2,
    "float6e3m2": mx_tensor.DTYPE_FP6_E3M2,
    "float6e2m3": mx_tensor.DTYPE_FP6_E2M3,
    "float4e2m1": torch.float4_e2m1fn_x2,
}
# How torchao holds elements, beside a byte for each code: as a dtype of torch, or two in a byte.
FLOAT8 = ("float8e4m3fn", "float8e5m2")
FLOAT4 = "float4e2m1"


def ask(question: dict, payload: bytes) -> tuple[dict, bytes]:
    """Quantises or decodes a tensor of blocks."""
    if question["op"] == "quantize-block":
        return {}, quantise(question, payload)
    if question["op"] == "dequantize-block":
        return {}, dequantise(question, payload)
    raise Unsupported("torchao has no such operation")


def quantise(question: dict, payload: bytes) -> bytes:
    """Returns the scales and the packed elements of a tensor, whose blocks lie along the last axis."""
    profile, to, size, shape = question["profile"], question["to"], question["blockSize"], question["shape"]
    if profile != NVFP4 and profile not in RULES:
        raise Unsupported(f"torchao has no scale of the profile {profile}")
    if question["axis"] != len(shape) - 1:
        raise Unsupported("torchao quantises blocks along the last axis")
    numbers = of_bytes(payload, NUMBERS[question["from"]]).reshape(-1, shape[-1])
    try:
        if profile == NVFP4:
            largest = torch.tensor(numpy.array([int(question["largest"], 16)], "<u4").view("<f4"))[0]
            tensor = nvfp4_tensor.per_tensor_amax_to_scale(largest)
            scale, elements = nvfp4_tensor.nvfp4_quantize(numbers, size, tensor)
        else:
            scale, elements = mx_tensor.to_mx(numbers, ELEMENTS[to], size, RULES[profile])
    except AssertionError as refusal:  # so torchao says which dtypes and sizes it does not take
        raise Unsupported(message_of(refusal)) from refusal
    return to_bytes(scale) + packed(to, to_bytes(elements))


def dequantise(question: dict, payload: bytes) -> bytes:
    """Returns the numbers of a tensor of blocks. torchao has them along the last axis, or in a transposed matrix."""
    shape, axis, size, source = question["shape"], question["axis"], question["blockSize"], question["from"]
    is_transposed = axis == 0 and len(shape) == 2
    if axis != len(shape) - 1 and not is_transposed:
        raise Unsupported("torchao has blocks along the last axis, or in a transposed matrix")
    if shape[axis] % size:
        raise Unsupported(f"torchao takes no {shape[axis]} elements in blocks of {size}: its blocks are whole")
    if len(shape) == 1:
        shape = [1, *shape]
    rows = [*shape[:-1], shape[-1] // size]
    if is_transposed:
        rows = [shape[0] // size, shape[1]]
    count = math.prod(rows)
    # Bytes in the order of the memory, in which the elements of a block lie side by side.
    scales = numpy.frombuffer(payload[:count], numpy.uint8).reshape(rows)
    codes = unpacked(source, payload[count:], math.prod(shape)).reshape(shape)
    if is_transposed:
        scales, codes = scales.T, codes.T
    if source == FLOAT4:
        codes = codes[..., ::2] | codes[..., 1::2] << 4
    scales, codes = (torch.from_numpy(numpy.ascontiguousarray(it)) for it in (scales, codes))
    if source in FLOAT8:
        codes = codes.view(ELEMENTS[source])
    if is_transposed:
        scales, codes = scales.t(), codes.t()
    output = decoded(question, codes, scales, NUMBERS[question["to"]])
    return to_bytes(output.contiguous())


def decoded(question: dict, codes: torch.Tensor, scales: torch.Tensor, to: torch.dtype) -> torch.Tensor:
    """Runs torchao's decoder on codes and scales as it holds them."""
    if question["format"] == "nvfp4":
        scales = scales.view(torch.float8_e4m3fn)
        return nvfp4_tensor.NVFP4Tensor(codes, scales, question["blockSize"], to).dequantize(to)
    scales = scales.view(torch.float8_e8m0fnu)
    return mx_tensor.to_dtype(codes, scales, ELEMENTS[question["from"]], question["blockSize"], to)


def of_bytes(payload: bytes, dtype: torch.dtype) -> torch.Tensor:
    """Returns the elements of a payload."""
    return torch.from_numpy(numpy.frombuffer(payload, numpy.uint8).copy()).view(dtype)


def to_bytes(tensor: torch.Tensor) -> bytes:
    """Returns the memory of a contiguous tensor."""
    return tensor.reshape(-1).view(torch.uint8).numpy().tobytes()


def packed(dtype: str, elements: bytes) -> bytes:
    """Packs the elements of torchao as the protocol does. It has packed those of 4 bits."""
    bits = ELEMENT_BITS[dtype]
    if bits != 6:
        return elements
    whole = sum(code << bits * place for place, code in enumerate(elements))
    return whole.to_bytes(-(-bits * len(elements) // 8), "little")


def unpacked(dtype: str, payload: bytes, count: int) -> numpy.ndarray:
    """Returns a byte for each element."""
    width = ELEMENT_BITS[dtype]
    bits = numpy.unpackbits(numpy.frombuffer(payload, numpy.uint8), bitorder="little")[: count * width]
    return numpy.packbits(bits.reshape(count, width), axis=1, bitorder="little").reshape(count)


def cast(request: Request, elements: bytes) -> bytes:
    raise Unsupported("torchao has no casts of single elements")


if __name__ == "__main__":
    torch.set_num_threads(1)
    castproof_testee.serve(STREAM, "torchao", torchao.__version__, cast, casts=[], ask=ask)
