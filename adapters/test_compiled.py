"""Tests the adapters that compile their casts: cc, cuda and cuda-host."""

import os
import shutil
import struct
import subprocess
import unittest

from test_adapters import ADAPTERS, AdapterCase, Testee, adapter_command, floats


def failing(name: str, **environment: str) -> str:
    """Returns the one line of an adapter that cannot start."""
    done = subprocess.run(
        adapter_command(name),
        cwd=ADAPTERS / name,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0 and not done.stdout, done
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


class Cc(AdapterCase):
    name = "cc"

    def test_casts_of_c(self):
        f32, f64 = floats("f"), floats("d")
        self.assert_codes("01ff7f80", "float32", "int8", 28, f32(1.9, -1.9, 127.5, -128.0))
        self.assert_codes("010001", "float64", "bool", 28, f64(0.5, -0.0, float("nan")))
        self.assert_codes("c8", "int16", "int8", 28, b"\xc8\x00")
        self.assert_codes("0000804b0100804b", "int32", "float32", 28, struct.pack("<2i", (1 << 24) + 1, (1 << 24) + 2))

    def test_every_tail(self):
        for count in range(70):
            numbers = struct.pack(f"<{count}f", *(place * 1.5 for place in range(count)))
            due = struct.pack(f"<{count}i", *(place * 3 // 2 for place in range(count)))
            self.assert_codes(due.hex(), "float32", "int32", 28, numbers, [count])
            self.assert_codes(due.hex(), "float32", "int32", 28, numbers, [count], layout="offset")

    def test_what_c_lacks_is_unsupported(self):
        self.assert_refused("the hello lists no cast", "float32", "float8e4m3fn", 28, bytes(4))
        self.assert_refused("int4", "int8", "int4", 28, bytes(1))

    def test_flags_are_those_of_the_variant(self):
        for variant, flags in ((None, "-O2"), ("o3", "-O3"), ("native", "-O3 -march=native")):
            testee = Testee(adapter_command(self.name, variant), ADAPTERS / self.name)
            testee.send({"hello": "castproof-testee/1"})
            version = testee.receive()[0]["version"]
            self.assertTrue(version.endswith(f", {flags}"), version)
            self.assertEqual(testee.close(), 0)

    def test_a_compiler_that_fails_is_one_line(self):
        self.assertIn("'no-such-compiler --version' did not start", failing("cc", CC="no-such-compiler"))
        self.assertIn("failed: ", failing("cc", CC="sh -c false"))


@unittest.skipUnless(adapter_command("cuda-host"), "cuda-host is not installed: ./setup.sh --adapters cuda-host")
class CudaHost(AdapterCase):
    name = "cuda-host"

    def test_casts_of_the_headers(self):
        f32 = floats("f")
        self.assert_codes("7e7e7f", "float32", "float8e4m3fn", 28, f32(464.0, 1e9, float("nan")))
        self.assert_codes("7e", "float32", "float8e4m3fn", 28, f32(1e9), saturate=1)
        self.assert_codes("80", "float32", "float8e8m0", 28, f32(1.25))
        # 0.5, 6 and -1 take 4 bits each.
        self.assert_codes("710a", "float32", "float4e2m1", 28, f32(0.5, 6.0, -1.0))
        self.assert_codes("00000038003c", "bfloat16", "float16", 28, b"\x00\x00\x00\x3f\x80\x3f")

    def test_what_the_headers_lack_is_unsupported(self):
        self.assert_refused("saturates", "float32", "float8e4m3fn", 28, bytes(4), saturate=0)
        self.assert_refused("mode 'down'", "float32", "float8e8m0", 28, bytes(4), roundMode="down")
        self.assert_refused("int8", "float32", "int8", 28, bytes(4))

    def test_a_compiler_that_fails_is_one_line(self):
        self.assertIn("did not start", failing("cuda-host", CXX="no-such-compiler"))


if __name__ == "__main__":
    unittest.main()


class CudaWithoutDevice(unittest.TestCase):
    def test_a_compiler_that_fails_is_one_line(self):
        self.assertIn("did not start", failing("cuda", NVCC="no-such-compiler"))


@unittest.skipUnless(shutil.which("nvcc") and shutil.which("nvidia-smi"), "cuda needs a GPU and CUDA's toolkit")
class Cuda(AdapterCase):
    name = "cuda"

    def test_casts_of_the_headers(self):
        f32 = floats("f")
        self.assert_codes("7e7e7f", "float32", "float8e4m3fn", 28, f32(464.0, 1e9, float("nan")))
        self.assert_codes("710a", "float32", "float4e2m1", 28, f32(0.5, 6.0, -1.0))
        self.assert_codes("ffffff7f00000000", "float32", "int32", 28, f32(3e9, float("nan")))

    def test_integers_of_less_than_32_bits_are_the_low_bits(self):
        f32 = floats("f")
        self.assert_codes("2cff00", "float32", "int8", 28, f32(300.0, 3e9, float("nan")))

    def test_every_tail(self):
        for count in range(70):
            numbers = struct.pack(f"<{count}f", *(place * 1.5 for place in range(count)))
            due = struct.pack(f"<{count}i", *(place * 3 // 2 for place in range(count)))
            self.assert_codes(due.hex(), "float32", "int32", 28, numbers, [count])
