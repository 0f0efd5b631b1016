"""Runs what the README says, as it stands, in a module with the unpacked archive. Other pages have the same first lines."""

import re
import unittest
from pathlib import Path

from documents import PAGES, blocks, counted, shell

# What the reader has.
KERNEL = """package mine

import "testing"

"""
TO_INT8 = """
func toInt8(in, out []byte, n int) {
	for i := 0; i < n; i++ {
		out[i] = in[4*i]
	}
}
"""


def said_of(kernel):
    """Writes the test of the README with a kernel, and runs it. Returns the status and what was said."""
    Path("mine_test.go").write_text(KERNEL + blocks("go")[0] + kernel)
    return shell("go test -v .")


def setUpModule():
    status, said = shell("go mod init mine && " + blocks("sh")[0].replace("\n", " && ", 2))
    assert status == 0, said


class Documents(unittest.TestCase):
    def test_the_first_success_is_as_short_as_it_says(self):
        program = blocks("go")[0]
        self.assertLessEqual(len([line for line in program.splitlines() if line]), 5)
        for block in program, blocks("sh")[0]:
            self.assertIn(block, PAGES["book"])
        self.assertIn("docs/go.md", PAGES["repository"])
        status, said = said_of(TO_INT8)
        self.assertEqual(status, 0, said)
        self.assertIn(counted(blocks("text")[0].strip()), counted(said))

    def test_a_wrong_kernel_is_found_as_the_readme_says(self):
        status, said = said_of(TO_INT8.replace("out[i] = in[4*i]", "out[i] = in[4*i] & 0x7f"))
        self.assertEqual(status, 1)
        for line in blocks("text")[1].splitlines():
            if line != "...":
                self.assertRegex(said, rf"(?m)^\s*(mine_test.go:\d+: )?{re.escape(line.strip())}$")


if __name__ == "__main__":
    unittest.main()
