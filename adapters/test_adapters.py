"""Tests the adapters: real processes that speak the real protocol.

Run with `.venv/bin/python -m unittest discover adapters` from the root of the repository.
"""

import json
import os
import struct
import subprocess
import sys
import tomllib
import unittest
from pathlib import Path

import array_cast
import castproof_testee
from castproof_testee import Attributes, Request, Unsupported

ADAPTERS = Path(__file__).resolve().parent
WAIT = 300  # seconds, after which a testee counts as hanging
NUMERIC = tuple(castproof_testee.ELEMENT_BITS)


# A testee that prints, from Python and below it, as a careless library would.
NOISY_TESTEE = """
import os, castproof_testee
stream = castproof_testee.claim_stdio()
def cast(request, payload):
    print("noise from Python", flush=True)
    os.write(1, b"noise from below")
    if request.opset == 15:
        raise ValueError("\\udc00" + "x" * 5000 + "\\n" + "second line")
    if request.opset == 16:
        raise castproof_testee.Unsupported("cannot") from TypeError("no such types")
    return payload if request.opset == 13 else payload + bytes(1)
castproof_testee.serve(stream, "noisy", "0", cast)
"""


def adapter_command(name: str, variant: str | None = None) -> list[str] | None:
    """Returns the command of an adapter; None if its Python environment is not installed.

    With CASTPROOF_OWN_ENVIRONMENTS=0 those that have an environment of their own count as not installed: .ci/run tests them in
    a step of its own.
    """
    adapter = tomllib.loads((ADAPTERS / name / "adapter.toml").read_text())
    command = adapter["command"] + (adapter["variants"][variant]["args"] if variant else [])
    if command[0] != "python":
        return command
    own = ADAPTERS.parent / adapter["venv"] / "bin/python"
    if adapter["venv"] != ".venv" and os.environ.get("CASTPROOF_OWN_ENVIRONMENTS") == "0":
        return None
    python = sys.executable if adapter["venv"] == ".venv" else str(own)
    return [python, *command[1:]] if Path(python).is_file() else None


class Testee:
    """A testee as a process, started as the gate starts it."""

    def __init__(self, command: list[str], folder: Path, stderr=None):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=pipe, stdout=pipe, stderr=stderr
        )
        self.seq = 0

    def close(self) -> int:
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(timeout=WAIT)

    def send(self, message: dict | bytes, payload: bytes = b"") -> None:
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n" + payload)
        self.process.stdin.flush()

    def receive(self) -> tuple[dict, bytes]:
        header = json.loads(self.process.stdout.readline())
        return header, self.process.stdout.read(header.get("bytes", 0))

    def ask(self, source, target, opset, payload, shape, op="cast", **attributes):
        """Sends one cast; returns the status, and the output in hex or the message."""
        self.seq += 1
        header = {"seq": self.seq, "op": op, "from": source, "to": target, "opset": opset}
        header |= {"shape": shape, "bytes": len(payload)} | attributes
        self.send(header, payload)
        answer, output = self.receive()
        assert answer["seq"] == self.seq, answer
        return (answer["status"], output.hex() if answer["status"] == "ok" else answer["message"])

    def supported(self, opset: int, op: str = "cast") -> dict[str, int]:
        """Casts three zero codes for every numeric pair; returns the number of each status."""
        counts = {}
        for source in NUMERIC:
            size = -(-3 * castproof_testee.ELEMENT_BITS[source] // 8)
            for target in NUMERIC:
                status, _ = self.ask(source, target, opset, bytes(size), [3], op=op)
                counts[status] = counts.get(status, 0) + 1
        return counts


class Modules(unittest.TestCase):
    def test_the_folder_of_an_adapter_is_no_module(self):
        """A library that looks for PyTorch, as Ray looks for `pyarrow`, does not find the folder `torch`."""
        folders = [path.parent.name for path in ADAPTERS.glob("*/adapter.toml")]
        self.assertIn("torch", folders)
        script = "import sys; sys.path.append(sys.argv[1]); import castproof_testee; from importlib.util import find_spec; "
        script += "print([name for name in sys.argv[2:] if find_spec(name)])"
        # Without the packages of this environment.
        command = [sys.executable, "-I", "-S", "-c", script, str(ADAPTERS), *folders]
        found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        self.assertEqual(found, "[]\n")


class AdapterCase(unittest.TestCase):
    """Helpers for tests of an adapter, which a subclass names."""

    name: str

    @classmethod
    def start(cls) -> Testee:
        return Testee(adapter_command(cls.name), ADAPTERS / cls.name)

    @classmethod
    def setUpClass(cls):
        cls.testee = cls.start()
        cls.addClassCleanup(cls.testee.close)

    def ask(self, *request, **more):
        return self.testee.ask(*request, **more)

    def hello(self) -> dict:
        """Returns the hello of a testee that was just started."""
        testee = self.start()
        self.addCleanup(testee.close)
        testee.send({"hello": "castproof-testee/1"})
        return testee.receive()[0]

    def assert_codes(self, expected: str, source, target, opset, payload, shape=None, **more):
        if shape is None:
            shape = [len(payload) * 8 // castproof_testee.ELEMENT_BITS[source]]
        answer = self.ask(source, target, opset, payload, shape, **more)
        self.assertEqual(answer, ("ok", expected))

    def assert_hello(self, package: str, casts: int):
        """Asserts that the hello has the version that is pinned, and lists so many casts."""
        hello = self.hello()
        pins = (ADAPTERS / self.name / "requirements.in").read_text().split()
        self.assertIn(f"{package}=={hello['version']}", pins)
        self.assertEqual(sum(len(row["to"]) for row in hello["casts"]), casts)

    def assert_layouts(self, third: float = 30.0, code: str = "1e"):
        """Asserts that numbers are cast in every layout, as scalars and in empty tensors. `code` is `third` as int8."""
        f32 = floats("f")
        for layout in ("contiguous", *castproof_testee.LAYOUTS):
            values = (1.5, -2.7, 1.5, -2.7) if layout == "broadcast" else (1.5, -2.7, third, -1.0)
            due = "01fe01fe" if layout == "broadcast" else f"01fe{code}ff"
            self.assert_codes(due, "float32", "int8", 28, f32(*values), [2, 2], layout=layout)
        self.assert_codes("01", "float64", "bool", 28, floats("d")(0.25), [])
        self.assert_codes("", "bfloat16", "uint64", 28, b"", [0, 3])

    def assert_texts(self, expected: list[str], source, opset, payload, shape=None, **more):
        """Asserts the result of a cast to string."""
        shape = shape if shape is not None else [len(expected)]
        status, output = self.ask(source, "string", opset, payload, shape, **more)
        self.assertEqual(status, "ok", output)
        self.assertEqual(json.loads(bytes.fromhex(output)), expected)

    def assert_refused(self, text: str, source, target, opset, payload, **more):
        size = [len(payload) * 8 // castproof_testee.ELEMENT_BITS[source]]
        status, message = self.ask(source, target, opset, payload, size, **more)
        self.assertEqual(status, "unsupported", message)
        self.assertIn(text, message)
        self.assertNotIn("\n", message)


class Common:
    """Tests that run once for each adapter; not a TestCase, so that it does not run by itself."""

    def test_hello_and_bye(self):
        testee = self.start()
        testee.send({"hello": "castproof-testee/1"})
        answer, _ = testee.receive()
        self.assertEqual(answer["hello"], "castproof-testee/1")
        self.assertEqual((answer["name"], answer["language"]), (self.name, "python"))
        pins = (ADAPTERS / "requirements.in").read_text().split()
        self.assertIn(f"{self.name.split('-')[0]}=={answer['version']}", pins)
        testee.send({"bye": True})
        self.assertEqual(testee.process.stdout.read(), b"")
        self.assertEqual(testee.close(), 0)

    def test_end_of_input_ends_the_testee(self):
        self.assertEqual(self.start().close(), 0)

    def test_bad_requests_are_errors_and_the_testee_goes_on(self):
        good = {"seq": 7, "op": "cast", "from": "bool", "to": "int8", "opset": 13}
        good |= {"shape": [2], "bytes": 2}
        for changed, text in (
            ({"from": "float7"}, "unknown dtype 'float7'"),
            ({"shape": [3]}, "takes 3 bytes, not 2"),
            ({"shape": [-2]}, "sizes of 0 or more"),
            ({"opset": "13"}, "'opset' is \"13\""),
            ({"opset": 0}, "opset is 0"),
            ({"saturate": True}, "'saturate' is true"),
        ):
            self.testee.send(good | changed, b"\x01\x00")
            answer, _ = self.testee.receive()
            self.assertEqual((answer["seq"], answer["status"]), (7, "error"), answer)
            self.assertIn(text, answer["message"])
        self.testee.send(b"not json")
        answer, _ = self.testee.receive()
        self.assertEqual(answer["status"], "error")
        self.testee.send(good, b"\x01\x00")
        answer = {"seq": 7, "status": "ok", "bytes": 2}
        self.assertEqual(self.testee.receive(), (answer, b"\x01\x00"))

    def test_known_results_that_both_runtimes_get_right(self):
        f32, f64 = floats("f"), floats("d")
        self.assert_codes("7e", "float32", "float8e4m3fn", 19, f32(464.0))
        self.assert_codes("7eff", "float32", "float8e4m3fn", 19, f32(464.0, -464.1), saturate=0)
        self.assert_codes("7e7e", "float32", "float8e4m3fn", 19, f32(464.0, 1e9), saturate=1)
        self.assert_codes("00003a02", "float64", "float16", 13, f64(0.0, 3.4e-5))
        self.assert_codes("0000803f00000000", "bool", "float32", 13, b"\x01\x00")
        self.assert_codes("0040007c", "int64", "float16", 13, struct.pack("<2q", 2, 1 << 40))
        self.assert_codes("0000803f0000c0ff", "bfloat16", "float32", 13, b"\x80\x3f\xc0\xff")
        self.assert_codes("c8", "int16", "int8", 13, b"\xc8\x00")
        self.assert_codes("0080ff7f", "int64", "int16", 6, struct.pack("<2q", -32768, 32767))
        self.assert_codes("0000803f0000c0bf", "float64", "float32", 9, f64(1.0, -1.5))
        self.assert_codes("7e", "float32", "float8e4m3fn", 19, f32(464.0), op="castlike")
        self.assert_codes("80", "float32", "float8e8m0", 24, f32(1.25))
        self.assert_codes("7f", "float32", "float8e8m0", 24, f32(1.25), roundMode="down")
        self.assert_codes("803f", "float8e8m0", "bfloat16", 24, b"\x7f")

    def test_packed_elements_go_in_and_out(self):
        # int4 1, -1, 7 are f1 07; uint2 0, 1, 2, 3, 1 are e4 01.
        self.assert_codes("01ff07", "int4", "int8", 21, b"\xf1\x07", [3])
        self.assert_codes("f107", "int8", "int4", 21, b"\x01\xff\x07")
        self.assert_codes("0001020301", "uint2", "uint8", 25, b"\xe4\x01", [5])
        self.assert_codes("e401", "uint8", "uint2", 25, b"\x00\x01\x02\x03\x01")

    def test_every_shape(self):
        one = struct.pack("<f", 1.0)
        self.assert_codes("", "float32", "float8e4m3fn", 19, b"", [0])
        self.assert_codes("", "int4", "int8", 21, b"", [2, 0, 3])
        self.assert_codes("003c", "float32", "float16", 13, one, [])
        self.assert_codes("003c" * 6, "float32", "float16", 13, one * 6, [1, 2, 3])

    def test_strings_go_in_and_out(self):
        # A NUL, quotes, a line end, characters beyond ASCII and 16 bits, a text like a code.
        strings = ["", "a\0b", '"\\', "1\n", "\u00e9\uff11", "\U0001f600", "0x10", "7" * 100_000]
        self.assert_texts(strings, "string", 13, texts(*strings))
        self.assert_texts(["a"] * 6, "string", 13, texts(*"aaaaaa"), [1, 2, 3])
        self.assert_texts(["a"], "string", 13, texts("a"), [])
        self.assert_texts([], "string", 13, texts(), [2, 0])
        self.assert_texts(["a"], "string", 15, texts("a"), op="castlike")
        self.assert_texts(["-7", "0"], "int8", 9, b"\xf9\x00")
        self.assert_texts(["1.5"], "float64", 13, floats("d")(1.5), op="cast")
        payload = texts("1.5", "-2", "1." + "0" * 100_000)
        self.assert_codes("0000c03f000000c00000803f", "string", "float32", 9, payload, [3])
        self.assert_codes("0700f9ff", "string", "int16", 13, texts("7", "-7"), [2, 1])
        self.assert_codes("07", "string", "int8", 15, texts("7"), [1], op="castlike")

    def test_texts_that_are_no_numerals_are_errors_and_the_testee_goes_on(self):
        for text in ("Hello World!", "", "-", "\udc00"):
            payload = json.dumps([text]).encode()  # JSON can write half of a surrogate pair
            status, message = self.ask("string", "float32", 13, payload, [1])
            self.assertEqual(status, "error", message)
            self.assertNotIn("\n", message)
        self.assert_codes("0000803f", "string", "float32", 13, texts("1"), [1])

    def test_payloads_that_are_no_strings_are_bad_requests(self):
        for payload, text in (
            (b"1,2", "JSON array"),
            (b"\xff", "JSON array"),
            (b'["1"', "JSON array"),
            (b"[1]", "of strings and nothing else"),
            (b'{"0":"1"}', "of strings and nothing else"),
            (b"[" * 100_000, "JSON array"),
            (b'["1","2"]', "shape [1] of string takes 1 strings, not 2"),
            (b'["\\ud800"]', "not a Unicode text"),
        ):
            status, message = self.ask("string", "string", 13, payload, [1])
            self.assertEqual(status, "error", payload[:20])
            self.assertRegex(message, "^bad request: ")
            self.assertIn(text, message)


class Dtypes(unittest.TestCase):
    """The dtypes that every adapter reads."""

    def test_widths_are_those_of_the_data(self):
        data = json.loads((ADAPTERS.parent / "vectors/data/dtypes.json").read_text())
        widths = {dtype["name"]: dtype["bits"] for dtype in data["dtypes"]}
        wrong = "adapters/castproof_testee.py: ELEMENT_BITS differs from vectors/data/dtypes.json"
        self.assertEqual(castproof_testee.ELEMENT_BITS, widths, wrong)


class ArrayLibraries(unittest.TestCase):
    """Tests which attributes a library without attributes accepts."""

    def refusal(self, target, saturate, round_mode=None, saturating=()):
        given = (Attributes(saturate, round_mode),)
        request = Request("cast", ("float32", target), given, 28, (1,))
        try:
            array_cast.check_request(request, saturating)
        except Unsupported as error:
            return str(error)

    def test_a_cast_is_asked_for_the_one_overflow_that_it_has(self):
        never, always = "float8e5m2", "float8e4m3fn"
        self.assertIsNone(self.refusal(never, 0, saturating=[always]))
        self.assertIn("no cast", self.refusal(never, 1, saturating=[always]))
        self.assertIn("no cast", self.refusal(never, None, saturating=[always]))
        self.assertIn("every cast", self.refusal(always, 0, saturating=[always]))
        self.assertIsNone(self.refusal(always, 1, saturating=[always]))
        self.assertIsNone(self.refusal("float16", None))

    def test_the_targets_of_saturate_are_those_of_the_vectors(self):
        heeded = set()
        for target in NUMERIC:
            path = ADAPTERS.parent / f"vectors/data/cast/float32__{target}.json"
            for group in json.loads(path.read_text())["groups"]:
                flags = set.union(*(set(test["flags"]) for test in group["tests"]))
                if "saturate" in group["attributes"] and not flags & {"ignored-attribute", "refused"}:
                    heeded.add(target)
        lacks = "adapters/array_cast.py: WITH_SATURATE differs from the vectors"
        self.assertEqual(set(array_cast.WITH_SATURATE), heeded, lacks)

    def test_float8e8m0_is_rounded_to_nearest_only(self):
        self.assertIsNone(self.refusal("float8e8m0", 0, "nearest"))
        self.assertIn("'up'", self.refusal("float8e8m0", 0, "up"))


class Framing(unittest.TestCase):
    """The protocol itself, with a testee that needs no runtime."""

    def setUp(self):
        command = [sys.executable, "-c", NOISY_TESTEE]
        self.testee = Testee(command, ADAPTERS, stderr=subprocess.DEVNULL)
        self.addCleanup(self.testee.close)

    def test_what_a_library_prints_stays_out_of_the_stream(self):
        for _ in range(3):
            self.assertEqual(self.testee.ask("int8", "int8", 13, b"ab", [2]), ("ok", "6162"))

    def test_questions_are_unsupported_where_none_is_answered(self):
        for op in castproof_testee.QUESTIONS:
            self.testee.send({"seq": 3, "op": op, "bytes": 2}, b"ab")
            answer, _ = self.testee.receive()
            self.assertEqual((answer["seq"], answer["status"]), (3, "unsupported"), answer)

    def test_an_output_of_the_wrong_size_is_an_error(self):
        status, message = self.testee.ask("int8", "int8", 14, b"ab", [2])
        self.assertEqual(status, "error")
        self.assertIn("returned 3 bytes where shape [2] of int8 takes 2", message)

    def test_strings_come_only_to_who_takes_them(self):
        for source, target, payload in (("string", "int8", b'["1"]'), ("int8", "string", b"1")):
            status, message = self.testee.ask(source, target, 13, payload, [1])
            self.assertEqual((status, message), ("unsupported", "the adapter carries no strings"))

    def test_a_message_is_one_line_of_unicode_however_long_and_broken_its_cause(self):
        status, message = self.testee.ask("int8", "int8", 15, b"a", [1])
        self.assertEqual(status, "error")
        self.assertEqual(message, "ValueError: ?" + "x" * 999)

    def test_what_python_takes_for_a_wrong_call_is_never_unsupported(self):
        answer = self.testee.ask("int8", "int8", 16, b"a", [1])
        self.assertEqual(answer, ("error", "TypeError: no such types"))

    def test_a_message_cut_short_ends_the_testee(self):
        header = {"seq": 1, "op": "cast", "from": "int8", "to": "int8", "opset": 13}
        self.testee.send(header | {"shape": [9], "bytes": 9}, b"abc")
        self.testee.process.stdin.close()
        self.assertEqual(self.testee.process.stdout.read(), b"")
        self.assertEqual(self.testee.process.wait(timeout=WAIT), 0)


# Where the adapters without a class of their own in this file are tested. Their runtimes are large,
# or not for Python.
TESTED_ELSEWHERE = {
    "burn": "adapters/test_tensors.py",
    "candle": "adapters/test_tensors.py",
    "cc": "adapters/test_compiled.py",
    "cuda": "adapters/test_compiled.py",
    "cuda-host": "adapters/test_compiled.py",
    "datafusion": "adapters/test_arrow.py",
    "duckdb": "adapters/test_arrow.py",
    "gguf": "adapters/test_gguf.py",
    "iree": "adapters/test_iree.py",
    "jax": "adapters/test_runtimes.py",
    "js-float16": "adapters/test_js_float16.py",
    "mindspore": "adapters/test_runtimes.py",
    "mlx": "adapters/test_mlx.py",
    "ncnn": "adapters/test_ncnn.py",
    "numpy-ml-dtypes": "adapters/test_runtimes.py",
    "onnxruntime-web": "adapters/test_runtimes.py",
    "opencv": "adapters/test_opencv.py",
    "openvino": "adapters/test_runtimes.py",
    "paddle": "adapters/test_paddle.py",
    "polars": "adapters/test_arrow.py",
    "pyarrow": "adapters/test_arrow.py",
    "rust-crates": "adapters/rust-crates/tests/casts.rs",
    "tensorflow": "adapters/test_runtimes.py",
    "tinygrad": "adapters/test_tinygrad.py",
    "torch": "adapters/test_runtimes.py",
    "torchao": "adapters/test_torchao.py",
    "tosa-reference": "adapters/test_tosa.py",
    "tract": "adapters/test_tract.py",
    "triton-interpreter": "adapters/test_triton.py",
    "wgpu": "adapters/test_wgpu.py",
}


class Adapters(unittest.TestCase):
    """Every adapter is tested somewhere."""

    def test_every_adapter_is_listed_here(self):
        folders = {path.parent.name for path in ADAPTERS.glob("*/adapter.toml")}
        cases = AdapterCase.__subclasses__()
        here = {case.name for case in cases if case.__module__ == __name__}
        self.assertEqual(here & set(TESTED_ELSEWHERE), set(), "listed twice")
        lacks = "adapters/test_adapters.py: give it a class, or a line in TESTED_ELSEWHERE"
        self.assertEqual(folders, here | set(TESTED_ELSEWHERE), lacks)

    def test_where_each_is_tested_it_is_named(self):
        for name, place in TESTED_ELSEWHERE.items():
            text = (ADAPTERS.parent / place).read_text()
            named = f'"{name}"' in text or place.startswith(f"adapters/{name}/")
            self.assertTrue(named, f"{place} does not name {name}")


class OnnxRuntime(Common, AdapterCase):
    name = "onnxruntime"

    def test_its_own_results(self):
        f32 = floats("f")
        # Casts to 4 bits round half away from zero: 3.7 -> 4, 2.5 -> 3, -0.5 -> -1.
        self.assert_codes("340f", "float32", "int4", 21, f32(3.7, 2.5, -0.5))
        # A known fault: float64 goes through float32, and 1 + 2^-11 + 2^-40 is rounded twice.
        self.assert_codes("003c", "float64", "float16", 13, floats("d")(1 + 2**-11 + 2**-40))
        # A known fault: a Cast-13 node may name a type that Cast-13 does not have.
        self.assert_codes("38", "float32", "float8e4m3fn", 13, f32(1.0))

    def test_strings_and_dtypes_that_numpy_does_not_know(self):
        self.assert_texts(["a\0", "\0"], "string", 13, texts("a\0", "\0"))
        self.assert_codes("c03f", "string", "bfloat16", 13, texts("1.5"), [1])
        self.assert_codes("387e", "string", "float8e4m3fn", 19, texts("1", "1000"), [2])
        self.assert_texts(["1.5"], "bfloat16", 13, b"\xc0\x3f")
        self.assert_texts(["1", "-1", "7"], "int4", 21, b"\xf1\x07")

    def test_what_it_lacks_is_unsupported(self):
        f32 = floats("f")(1.0)
        self.assert_refused("Could not find an implementation", "float32", "float4e2m1", 23, f32)
        self.assert_refused("Could not find an implementation", "float32", "float16", 1, f32)
        self.assert_refused("IR version", "float32", "float6e2m3", 28, f32)
        self.assert_refused("Opset 27 is under development", "float32", "float16", 27, f32)

    def test_what_a_version_does_not_have_is_unsupported(self):
        f32 = floats("f")(1.0)
        self.assert_refused("saturate", "float32", "float16", 13, f32, saturate=1)
        self.assert_refused("float8e4m3fn", "float8e4m3fn", "float32", 13, b"\x38")
        self.assert_refused("float8e4m3fn", "float32", "float8e4m3fn", 15, f32, op="castlike")

    def test_the_pairs_it_runs(self):
        # Cast-6 to Cast-21 include targets outside the version's type set: see README.md.
        for op, opset, pairs in (
            ("cast", 1, 0),
            ("cast", 6, 252),
            ("cast", 9, 252),
            ("cast", 13, 273),
            ("cast", 19, 357),
            ("cast", 21, 399),
            ("cast", 23, 399),
            ("cast", 24, 440),
            ("cast", 25, 484),
            ("cast", 28, 0),
            ("castlike", 15, 169),
            ("castlike", 25, 484),
        ):
            counts = self.testee.supported(opset, op)
            expected = {"ok": pairs, "unsupported": len(NUMERIC) ** 2 - pairs}
            self.assertEqual({"ok": 0} | counts, expected, (op, opset))


class OnnxReference(Common, AdapterCase):
    name = "onnx-reference"

    def test_its_own_results(self):
        f32 = floats("f")
        self.assert_codes("230f", "float32", "int4", 21, f32(3.7, 2.5, -1.5))
        self.assert_codes("013c", "float64", "float16", 13, floats("d")(1 + 2**-11 + 2**-40))
        self.assert_codes("42", "float32", "float4e2m1", 23, f32(1.0, 2.0))
        # float6e2m3 1, 2, 7.5, -1 are the codes 08 10 1f 28 in 24 bits, the first lowest.
        self.assert_codes("08f4a1", "float32", "float6e2m3", 28, f32(1.0, 2.0, 7.5, -1.0))

    def test_what_it_fails_in_is_an_error(self):
        f32 = floats("f")(1.0)
        # Cast-1 names the type in a string, which the evaluator takes for a number.
        status, message = self.ask("float32", "int32", 1, f32, [1])
        self.assertEqual((status, message), ("error", "KeyError: 'INT32'"))
        more = {"op": "castlike", "roundMode": "up"}
        status, message = self.ask("float32", "float8e8m0", 24, f32, [1], **more)
        self.assertEqual(status, "error")
        self.assertIn("unexpected keyword argument 'round_mode'", message)
        # The operator has this cast, but numpy says by a TypeError that it does not have it.
        status, message = self.ask("int4", "uint4", 21, b"\x21", [2])
        self.assertEqual(status, "error")
        self.assertIn("TypeError: Cannot cast array data", message)

    def test_it_knows_no_type_sets(self):
        self.assert_codes("38", "float32", "float8e4m3fn", 13, floats("f")(1.0))

    def test_the_pairs_it_runs(self):
        # No operator version refuses a dtype; 21 pairs fail in numpy. Cast-1 has its own fault.
        for op, opset in (("cast", 6), ("cast", 13), ("cast", 28), ("castlike", 25)):
            self.assertEqual(self.testee.supported(opset, op), {"ok": 604, "error": 21}, (op, opset))


def texts(*strings: str) -> bytes:
    """Returns the payload of strings."""
    return json.dumps(strings).encode()


def floats(kind: str):
    """Returns a packer of little-endian floats: `f` for float32, `d` for float64."""
    return lambda *values: struct.pack(f"<{len(values)}{kind}", *values)


if __name__ == "__main__":
    unittest.main()
