"""Tests layouts, constants, chains and variants with the real processes.

Run with `.venv/bin/python -m unittest discover adapters` from the root of the repository. An
adapter whose runtime is not installed is skipped, and the summary counts it.
"""

import math
import struct
import subprocess
import sys
import unittest
from pathlib import Path

import array_cast
import cast_model
import numpy
from castproof_testee import ELEMENT_BITS, FEATURES, LAYOUTS
from test_adapters import Testee, adapter_command

ADAPTERS = Path(__file__).resolve().parent

# A testee that lists every feature and answers with an error that quotes the request.
MIRROR = """
import castproof_testee as t
stream = t.claim_stdio()
def cast(request, payload):
    raise RuntimeError(f"{request.dtypes} {request.shape} {request.layout} "
        f"{request.constant} {request.in_place} {request.attributes}")
t.serve(stream, "mirror", "0", cast, features=[it for it in t.FEATURES if it != "chain"], chain=cast)
"""
# A testee that lists no feature.
PLAIN = """
import castproof_testee as t
stream = t.claim_stdio()
t.serve(stream, "plain", "0", lambda request, payload: payload)
"""

INT8 = {"op": "cast", "from": "int8", "to": "uint8", "opset": 28}
CHAIN = {"op": "chain", "dtypes": ["int8", "bool", "int8"], "attributes": [{}, {}], "opset": 28}


def f32(*values: float) -> bytes:
    """Packs float32 elements."""
    return struct.pack(f"<{len(values)}f", *values)


class Asking(unittest.TestCase):
    """Helpers that ask a testee process."""

    def begin(self, command: list[str], folder: Path = ADAPTERS) -> dict:
        """Starts a testee; returns its hello."""
        self.testee = Testee(command, folder, stderr=subprocess.DEVNULL)
        self.addCleanup(self.testee.close)
        self.testee.send({"hello": "castproof-testee/1"})
        return self.testee.receive()[0]

    def begin_adapter(self, name: str, variant: str | None = None) -> dict:
        """Starts an adapter; skips the test where its runtime is not installed."""
        command = adapter_command(name, variant)
        installed = command is not None and (
            command[0] != "node" or (ADAPTERS / name / "node_modules").is_dir()
        )
        if not installed:
            self.skipTest(f"{name} is not installed: ./setup.sh --adapters {name}")
        return self.begin(command, ADAPTERS / name)

    def ask(self, payload: bytes, **header) -> tuple[str, str]:
        """Sends one request; returns the status, and the output in hex or the message."""
        self.testee.send({"seq": 1, "bytes": len(payload)} | header, payload)
        answer, output = self.testee.receive()
        return answer["status"], output.hex() if answer["status"] == "ok" else answer["message"]


class Protocol(Asking):
    """The members of a request."""

    def test_the_hello_lists_the_features(self):
        self.assertEqual(self.begin([sys.executable, "-c", MIRROR])["features"], FEATURES_OF_MIRROR)
        self.assertEqual(self.begin([sys.executable, "-c", PLAIN])["features"], [])

    def test_every_member_arrives(self):
        self.begin([sys.executable, "-c", MIRROR])
        plain = "(Attributes(saturate=None, round_mode=None),)"
        for more, count, seen in (
            ({"shape": []}, 1, f"('int8', 'uint8') () contiguous False False {plain}"),
            ({"shape": [0, 2]}, 0, f"('int8', 'uint8') (0, 2) contiguous False False {plain}"),
            ({"shape": [2], "layout": "strided"}, 2, "(2,) strided False False"),
            ({"shape": [2], "input": "constant"}, 2, "(2,) contiguous True False"),
            ({"shape": [2], "inPlace": True}, 2, "(2,) contiguous False True"),
        ):
            status, message = self.ask(bytes(count), **INT8 | more)
            self.assertEqual(status, "error")
            self.assertIn(seen, message)
        steps = [{}, {"saturate": 0, "roundMode": "up"}]
        _, message = self.ask(b"a", **CHAIN | {"shape": [1], "attributes": steps})
        self.assertIn("('int8', 'bool', 'int8') (1,) contiguous False False", message)
        self.assertIn("Attributes(saturate=0, round_mode='up'))", message)

    def test_what_is_not_known_is_unsupported(self):
        self.begin([sys.executable, "-c", MIRROR])
        for more, text in (
            ({"op": "transpose"}, "op is 'transpose'"),
            ({"layout": "spiral"}, "layout is 'spiral'"),
            ({"input": "random"}, "input is 'random'"),
            ({"colour": 1}, "member 'colour'"),
            (CHAIN | {"layout": "strided"}, "member"),
            (CHAIN | {"attributes": [{}, {"colour": 1}], "from": None}, "member 'from'"),
        ):
            status, message = self.ask(b"a", **INT8 | {"shape": [1]} | more)
            self.assertEqual(status, "unsupported", message)
            self.assertIn(text, message)
        steps = [{}, {"colour": 1}]
        answer = self.ask(b"a", **CHAIN | {"shape": [1], "attributes": steps})
        self.assertEqual(answer, ("unsupported", "a step with the member 'colour' is not known"))
        answer = self.ask(b"a", **CHAIN | {"shape": [1], "operators": ["cast", "drop"]})
        said = 'the operator of a step is "drop"; known are cast, castlike, bitcast'
        self.assertEqual(answer, ("unsupported", said))

    def test_what_no_protocol_allows_is_a_bad_request(self):
        self.begin([sys.executable, "-c", MIRROR])
        for header, text in (
            (INT8 | {"shape": [1], "layout": "transposed"}, "shape [1] is transposed"),
            (INT8 | {"shape": [], "layout": "strided"}, "shape [] is strided"),
            (INT8 | {"shape": [1], "inPlace": 1}, "'inPlace' is 1"),
            (INT8 | {"shape": [1], "to": "int16", "inPlace": True}, "differ in width"),
            (INT8 | {"shape": [1], "layout": "broadcast", "inPlace": True}, "written over"),
            (CHAIN | {"shape": [1], "dtypes": ["int8", "int8"]}, "three names or more"),
            (CHAIN | {"shape": [1], "dtypes": ["int8", 1, "int8"]}, "three names or more"),
            (CHAIN | {"shape": [1], "attributes": [{}]}, "must hold 2 objects"),
            (CHAIN | {"shape": [1], "attributes": [{}, 1]}, "must hold 2 objects"),
            (CHAIN | {"shape": [1], "dtypes": ["int8", "int9", "int8"]}, "unknown dtype 'int9'"),
            (CHAIN | {"shape": [1], "operators": ["cast"]}, "must hold 2 names"),
            (
                CHAIN | {"shape": [1], "dtypes": ["int8", "int16", "int8"], "operators": ["bitcast", "cast"]},
                "no bitcast is from int8 to int16",
            ),
        ):
            status, message = self.ask(b"a", **header)
            self.assertEqual(status, "error", header)
            self.assertRegex(message, "^bad request: ")
            self.assertIn(text, message)

    def test_what_is_not_listed_never_arrives(self):
        self.begin([sys.executable, "-c", PLAIN])
        for header, feature in (
            (INT8 | {"shape": []}, "shapes"),
            (INT8 | {"shape": [1], "layout": "strided"}, "strided"),
            (INT8 | {"shape": [1], "input": "constant"}, "constant"),
            (INT8 | {"shape": [1], "inPlace": True}, "in-place"),
            (CHAIN | {"shape": [1]}, "chain"),
            (CHAIN | {"shape": [1], "operators": ["cast", "castlike"]}, "chain"),
        ):
            answer = self.ask(b"a", **header)
            message = f"the adapter does not list the feature '{feature}'"
            self.assertEqual(answer, ("unsupported", message))
        self.assertEqual(self.ask(b"", **INT8 | {"shape": [0]}), ("ok", ""))


FEATURES_OF_MIRROR = [*(it for it in FEATURES if it != "chain"), "chain"]
assert set(FEATURES_OF_MIRROR) == set(FEATURES)


class Views(unittest.TestCase):
    """Tests the views that the array libraries get."""

    def made(self, dtype: str, layout: str, shape: tuple[int, ...]):
        count = math.prod(shape)
        codes = numpy.arange(1, count + 1, dtype=numpy.uint8) % 2
        array = numpy.resize(codes, shape).astype(array_cast.dtype(dtype))
        if layout == "broadcast":
            array = numpy.resize(array[:1], shape)
        memory = array_cast.memory_of(dtype, array, layout)
        return array, memory, array_cast.view_of(numpy, memory, layout, shape)

    def test_every_view_has_the_elements_and_lies_as_it_says(self):
        lies = {
            "strided": lambda view, memory: view.strides[-1] == 2 * view.itemsize,
            "reversed": lambda view, memory: view.strides[-1] == -view.itemsize,
            "transposed": lambda view, memory: view.strides == (view.itemsize, view.itemsize * 2),
            "broadcast": lambda view, memory: view.strides[0] == 0,
            "offset": lambda view, memory: (view.ctypes.data - memory.ctypes.data) % 16 > 0,
        }
        self.assertEqual(tuple(lies), LAYOUTS)
        for dtype in ELEMENT_BITS:
            for layout, holds in lies.items():
                array, memory, view = self.made(dtype, layout, (2, 3))
                self.assertEqual(view.tobytes(), array.tobytes(), (dtype, layout))
                self.assertTrue(numpy.shares_memory(view, memory), (dtype, layout))
                self.assertTrue(holds(view, memory), (dtype, layout, view.strides))

    def test_what_lies_between_differs_from_the_element_before_and_is_an_element(self):
        for dtype, bits in ELEMENT_BITS.items():
            array, memory, _ = self.made(dtype, "strided", (5,))
            codes = memory.view(numpy.uint8).reshape(10, -1)
            self.assertTrue((codes[::2] != codes[1::2]).all(), dtype)
            self.assertTrue((codes < (2 if dtype == "bool" else 1 << min(bits, 8))).all(), dtype)

    def test_tensors_without_elements(self):
        for layout, shape in (("strided", (0,)), ("reversed", (3, 0)), ("transposed", (0, 2)),
                              ("broadcast", (0, 2)), ("broadcast", (2, 0)), ("offset", (0,))):
            array = numpy.empty(shape, numpy.float32)
            memory = array_cast.memory_of("float32", array, layout)
            self.assertEqual(array_cast.view_of(numpy, memory, layout, shape).shape, shape)

    def test_rows_that_differ_are_no_broadcast(self):
        array = numpy.array([[1], [2]], numpy.int8)
        with self.assertRaises(array_cast.BadRequest):
            array_cast.memory_of("int8", array, "broadcast")


class Arranged(Asking):
    """Each adapter gives the plain answer in every arrangement that it lists."""

    def assert_arrangements(self, name: str, features: set[str], variant: str | None = None):
        hello = self.begin_adapter(name, variant)
        self.assertEqual(set(hello["features"]), features)
        pairs = [
            ("float32", "float16", f32(1.0, -2.5, 1e9, 3.0, 0.1, -0.0)),
            ("float64", "float32", struct.pack("<6d", 1.0, -2.5, 1e30, 3.0, 0.1, -0.0)),
            ("int64", "int8", struct.pack("<6q", 1, -2, 300, 4, 5, -128)),
            ("uint8", "bool", bytes([0, 1, 2, 0, 255, 0])),
        ]
        for source, target, payload in pairs:
            cast = {"op": "cast", "from": source, "to": target, "opset": 13}
            if name in ARRAY_LIBRARIES:
                cast["opset"] = array_cast.NEWEST_OPSET
            plain = self.ask(payload, **cast, shape=[6])
            self.assertEqual(plain[0], "ok", plain)
            self.assert_as_plain(cast, payload, plain[1], features)
            if "chain" in features:
                chain = {"op": "chain", "dtypes": [source, target, target, target]}
                chain |= {"attributes": [{}] * 3, "opset": cast["opset"], "shape": [6]}
                self.assertEqual(self.ask(payload, **chain), plain)
                if "chain-castlike" in features:
                    like = chain | {"operators": ["cast", "castlike", "castlike"], "opset": 19}
                    self.assertEqual(self.ask(payload, **like), plain)
        if "chain-bitcast" in features:
            chain = {"op": "chain", "dtypes": ["int64", "float32", "int32", "int64"]}
            chain |= {"attributes": [{}] * 3, "operators": ["cast", "bitcast", "cast"]}
            newest = array_cast.NEWEST_OPSET if name in ARRAY_LIBRARIES else cast_model.BITCAST_OPSET
            chain |= {"opset": newest, "shape": [2]}
            got = self.ask(struct.pack("<2q", 1, -2), **chain)
            self.assertEqual(got, ("ok", struct.pack("<2q", 0x3F800000, 0xC0000000 - 2**32).hex()))

    def assert_as_plain(self, cast: dict, payload: bytes, expected: str, features: set[str]):
        """Asserts the plain answer in every shape and layout, and with a constant input."""
        size, out = len(payload) // 6, len(expected) // 6
        if "shapes" in features:
            self.assertEqual(self.ask(payload, **cast, shape=[1, 3, 1, 2, 1]), ("ok", expected))
            self.assertEqual(self.ask(payload[:size], **cast, shape=[]), ("ok", expected[:out]))
            self.assertEqual(self.ask(b"", **cast, shape=[2, 0, 3]), ("ok", ""))
        for layout in features.intersection(LAYOUTS):
            rows, answer = payload, expected
            if layout == "broadcast":
                rows, answer = payload[: 3 * size] * 2, expected[: 3 * out] * 2
            for shape in ([2, 3], [0, 3], [2, 0]):
                count = math.prod(shape)
                due = ("ok", answer if count else "")
                got = self.ask(rows if count else b"", **cast, shape=shape, layout=layout)
                self.assertEqual(got, due, (cast, layout, shape))
        if "constant" in features:
            for shape in ([6], [2, 3]):
                got = self.ask(payload, **cast, shape=shape, input="constant")
                self.assertEqual(got, ("ok", expected), cast)
            if "shapes" in features:
                got = self.ask(payload[:size], **cast, shape=[], input="constant")
                self.assertEqual(got, ("ok", expected[:out]), cast)

    def test_onnxruntime(self):
        for variant in (None, "no-optimisation", "all-optimisations"):
            self.assert_arrangements("onnxruntime", GRAPHS | OPERATORS, variant)

    def test_onnx_reference(self):
        self.assert_arrangements("onnx-reference", GRAPHS | OPERATORS)

    def test_openvino(self):
        self.assert_arrangements("openvino", GRAPHS)
        # A fault of OpenVINO: a constant overflows to infinity but an input to the largest float32.
        cast = {"op": "cast", "from": "float64", "to": "float32", "opset": 13, "shape": [1]}
        payload = struct.pack("<d", 1e300)
        self.assertEqual(self.ask(payload, **cast), ("ok", "ffff7f7f"))
        self.assertEqual(self.ask(payload, **cast, input="constant"), ("ok", "0000807f"))
        chain = {"op": "chain", "dtypes": ["float32", "float16", "float32"], "attributes": [{}, {}]}
        # Another: a cast to float16 and back is dropped, except on processors with AVX512-FP16.
        dropped, computed = f32(1.0001).hex(), f32(1).hex()
        status, answer = self.ask(f32(1.0001), **chain, opset=13, shape=[1])
        self.assertEqual(status, "ok")
        self.assertIn(answer, (dropped, computed))

    def test_onnxruntime_web(self):
        for variant in (None, "no-optimisation", "all-optimisations"):
            self.assert_arrangements("onnxruntime-web", GRAPHS, variant)

    def test_numpy(self):
        self.assert_arrangements("numpy-ml-dtypes", {"shapes", "in-place", *LAYOUTS})
        for layout in ("contiguous", "strided", "reversed", "transposed", "offset"):
            cast = {"op": "cast", "from": "float32", "to": "int32", "opset": 28, "shape": [2, 2]}
            more = {} if layout == "contiguous" else {"layout": layout}
            answer = self.ask(f32(1, 2, -3, 4), **cast | more, inPlace=True)
            self.assertEqual(answer, ("ok", struct.pack("<4i", 1, 2, -3, 4).hex()), layout)

    def test_torch(self):
        self.assert_arrangements("torch", {"shapes", *LAYOUTS} - {"reversed"})

    def test_jax(self):
        self.assert_arrangements("jax", {"chain", "chain-bitcast"})
        self.assert_arrangements("jax", {*GRAPHS, "chain-bitcast", *LAYOUTS}, "exact")

    def test_tensorflow(self):
        self.assert_arrangements("tensorflow", {*GRAPHS, "chain-bitcast", *LAYOUTS})

    def test_mindspore(self):
        self.assert_arrangements("mindspore", {"shapes"})

    def test_mlx(self):
        self.assert_arrangements("mlx", {"shapes", "chain", *LAYOUTS})


GRAPHS = {"shapes", "constant", "chain"}
OPERATORS = {"chain-castlike", "chain-bitcast"}
ARRAY_LIBRARIES = ("numpy-ml-dtypes", "torch", "jax", "tensorflow", "mindspore", "mlx")


class Variants(Asking):
    """A variant reaches the runtime: it decides whether cast chains are eliminated."""

    def through_int8(self, name: str, variant: str | None) -> tuple[str, tuple[str, str]]:
        hello = self.begin_adapter(name, variant)
        chain = {"op": "chain", "dtypes": ["float32", "int8", "float32"], "attributes": [{}, {}]}
        return hello["name"], self.ask(f32(1.5), **chain, opset=25, shape=[1])

    def test_cast_chains(self):
        kept, eliminated = ("ok", f32(1.0).hex()), ("ok", f32(1.5).hex())
        for name in ("onnxruntime", "onnxruntime-web"):
            with self.subTest(name):
                self.assertEqual(self.through_int8(name, None), (name, kept))
                for variant, due in (("no-optimisation", kept), ("all-optimisations", eliminated)):
                    answer = self.through_int8(name, variant)
                    self.assertEqual(answer, (f"{name} {variant}", due))


if __name__ == "__main__":
    unittest.main()
