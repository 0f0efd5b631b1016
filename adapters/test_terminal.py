"""What the program shows on a terminal while it works: a bar of a long check.

`CASTPROOF` names the program; by default it is the development build.
"""

import os
import pty
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CASTPROOF = os.environ.get("CASTPROOF", str(ROOT / "target/debug/castproof"))


def on_terminal(*words):
    """Runs the program with standard error on a terminal. Returns its status and both outputs."""
    ours, theirs = pty.openpty()
    run = subprocess.Popen([CASTPROOF, *words], stdout=subprocess.PIPE, stderr=theirs, cwd=ROOT)
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 1 << 16):
            shown += piece
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    out, _ = run.communicate()
    return run.returncode, out.decode(), shown.decode()


class Terminal(unittest.TestCase):
    def test_a_check_of_a_certificate_shows_how_far_it_is(self):
        words = ["certify", "verify", "vectors/certificates/builtin.json", "--from", "float32", "--to", "int8"]
        status, out, shown = on_terminal(*words)
        self.assertEqual(status, 0, shown)
        self.assertRegex(shown, r"\d+/\d+ chunks")
        # In a log, where there is no bar, a line says what is being done.
        self.assertIn("requests are derived again", out.splitlines()[0])


if __name__ == "__main__":
    unittest.main()
