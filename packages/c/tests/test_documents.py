"""Runs what the README says, as it stands, beside the unpacked archive. Other pages have the same first lines."""

import re
import unittest
from pathlib import Path

from documents import PAGES, blocks, counted, shell


def setUpModule():
    status, said = shell(blocks("sh")[0])
    assert status == 0, said


class Documents(unittest.TestCase):
    maxDiff = None

    def test_the_first_success_is_as_short_as_it_says(self):
        program, commands = blocks("c")[0], blocks("sh")[1]
        self.assertLessEqual(len(program.splitlines()), 5)
        for block in program, commands, *blocks("sh")[:1]:
            self.assertIn(block, PAGES["book"])
        self.assertIn("`castproof_check(", PAGES["repository"])
        Path("test.c").write_text(program)
        status, said = shell(commands)
        self.assertEqual((status, counted(said)), (0, counted(blocks("text")[0])))
        # The library is found from every folder.
        status, said = shell('program=$PWD/test; cd / && "$program"')
        self.assertEqual((status, counted(said)), (0, counted(blocks("text")[0])))

    def test_a_wrong_kernel_is_found_as_the_readme_says(self):
        right = blocks("c")[0]
        wrong = right.replace("(signed char)((const int *)x)[i]", "((const int *)x)[i] < 127 ? ((const int *)x)[i] : 127")
        self.assertNotEqual(right, wrong)
        Path("test.c").write_text(wrong)
        status, said = shell(blocks("sh")[1])
        self.assertEqual(status, 1)
        for line in blocks("text")[1].splitlines():
            if line != "...":
                self.assertIn(line, said.splitlines())

    def test_the_example_passes(self):
        status, said = shell(blocks("sh")[2])
        self.assertEqual(status, 0, said)
        self.assertIn("100% tests passed, 0 tests failed", said)
        example = {path.name: path.read_text() for path in Path("castproof-c/example").iterdir()}
        # The README shows parts of it.
        self.assertIn(blocks("cpp")[0].strip(), example["test_my_cast.cpp"].replace('#include "my_cast.h"\n\n', ""))
        self.assertIn(blocks("cmake")[0].splitlines()[0], example["CMakeLists.txt"])

    def test_the_example_finds_a_wrong_kernel(self):
        kernel = Path("castproof-c/example/my_cast.c")
        right = kernel.read_text()
        try:
            kernel.write_text(right.replace(" + 0x7fff + (bits >> 16 & 1)", ""))
            self.assertNotEqual(kernel.read_text(), right)
            status, said = shell(re.sub(r"(?<= )build\b", "build-wrong", blocks("sh")[2]))
        finally:
            kernel.write_text(right)
        self.assertNotEqual(status, 0)
        self.assertRegex(said, r"0 tests passed|0% tests passed")
        self.assertIn("Cast(28) float32 -> bfloat16", said)
        self.assertIn("expected", said)


if __name__ == "__main__":
    unittest.main()
