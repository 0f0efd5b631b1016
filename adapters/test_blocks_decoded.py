"""The vectors of decoded blocks beside ml_dtypes, whose float64 product of scale and element is exact."""

import json
import unittest
from pathlib import Path

import ml_dtypes
import numpy

VECTORS = Path(__file__).resolve().parent.parent / "vectors" / "data" / "suites" / "blocks-decoded.json"
DTYPES = {
    "float8e4m3fn": (ml_dtypes.float8_e4m3fn, 8),
    "float8e5m2": (ml_dtypes.float8_e5m2, 8),
    "float6e3m2": (ml_dtypes.float6_e3m2fn, 6),
    "float6e2m3": (ml_dtypes.float6_e2m3fn, 6),
    "float4e2m1": (ml_dtypes.float4_e2m1fn, 4),
    "float8e8m0": (ml_dtypes.float8_e8m0fnu, 8),
    "float32": (numpy.float32, 32),
    "bfloat16": (ml_dtypes.bfloat16, 16),
    "float16": (numpy.float16, 16),
}


def unpacked(dtype, hexes, count):
    """The elements of packed bytes, as float64."""
    kind, bits = DTYPES[dtype]
    whole = int.from_bytes(bytes.fromhex(hexes), "little")
    codes = [whole >> bits * place & (1 << bits) - 1 for place in range(count)]
    held = numpy.uint32 if bits == 32 else numpy.uint8
    return numpy.array(codes, held).view(kind).astype(numpy.float64)


class Decoded(unittest.TestCase):
    def test_numbers_are_those_of_ml_dtypes(self):
        compared = 0
        for test in json.loads(VECTORS.read_text())["tests"]:
            ask = test["ask"]["dequantizeBlock"]
            shape, axis, size = ask["shape"], ask["axis"], ask["blockSize"]
            blocks = shape.copy()
            blocks[axis] = -(-shape[axis] // size)
            elements = unpacked(ask["from"], ask["input"], int(numpy.prod(shape))).reshape(shape)
            scales = unpacked(ask["scale"], ask["scales"], int(numpy.prod(blocks))).reshape(blocks)
            rows = numpy.repeat(scales, size, axis).take(range(shape[axis]), axis)
            with numpy.errstate(all="ignore"):
                numbers = (elements * rows).astype(DTYPES[ask["to"]][0]).ravel()
            codes = numbers.view(numpy.uint32 if ask["to"] == "float32" else numpy.uint16)
            digits = DTYPES[ask["to"]][1] // 4
            due = test["expect"]["numbers"].split(" ")
            self.assertEqual(len(due), len(codes), test["id"])
            for place, (word, number, code) in enumerate(zip(due, numbers, codes)):
                if word == "nan":
                    self.assertTrue(numpy.isnan(number), (test["id"], place))
                elif word != "any":
                    self.assertEqual(word, f"{code:0{digits}x}", (test["id"], place))
                compared += word != "any"
        self.assertGreater(compared, 100_000)


if __name__ == "__main__":
    unittest.main()
