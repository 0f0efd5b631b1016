"""Tests that the faults of `upstream/` still stand, each by its script in the environment of its adapter.

A script ends with status 1 and prints what `issue.md` shows. One whose environment is not installed is skipped by name.
"""

import re
import subprocess
import sys
import unittest
from pathlib import Path

from test_adapters import ADAPTERS, adapter_command

UPSTREAM = ADAPTERS.parent / "upstream"
LONGEST = 15  # lines of a script
SECTIONS = ["Asked", "Got, and expected", "By which text", "Versions tried", "Reported"]


def adapter_of(folder: Path) -> str:
    """Returns the adapter after which a folder is named."""
    names = [path.parent.name for path in ADAPTERS.glob("*/adapter.toml")]
    return max((name for name in names if folder.name.startswith(f"{name}-")), key=len)


def shown(folder: Path) -> str:
    """Returns what `issue.md` says that the script prints."""
    (block,) = re.findall(r"^```text\n(.*?)^```", (folder / "issue.md").read_text(), re.DOTALL | re.MULTILINE)
    return block


class Upstream(unittest.TestCase):
    """Runs each script."""

    def reproduce(self, folder: Path):
        adapter = adapter_of(folder)
        command = adapter_command(adapter)
        # setup.sh writes the copy of the requirements last. The environment of this process is there.
        stamp = Path(command[0]).parent.parent / "requirements.txt" if command else None
        if stamp is None or not (command[0] == sys.executable or stamp.is_file()):
            self.skipTest(f"{folder.name}: {adapter} is not installed: ./setup.sh --adapters {adapter}")
        script = folder / "reproduce.py"
        done = subprocess.run([command[0], script], capture_output=True, text=True, timeout=600)
        self.assertNotEqual(done.returncode, 0, f"{folder.name}: the fault is gone; see upstream/README.md")
        # A script that fails by an exception ends with 1, too.
        self.assertEqual((done.returncode, done.stdout), (1, shown(folder)), done.stderr[-2000:])

    def test_every_folder_has_what_its_reader_needs(self):
        self.assertGreaterEqual(len(FOLDERS), 8)
        bugs = (ADAPTERS.parent / "docs/bugs.md").read_text()
        for folder in FOLDERS:
            self.assertEqual({path.name for path in folder.iterdir()}, {"issue.md", "reproduce.py"})
            self.assertLessEqual(len((folder / "reproduce.py").read_text().splitlines()), LONGEST, folder.name)
            titles = re.findall(r"^## (.*)$", (folder / "issue.md").read_text(), re.MULTILINE)
            self.assertEqual(titles, SECTIONS, folder.name)
            self.assertIn(f"upstream/{folder.name}", bugs, "docs/bugs.md does not lead to it")


def test_of(folder: Path):
    """Returns the test of one folder."""
    return lambda self: self.reproduce(folder)


FOLDERS = sorted(path for path in UPSTREAM.iterdir() if path.is_dir() and path.name[0] not in "._")
for entry in FOLDERS:
    setattr(Upstream, f"test_{entry.name.replace('-', '_')}", test_of(entry))


if __name__ == "__main__":
    unittest.main()
