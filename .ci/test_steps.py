"""Tests of .ci/steps.py."""

import contextlib
import fcntl
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))
import steps


def table(*rows):
    text = ""
    for name, lane, needs, run in rows:
        text += f'[[step]]\nname = "{name}"\nwhat = "w"\nlane = "{lane}"\nneeds = {needs!r}\nrun = """{run}"""\n'
    return steps.read_table(text)


class Table(unittest.TestCase):
    def test_the_table_is_read_and_its_shards_are_all_of_it(self):
        read = steps.read_table(steps.TABLE.read_text())
        for parts in (1, 2, 5):
            names = [name for part in range(parts) for name in steps.shard(read, part + 1, parts, {})]
            self.assertEqual(sorted(names), sorted(read))

    def test_mistakes_of_the_table_are_named(self):
        for rows, said in [
            ([("a", "prove", [], "true"), ("a", "prove", [], "true")], "a is listed twice"),
            ([("a", "prove", ["b"], "true")], "a needs 'b'"),
            ([("a", "walk", [], "true")], "lane 'walk'"),
        ]:
            with self.assertRaisesRegex(ValueError, said):
                table(*rows)

    def test_every_author_is_walked_and_says_what_it_took(self):
        text = steps.TABLE.read_text()
        listed = [name for names in re.findall(r"[.]ci/authors/[{](.*?)[}][.]sh", text) for name in names.split(",")]
        scripts = {path.stem: path.read_text() for path in (steps.ROOT / ".ci" / "authors").glob("*.sh")}
        self.assertEqual(sorted(listed), sorted(set(scripts) - {"common"}))
        self.assertEqual([name for name in listed if "\nlines_written " not in scripts[name]], [])

    def test_a_step_is_run_with_what_it_needs(self):
        read = table(("a", "wait", [], ""), ("b", "prove", ["a"], ""), ("c", "prove", [], ""))
        self.assertEqual([step.name for step in steps.with_needs(read, ["b"])], ["a", "b"])

    def test_nothing_takes_turns_and_no_clock_leaves_anything_out(self):
        text = steps.TABLE.read_text()
        for word in ("$SECONDS", "rev-parse", "$RANDOM", "$(date", "max_total_time"):
            self.assertEqual(text.count(word), 0, word)


class Locks(unittest.TestCase):
    @unittest.skipUnless(steps.folders_of_locks(), "no apt-get to lock")
    def test_one_apt_get_waits_for_another(self):
        (folder,) = steps.folders_of_locks()
        with tempfile.TemporaryDirectory() as temporary:
            environment = os.environ | {"TMPDIR": temporary, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
            lock = Path(temporary) / "castproof-apt-get.lock"
            with lock.open("w") as held:
                fcntl.flock(held, fcntl.LOCK_EX)
                second = subprocess.Popen(["apt-get", "--version"], env=environment, stdout=subprocess.DEVNULL)
                with self.assertRaises(subprocess.TimeoutExpired):
                    second.wait(timeout=0.5)
            self.assertEqual(second.wait(timeout=60), 0)


class Python(unittest.TestCase):
    def test_the_python_of_the_steps_is_the_one_that_runs_them(self):
        with tempfile.TemporaryDirectory() as folder:
            python = steps.folder_of_python(Path(folder)) / "python3"
            program = "import sys; print(sys.executable, sys.argv[1:])"
            said = subprocess.run([python, "-c", program, "two words"], check=True, text=True, stdout=subprocess.PIPE).stdout
        self.assertEqual(said, f"{os.path.realpath(sys.executable)} ['two words']\n")


class LastLines(unittest.TestCase):
    def test_a_full_disk_and_what_failed_are_said(self):
        read = table(("a", "prove", [], "echo no room; false"))
        with tempfile.TemporaryDirectory() as folder:
            output = io.TextIOWrapper(io.BytesIO())
            with (
                mock.patch.object(steps, "RESULTS", Path(folder) / "target" / "ci"),
                mock.patch.object(steps, "read_table", lambda _: read),
                mock.patch.object(steps, "gigabytes_free", lambda: 0.5),
                mock.patch.object(sys, "argv", [".ci/run"]),
                contextlib.redirect_stdout(output),
                self.assertRaises(SystemExit),
            ):
                steps.main()
            output.seek(0)
            said = output.read()
        self.assertRegex(said, r"the disk may be too small: .* [0-9]+ GB of disk, and 0\.5 GB are free")
        self.assertRegex(said, r"FAILED after .*: a; the disk was full, with 0\.5 GB free at the least")
        self.assertRegex(said, r"processor[^$]*-- how a ended:\n[^$]*no room\n[^$]*FAILED")


class Runs(unittest.TestCase):
    def run_all(self, *rows, keep_going=False):
        read = list(table(*rows).values())
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(steps, "RESULTS", Path(folder)):
            output = io.TextIOWrapper(io.BytesIO())
            with contextlib.redirect_stdout(output):
                passed = steps.Run(read, keep_going, 2).all()
                missing = steps.not_tested(read)
            output.seek(0)
            return passed, read, output.read(), missing

    def test_a_step_runs_after_what_it_needs(self):
        passed, read, _, _ = self.run_all(("a", "wait", [], "sleep 0.5"), ("b", "prove", ["a"], "true"))
        self.assertTrue(passed)
        self.assertGreaterEqual(read[1].began, read[0].began + read[0].seconds)

    def test_a_failure_ends_the_run_and_says_what_failed(self):
        passed, read, said, _ = self.run_all(
            ("a", "prove", [], "echo the reason; false"), ("b", "prove", ["a"], "true"), ("c", "wait", [], "sleep 60")
        )
        self.assertFalse(passed)
        self.assertIn("FAILED with status 1", said)
        self.assertIn("the reason", said)
        self.assertIsNone(read[1].status)

    def test_a_pipe_and_an_unset_variable_fail(self):
        for run in ("false | true", "echo $NO_SUCH_VARIABLE"):
            self.assertFalse(self.run_all(("a", "prove", [], run))[0], run)

    def test_where_the_run_goes_on_what_needs_a_failed_step_does_not_run(self):
        passed, read, _, _ = self.run_all(
            ("a", "prove", [], "false"), ("b", "prove", ["a"], "true"), ("c", "prove", [], "true"), keep_going=True
        )
        self.assertFalse(passed)
        self.assertEqual([step.status for step in read], [1, None, 0])

    def test_a_run_that_goes_on_says_what_has_failed(self):
        with mock.patch.object(steps, "SECONDS_BETWEEN_SIGNS_OF_LIFE", 0):
            _, _, said, _ = self.run_all(
                ("a", "prove", [], "false"), ("c", "wait", [], "sleep 0.5"), ("b", "wait", ["c"], "true"), keep_going=True
            )
        self.assertRegex(said, "-- after .*: c .*; 1 steps wait; .*; FAILED: a\n")

    def test_what_is_not_tested_is_named_once(self):
        _, _, _, missing = self.run_all(
            ("a", "prove", [], "echo 'not run: a GPU'"), ("b", "prove", [], "echo 'not run: a GPU'; echo 'not run: Go'")
        )
        self.assertEqual(sorted(missing), ["Go", "a GPU"])


if __name__ == "__main__":
    unittest.main()
