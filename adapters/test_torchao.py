"""torchao: what the adapter answers, and the faults of torchao, shown without the adapter."""

import json
import struct
import subprocess
import unittest

from test_adapters import adapter_command
from test_arrangements import Asking

BLOCK = {"op": "quantize-block", "from": "float32", "scale": "float8e8m0", "blockSize": 32, "axis": 0, "shape": [32]}
DECODE = {"op": "dequantize-block", "format": "mx", "scale": "float8e8m0", "blockSize": 32}

# Prints the scale and the first element of blocks whose other numbers are zero, and one decoded number.
ALONE = """
import json, os, torch
out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
from torchao.prototype.mx_formats.mx_tensor import ScaleCalculationMode as Mode, to_dtype, to_mx
def block(code, dtype, mode):
    numbers = torch.tensor([[code] + [0] * 31], dtype=torch.int32).view(torch.float32)
    scale, elements = to_mx(numbers, dtype, 32, mode)
    return [scale.view(torch.uint8).item(), elements.view(torch.uint8)[0, 0].item()]
four = torch.full((1, 16), 0x77, dtype=torch.uint8)
scale = torch.tensor([[0x64]], dtype=torch.uint8).view(torch.float8_e8m0fnu)
decoded = to_dtype(four, scale, torch.float4_e2m1fn_x2, 32, torch.float16)
json.dump({
    "smallest": [block(0x00400000, torch.float8_e4m3fn, mode) for mode in (Mode.FLOOR, Mode.CEIL, Mode.EVEN, Mode.RCEIL)],
    "above": block(0x43E00001, torch.float8_e5m2, Mode.RCEIL),
    "infinite": [block(0x7F800000, torch.float8_e4m3fn, mode) for mode in (Mode.FLOOR, Mode.RCEIL)],
    "decoded": decoded[0, 0].item(),
}, out)
"""


def numbers(*first: float) -> bytes:
    """A block that begins with these numbers and goes on with zeros."""
    return struct.pack("<32f", *first, *[0.0] * (32 - len(first)))


class Torchao(Asking):
    def test_each_profile_has_its_mode(self):
        self.begin_adapter("torchao")
        payload = numbers(464, 1, 0.001)
        for profile, scale in (("mx-floor", "7f7e3801"), ("mx-ceil", "80763000"), ("mx-even", "7f7e3801"), ("mx-rceil", "80763000")):
            status, answer = self.ask(payload, **BLOCK, profile=profile, to="float8e4m3fn")
            self.assertEqual((status, answer[:8], len(answer)), ("ok", scale, 66), profile)

    def test_elements_are_packed_as_the_protocol_says(self):
        self.begin_adapter("torchao")
        # 6 and 0.75 are the codes 7 and 2 of float4e2m1; 7.5 and -1 are 0x1f and 0x28 of float6e2m3.
        status, answer = self.ask(numbers(6, 0.75), **BLOCK, profile="mx-floor", to="float4e2m1")
        self.assertEqual((status, answer), ("ok", "7f27" + "00" * 15))
        status, answer = self.ask(numbers(7.5, -1), **BLOCK, profile="mx-floor", to="float6e2m3")
        self.assertEqual((status, answer), ("ok", "7f1f0a" + "00" * 22))

    def test_a_scale_of_the_tensor(self):
        self.begin_adapter("torchao")
        question = BLOCK | {"profile": "nvfp4-torchao", "to": "float4e2m1", "scale": "float8e4m3fn", "blockSize": 16, "shape": [16]}
        payload = struct.pack("<16f", 0.005859375, *[0.0] * 15)
        status, answer = self.ask(payload, **question, largest="0x45280000")
        self.assertEqual((status, answer), ("ok", "0801" + "00" * 7))

    def test_what_it_lacks_is_unsupported(self):
        self.begin_adapter("torchao")
        for changed, text in (
            ({"profile": "mx-rfit"}, "no scale of the profile mx-rfit"),
            ({"from": "float16", "shape": [64]}, "torch.float16 is not supported"),
            ({"shape": [5]}, "divisible by block_size"),
        ):
            question = BLOCK | {"profile": "mx-floor", "to": "float8e4m3fn"} | changed
            payload = numbers()[: 20 if changed.get("shape") == [5] else 128]
            status, message = self.ask(payload, **question)
            self.assertEqual(status, "unsupported", changed)
            self.assertIn(text, message)
        for changed, text in (({"shape": [40], "axis": 0}, "blocks are whole"), ({"shape": [1, 32, 1], "axis": 1}, "along the last axis")):
            status, message = self.ask(bytes(42), **DECODE, to="float32", **{"from": "float8e4m3fn"}, **changed)
            self.assertEqual(status, "unsupported", changed)
            self.assertIn(text, message)
        self.assertEqual(self.ask(b"", op="bitcast", system="onnx", **{"from": "int8", "to": "int8"}, shape=[0])[0], "unsupported")

    def test_blocks_along_either_axis_of_a_matrix(self):
        self.begin_adapter("torchao")
        # Two blocks with the scales 1 and 2, whose elements count up in float4e2m1 and down in float6e2m3.
        for source, bits in (("float4e2m1", 4), ("float6e2m3", 6)):
            codes = [[(place + 5 * block) % 16 for place in range(32)] for block in range(2)]
            table = {4: [0.0, 0.5, 1, 1.5, 2, 3, 4, 6], 6: [place / 8 for place in range(16)]}[bits]

            def number(code: int, scale: int, table: list[float] = table) -> float:
                return scale * table[code % len(table)] * (-1 if code >= len(table) else 1)

            for axis in (0, 1):
                places = [(block, place) for block in range(2) for place in range(32)]
                if axis == 0:
                    places = [(block, place) for place in range(32) for block in range(2)]
                whole = sum(codes[block][place] << bits * at for at, (block, place) in enumerate(places))
                payload = b"\x7f\x80" + whole.to_bytes(64 * bits // 8, "little")
                due = struct.pack("<64f", *(number(codes[block][place], 1 + block) for block, place in places))
                shape = [32, 2] if axis == 0 else [2, 32]
                question = DECODE | {"from": source, "to": "float32", "axis": axis, "shape": shape}
                self.assertEqual(self.ask(payload, **question), ("ok", due.hex()), (source, axis))

    def test_its_faults_are_there_without_the_adapter(self):
        self.begin_adapter("torchao")
        python = adapter_command("torchao")[0]
        done = subprocess.run([python, "-c", ALONE], capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)
        # Due are 0x38 of each, the scale 0x79, the scale 0xff, and 6 * 2^-27, which is the smallest number of float16.
        self.assertEqual(found["smallest"], [[0, 0x30], [0, 0x30], [0, 0x30], [0, 0]])
        self.assertEqual(found["above"][0], 0x78)
        self.assertEqual([scale for scale, _ in found["infinite"]], [0xF7, 0xFE])
        self.assertEqual(found["decoded"], 0)


if __name__ == "__main__":
    unittest.main()
