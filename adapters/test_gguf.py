"""gguf: what the adapter answers, and where the package differs from the rules, shown without the adapter."""

import json
import struct
import subprocess
import unittest

from test_adapters import adapter_command
from test_arrangements import Asking

MAKE = {"op": "quantize-gguf", "from": "float32"}
DECODE = {"op": "dequantize-gguf", "to": "float32"}

# Prints the first bytes of blocks of float32 codes; the other numbers are the last code.
ALONE = """
import json, os, numpy
out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
from gguf import GGMLQuantizationType as Type
from gguf.quants import quantize
def block(kind, *codes):
    codes = numpy.array([*codes, *codes[-1:] * (32 - len(codes))], "<u4")
    return quantize(codes.view("<f4"), kind).tobytes()[:4].hex()
json.dump({
    "negative zeros": [block(kind, 0x80000000) for kind in (Type.Q4_0, Type.Q5_0)],
    "nan": [block(kind, 0xBF800000, 0x7FC00000, 0) for kind in (Type.Q4_0, Type.Q4_1, Type.MXFP4)],
}, out)
"""


def numbers(*first: float) -> bytes:
    """Numbers of a block that begins with these and goes on with zeros."""
    return struct.pack("<32f", *first, *[0.0] * (32 - len(first)))


class Gguf(Asking):
    def test_blocks_are_made(self):
        self.begin_adapter("gguf")
        for kind, made in (
            ("Q4_0", "0030808f" + "88" * 14),
            ("Q5_0", "002cfeffffff001f" + "00" * 14),
            ("Q8_0", "0820817f" + "00" * 30),
            ("MXFP4", "7d0e06" + "00" * 14),
        ):
            status, answer = self.ask(numbers(-1, 1), **MAKE, type=kind)
            self.assertEqual((status, answer[:8]), ("ok", made[:8]), kind)
            self.assertEqual(len(answer), len(made), kind)

    def test_blocks_are_decoded(self):
        self.begin_adapter("gguf")
        block = bytes.fromhex("0030808f" + "88" * 14)
        status, answer = self.ask(block, **DECODE, type="Q4_0")
        self.assertEqual((status, answer[:24]), ("ok", "000080bf0000603f00000000"))
        status, answer = self.ask(bytes.fromhex("003c01fc"), **DECODE, type="F16")
        self.assertEqual((status, answer[:8]), ("ok", "0000803f"))

    def test_what_it_lacks_is_unsupported(self):
        self.begin_adapter("gguf")
        for question, payload in (
            (MAKE | {"type": "NVFP4"}, bytes(256)),
            (MAKE | {"type": "Q4_K"}, bytes(1024)),
            (DECODE | {"type": "Q8_K"}, bytes(292)),
            (DECODE | {"type": "Q1_0"}, bytes(18)),
            (DECODE | {"type": "Q4_0", "to": "float16"}, bytes(18)),
        ):
            self.assertEqual(self.ask(payload, **question)[0], "unsupported", question)
        self.assertEqual(self.ask(b"", op="bitcast", system="onnx", **{"from": "int8", "to": "int8"}, shape=[0])[0], "unsupported")

    def test_where_the_package_differs_alone(self):
        command = adapter_command("gguf")
        if command is None:
            self.skipTest("gguf is not installed: ./setup.sh --adapters gguf")
        done = subprocess.run([command[0], "-c", ALONE], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        alone = json.loads(done.stdout)
        # The scale -0 is due, and 8 or 16 as elements.
        self.assertEqual([it[:4] for it in alone["negative zeros"]], ["0000", "0000"])
        # The scales of -1 are due: 0030, 4a2c and 7d.
        four, one, mx = alone["nan"]
        self.assertEqual((four[:4], one[:4], mx[:2]), ("007e", "007e", "00"))


if __name__ == "__main__":
    unittest.main()
