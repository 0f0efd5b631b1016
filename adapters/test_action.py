"""Runs the steps of the GitHub action as a runner does, and the script of docs/ci.md's GitLab example. What the first
step does with a release that is whole, packages/walk.sh runs.

`CASTPROOF` names the program; by default it is the development build.
"""

import contextlib
import hashlib
import os
import platform
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CASTPROOF = os.environ.get("CASTPROOF", str(ROOT / "target/debug/castproof"))
WRONG = ROOT / "gate/tests/testees/wrong.py"
# One pair, so that a run takes a second.
PAIR = "--pair float32:float8e4m3fn --arrangements none"


class Action(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.output, self.summary = self.folder / "output", self.folder / "summary"

    def run_step(self, **inputs):
        """Runs the step with these inputs, in one job: what a step leaves, the next one meets."""
        names = ("TESTEE", "LIBRARY", "ADAPTER", "BASELINE", "ARGUMENTS", "BUILD_FROM_SOURCE")
        variables = dict.fromkeys(names, "") | {"LEVEL": "core", "CASTPROOF": CASTPROOF} | inputs
        for file in (self.output, self.summary):
            file.write_text("")
        runner = {"RUNNER_TEMP": str(self.folder), "GITHUB_OUTPUT": str(self.output)}
        runner["GITHUB_STEP_SUMMARY"] = str(self.summary)
        script = self.folder / "step.sh"
        script.write_text('"$GITHUB_ACTION_PATH/action.sh"\n')
        # As the runner calls a step with `shell: bash`.
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
        environment = os.environ | runner | variables | {"GITHUB_ACTION_PATH": str(ROOT)}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def results(self):
        found = re.search(r"^results=(.*)$", self.output.read_text(), re.MULTILINE)
        return Path(found[1]) if found else None

    def test_a_right_kernel_passes(self):
        run = self.run_step(TESTEE="builtin", ARGUMENTS=PAIR)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue(self.results().is_file())
        self.assertIn("## ✅ castproof", self.summary.read_text())
        self.assertNotIn("::error", run.stdout)

    def test_a_wrong_kernel_fails_and_is_annotated(self):
        run = self.run_step(TESTEE=f"python3 {WRONG}", ARGUMENTS=PAIR)
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("::error", run.stdout)
        self.assertIn("## ❌ castproof", self.summary.read_text())

    def test_a_run_that_cannot_start_publishes_no_other_run(self):
        self.assertEqual(self.run_step(TESTEE="builtin", ARGUMENTS=PAIR).returncode, 0)
        run = self.run_step(TESTEE="no-such-program", ARGUMENTS=PAIR)
        self.assertEqual(run.returncode, 2, run.stdout)
        self.assertIsNone(self.results())
        self.assertEqual(self.summary.read_text(), "")
        annotations = [line for line in run.stdout.splitlines() if line.startswith("::error")]
        self.assertEqual(len(annotations), 1, run.stdout)
        self.assertIn("no-such-program", annotations[0])

    def test_arguments_of_many_lines_are_all_read(self):
        run = self.run_step(TESTEE="builtin", ARGUMENTS=f"{PAIR}\n--jobs\n  many\n")
        self.assertEqual(run.returncode, 2, run.stdout)
        self.assertIn("many", run.stderr)

    def test_patterns_in_arguments_are_no_file_names(self):
        run = self.run_step(TESTEE="builtin", ARGUMENTS=f"{PAIR} --only *")
        self.assertEqual(run.returncode, 2, run.stdout)
        self.assertIn("'*'", run.stderr)


class Install(unittest.TestCase):
    """The step that installs a released wheel, where that cannot be done: one line says why, and nothing is installed."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.release = self.folder / "releases/v0.1.0"
        self.release.mkdir(parents=True)

    def offer(self, wheel, content=b"a wheel", digest=None):
        """Puts a wheel into the release, and its digest, right or wrong."""
        (self.release / wheel).write_bytes(content)
        digest = digest or hashlib.sha256(content).hexdigest()
        (self.release / "SHA256SUMS").write_text(f"{digest}  {wheel}\n")

    def reason(self, **inputs):
        """Runs the step, which must fail. Returns the annotation."""
        variables = {"VERSION": "0.1.0", "BUILD_FROM_SOURCE": "false", "ADAPTER": "", "RUNNER_TEMP": str(self.folder)}
        variables["RELEASES"] = (self.folder / "releases").as_uri()
        script = [str(ROOT / "action-install.sh")]
        environment = os.environ | variables | inputs
        run = subprocess.run(
            script, env=environment, cwd=self.folder, capture_output=True, text=True, check=False
        )
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertFalse((self.folder / "castproof").exists())
        (annotation,) = (line for line in run.stdout.splitlines() if line.startswith("::"))
        self.assertTrue(annotation.startswith("::error"), annotation)
        return annotation

    def test_a_release_that_is_not_there(self):
        self.assertIn("SHA256SUMS of release v9.9.9 cannot be had", self.reason(VERSION="v9.9.9"))

    def test_a_release_without_a_wheel_for_this_machine(self):
        self.offer("castproof-0.1.0-cp311-abi3-manylinux2014_mips.whl")
        self.assertIn(f"release v0.1.0 has no wheel for Linux {platform.machine()}", self.reason())

    def test_a_wheel_that_is_not_the_one_that_is_listed(self):
        wheel = f"castproof-0.1.0-cp311-abi3-manylinux2014_{platform.machine()}.whl"
        self.offer(wheel, digest=hashlib.sha256(b"another wheel").hexdigest())
        self.assertIn(f"{wheel} is not the file that SHA256SUMS", self.reason())

    def test_inputs_are_data(self):
        """An input that holds commands, of the shell, of sed, or of the log, runs none of them."""
        ran = self.folder / "ran"
        hostile = (r"\|.*\)/>ran/e;s/\(", f"$(touch {ran})", "0.1.0\n::warning::told", "..", "0.1.0 ", "-x", "0.1.0%0A")
        self.offer(f"castproof-0.1.0-cp311-abi3-manylinux2014_{platform.machine()}.whl")
        for text in hostile:
            # As if such a release were there, so that a step that looks for it goes on.
            with contextlib.suppress(OSError):
                shutil.copytree(self.release, self.folder / f"releases/v{text}", dirs_exist_ok=True)
            with self.subTest(text):
                annotation = self.reason(VERSION=text)
                self.assertFalse(ran.exists())
                self.assertIn("write it as 0.1.0", annotation)
        for text in ("../../x", "$(id)", "a\n::warning::told"):
            with self.subTest(text):
                self.assertIn("there is no adapter '", self.reason(ADAPTER=text))

    def test_nothing_is_installed_without_a_digest(self):
        """Every package that pip may fetch stands in a list with digests."""
        text = (ROOT / "action-install.sh").read_text()
        installs = re.findall(r"^.*\binstall\b.*$", text, re.MULTILINE)
        pip = [line for line in installs if '"${pip[@]}"' in line]
        self.assertEqual(len(pip), 3, installs)
        self.assertTrue(all("--require-hashes" in line or "--no-deps --no-index" in line for line in pip), pip)

    def test_an_adapter_that_no_wheel_has(self):
        for adapter in ("rust-crates", "no-such-adapter"):
            annotation = self.reason(ADAPTER=adapter)
            self.assertIn(f"no adapter '{adapter}'", annotation)
            self.assertIn("build-from-source: true", annotation)


class GitLab(unittest.TestCase):
    def test_the_script_of_the_example_builds_and_gates_its_testee(self):
        text = (ROOT / "docs/ci.md").read_text()
        example = text[text.index("## GitLab") :]
        lines = re.findall(r"^    - (.*)$", example, re.MULTILINE)
        # What installs programs is left out; every other line runs.
        runs = [line for line in lines if not re.match(r"pip install", line)]
        self.assertGreaterEqual(len(runs), 3, lines)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "kernels").mkdir()
            shutil.copy(ROOT / "adapters/templates/c/testee.c", folder / "kernels/testee.c")
            (folder / "expectations.toml").write_text("")
            bin_folder = folder / "bin"
            bin_folder.mkdir()
            # The example gates every pair; one is enough here.
            program = bin_folder / "castproof"
            program.write_text(
                f'#!/bin/sh\n[ "$1" != gate ] || set -- "$@" --pair uint8:float32\nexec {CASTPROOF} "$@"\n'
            )
            program.chmod(0o755)
            environment = os.environ | {"PATH": f"{bin_folder}:{os.environ['PATH']}"}
            for line in runs:
                run = subprocess.run(
                    ["sh", "-ec", line], cwd=folder, env=environment, capture_output=True, text=True, check=False
                )
                self.assertEqual(run.returncode, 0, f"{line}: {run.stdout[-500:]}{run.stderr}")
            self.assertTrue((folder / "report.html").is_file())
            self.assertTrue((folder / "junit.xml").is_file())


if __name__ == "__main__":
    unittest.main()
