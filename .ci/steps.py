#!/usr/bin/env python3
"""Runs the steps of .ci/steps.toml, each after those that it needs, with up to three lanes at once.

After a failure the run goes on with the steps that do not need the failed one, so that one run shows all that is wrong.
With --fail-fast no further step begins. The last lines are a table of seconds by step, and what was not tested.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / ".ci" / "steps.toml"
# The seconds that each step took on an idle machine with two cores: what a run is compared with, and by which shards are
# made equal. `--keep` writes them.
REFERENCE = ROOT / ".ci" / "seconds.json"
# What a run leaves: a log a step, and the seconds.
RESULTS = ROOT / "target" / "ci"

LANES = ("compile", "prove", "wait")
MEMBERS = {"name", "what", "lane", "needs", "run", "release"}
SECONDS_BETWEEN_SIGNS_OF_LIFE = 60
LINES_OF_A_FAILED_STEP = 40
# What a whole run writes into a clean clone: 12 GB of them are the environments of the adapters.
GIGABYTES_OF_A_RUN = 21


class Step:
    """A row of the table, and what came of it."""

    def __init__(self, row):
        if unknown := set(row) - MEMBERS:
            raise ValueError(f"step {row.get('name')}: unknown members {sorted(unknown)}")
        self.name = row["name"]
        self.what = row["what"]
        self.lane = row["lane"]
        self.needs = row.get("needs", [])
        self.run = row["run"]
        # Whether cargo runs with the flags of the release, see `release_environment`.
        self.release = row.get("release", False)
        self.process = None
        self.began = None
        self.seconds = None
        self.processor = None
        self.status = None

    @property
    def log(self):
        return RESULTS / f"{self.name}.log"


def read_table(text):
    """Reads the table. Raises ValueError that names a step which is listed twice, or needs one that is not listed above it."""
    steps = {}
    for row in tomllib.loads(text)["step"]:
        step = Step(row)
        if step.name in steps:
            raise ValueError(f"step {step.name} is listed twice")
        if step.lane not in LANES:
            raise ValueError(f"step {step.name}: lane '{step.lane}' is none of {', '.join(LANES)}")
        for need in step.needs:
            if need not in steps:
                raise ValueError(f"step {step.name} needs '{need}', which is not listed above it")
        steps[step.name] = step
    return steps


def with_needs(steps, names):
    """Returns the steps of these names and all that they need, in the order of the table."""
    chosen = set()
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in chosen:
            chosen.add(name)
            todo += steps[name].needs
    return [step for step in steps.values() if step.name in chosen]


def gigabytes_free():
    return shutil.disk_usage(ROOT).free / 1e9


def shard(steps, part, parts, seconds):
    """Returns the names of one of `parts` shares of the steps, which take about the same time by `seconds`."""
    # The longest first, each to the share that has least so far.
    load = [0.0] * parts
    shares = [[] for _ in range(parts)]
    for step in sorted(steps.values(), key=lambda step: (-seconds.get(step.name, 60.0), step.name)):
        least = load.index(min(load))
        load[least] += seconds.get(step.name, 60.0)
        shares[least].append(step.name)
    return shares[part - 1]


def release_environment():
    """Returns the variables by which cargo compiles what a release has. With them README's program, the wheel, the
    library for C and the archives are one build, so that what is released is what was tested."""
    script = "source packages/compile.sh && with_unwinder_of_gcc && export CARGO_BUILD_TARGET=$target && env -0"
    said = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=ROOT, check=True, stdout=subprocess.PIPE)
    pairs = (entry.split("=", 1) for entry in said.stdout.decode().split("\0") if "=" in entry)
    return {name: value for name, value in pairs if os.environ.get(name) != value}


def folder_of_python(above):
    """Makes a folder in `above` whose `python3` is the one that runs the steps. A version manager has a shell script of that name,
    which takes several times as long to start, and the tests start Python often. Returns the folder."""
    folder = above / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    python = folder / "python3"
    python.write_text(f'#!/bin/sh\nexec {shlex.quote(os.path.realpath(sys.executable))} "$@"\n')
    python.chmod(0o755)
    return folder


class Run:
    """The steps of one run, in three lanes."""

    def __init__(self, steps, keep_going, cores):
        self.steps = steps
        self.keep_going = keep_going
        # At most so many steps of a lane run at once. While something compiles, one core is left to proving.
        self.limits = {"compile": 1, "wait": 1, "prove": cores}
        self.began = time.monotonic()
        self.failed = []
        self.release = None
        self.least_free = gigabytes_free()

    def environment(self, step):
        # A clone is built once, so files that only a second build would use are left out. They take half of the disk
        # space of a build.
        host = subprocess.run(["rustc", "--print", "host-tuple"], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()
        values = os.environ | {
            "CARGO_INCREMENTAL": "0",
            "CARGO_PROFILE_DEV_DEBUG": "none",
            # A crate that is compiled whole costs a seventh less in 8 units than in the 256 of a development build.
            "CARGO_PROFILE_DEV_CODEGEN_UNITS": "8",
            "CASTPROOF": str(ROOT / "target" / host / "release" / "castproof"),
            "XTASK": str(ROOT / "target" / "debug" / "xtask"),
            "HOST": host,
        }
        if step.release:
            self.release = self.release or release_environment()
            values |= self.release
        return values

    def free(self, step):
        running = [other.lane for other in self.steps if other.process]
        if step.lane == "prove" and "compile" in running:
            return running.count("prove") < max(1, self.limits["prove"] - 1)
        return running.count(step.lane) < self.limits[step.lane]

    def ready(self, step):
        state = {other.name: other.status for other in self.steps}
        return step.status is None and step.process is None and all(state.get(need, 0) == 0 for need in step.needs)

    def begin(self, step):
        step.began = time.monotonic()
        print(f"-- {step.name} begins after {step.began - self.began:.0f} s: {step.what}", flush=True)
        with step.log.open("wb") as log:
            step.process = subprocess.Popen(
                ["bash", "-euo", "pipefail", "-c", step.run],
                cwd=ROOT,
                env=self.environment(step),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def ended(self, step):
        """Takes the end of a step, if it has ended."""
        process, status, usage = os.wait4(step.process.pid, os.WNOHANG)
        if process == 0:
            return
        step.process.returncode = os.waitstatus_to_exitcode(status)
        step.status = step.process.returncode
        step.process = None
        step.seconds = time.monotonic() - step.began
        step.processor = usage.ru_utime + usage.ru_stime
        verdict = "" if step.status == 0 else f", FAILED with status {step.status}"
        print(f"\n== {step.name}: {step.what} ({step.seconds:.0f} s, {step.processor:.0f} s of a processor{verdict})", flush=True)
        sys.stdout.buffer.write(step.log.read_bytes())
        sys.stdout.flush()
        if step.status != 0:
            self.failed.append(step)

    def stop(self):
        for step in self.steps:
            if step.process:
                try:
                    os.killpg(step.process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass

    def all(self):
        """Runs the steps. Returns whether all of them passed."""
        sign_of_life = time.monotonic()
        while True:
            self.least_free = min(self.least_free, gigabytes_free())
            for step in self.steps:
                if step.process:
                    self.ended(step)
            if self.failed and not self.keep_going:
                self.stop()
                return False
            for step in self.steps:
                if self.ready(step) and self.free(step):
                    self.begin(step)
            running = [step for step in self.steps if step.process]
            if not running:
                # Where the run goes on after a failure, what needs the failed step never becomes ready.
                return not self.failed and all(step.status == 0 for step in self.steps)
            if time.monotonic() - sign_of_life > SECONDS_BETWEEN_SIGNS_OF_LIFE:
                sign_of_life = time.monotonic()
                waiting = sum(step.status is None and not step.process for step in self.steps)
                names = ", ".join(f"{step.name} ({sign_of_life - step.began:.0f} s)" for step in running)
                after, free = sign_of_life - self.began, gigabytes_free()
                # A run that is stopped from outside prints no last lines, so this line says what has failed.
                failed = f"; FAILED: {', '.join(step.name for step in self.failed)}" if self.failed else ""
                print(f"-- after {after:.0f} s: {names}; {waiting} steps wait; {free:.0f} GB are free{failed}", flush=True)
            time.sleep(0.2)


def folders_of_locks():
    """Returns the folder in which apt-get stands once more, with a lock; none where there is no apt-get to lock."""
    has_all = shutil.which("flock") and Path("/usr/bin/apt-get").exists()
    return [ROOT / ".ci" / "bin"] if has_all else []


def not_tested(steps):
    """Returns what the steps could not test here: their lines `not run: ..`, each once."""
    lines = {}
    for step in steps:
        if step.log.exists() and step.status is not None:
            for line in re.findall(r"^not run: (.*)$", step.log.read_text(errors="replace"), re.MULTILINE):
                lines[line] = True
    return list(lines)


def print_ends(failed):
    """Prints how the log of each failed step ends, so that the last lines of a run say what is wrong."""
    for step in failed:
        lines = step.log.read_text(errors="replace").splitlines() if step.log.exists() else []
        print(f"\n-- how {step.name} ended:")
        print("\n".join(lines[-LINES_OF_A_FAILED_STEP:]))


def print_seconds(steps, reference):
    """Prints the seconds of each step, the longest first. A step that takes twice its time of reference is marked."""
    done = sorted((step for step in steps if step.seconds is not None), key=lambda step: -step.seconds)
    print(f"\n{'step':<24} {'lane':<8} {'seconds':>8} {'processor':>10} {'reference':>10}")
    for step in done:
        due = reference.get(step.name)
        mark = "  twice as long" if due and step.seconds > 2 * due + 10 else ""
        due = "-" if due is None else f"{due:.0f}"
        print(f"{step.name:<24} {step.lane:<8} {step.seconds:>8.0f} {step.processor:>10.0f} {due:>10}{mark}")
    total = sum(step.processor for step in done)
    print(f"{'all':<24} {'':<8} {'':>8} {total:>10.0f}")


def chosen(arguments, steps, reference):
    """Returns the steps that the arguments ask for, or ends with a line that says what is wrong."""
    if unknown := [name for name in arguments.steps if name not in steps]:
        sys.exit(f".ci/run: there is no step '{unknown[0]}'; .ci/run --list lists them")
    names = arguments.steps or list(steps)
    if arguments.shard:
        match = re.fullmatch(r"(\d+)/(\d+)", arguments.shard)
        if not match or not 1 <= int(match[1]) <= int(match[2]):
            sys.exit(f".ci/run: --shard {arguments.shard}: give M/N with M from 1 to N")
        share = shard(steps, int(match[1]), int(match[2]), reference)
        names = [name for name in names if name in share]
    return [steps[name] for name in names] if arguments.alone else with_needs(steps, names)


def main():
    description = "Runs the steps of .ci/steps.toml: all, or those that are named with what they need."
    parser = argparse.ArgumentParser(prog=".ci/run", description=description)
    parser.add_argument("steps", nargs="*", metavar="STEP")
    parser.add_argument("--list", action="store_true", help="list the steps")
    parser.add_argument("--shard", metavar="M/N", help="run share M of N, with what its steps need")
    parser.add_argument("--alone", action="store_true", help="without what the steps need, which must be there")
    parser.add_argument("--fail-fast", action="store_true", help="begin no further step after a failure")
    parser.add_argument("--keep", action="store_true", help="write the seconds as those of reference")
    arguments = parser.parse_args()
    steps = read_table(TABLE.read_text())
    reference = json.loads(REFERENCE.read_text()) if REFERENCE.exists() else {}
    if arguments.list:
        for step in steps.values():
            print(f"{step.name:<24} {step.lane:<8} {reference.get(step.name, 0):>5.0f} s  {step.what}")
        return
    todo = chosen(arguments, steps, reference)
    is_whole_and_clean = len(todo) == len(steps) and not RESULTS.parent.exists()
    if is_whole_and_clean and gigabytes_free() < GIGABYTES_OF_A_RUN:
        need = f"a whole run in a clean clone takes {GIGABYTES_OF_A_RUN} GB of disk, and {gigabytes_free():.1f} GB are free"
        print(f"== the disk may be too small: {need}", flush=True)
    RESULTS.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("CI", "true")
    # setup.sh installs packages without bytecode, which Python writes at the first import. Without it each import of TensorFlow
    # takes three times as long.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    folders = [folder_of_python(RESULTS), *folders_of_locks()]
    os.environ["PATH"] = os.pathsep.join([*map(str, folders), os.environ["PATH"]])
    run = Run(todo, not arguments.fail_fast, os.cpu_count() or 2)
    reduced = "" if len(todo) == len(steps) else f" of {len(steps)}; REDUCED"
    expected = sum(reference.get(step.name, 0) for step in todo)
    print(f"== {len(todo)} steps{reduced}; {expected / 60:.0f} minutes of work by the reference, in lanes that overlap", flush=True)
    try:
        passed = run.all()
    except KeyboardInterrupt:
        run.stop()
        passed = False
        print("\n.ci/run: stopped", file=sys.stderr)
    print_seconds(todo, reference)
    seconds = {step.name: round(step.seconds, 1) for step in todo if step.status == 0}
    (RESULTS / "seconds.json").write_text(json.dumps(seconds, indent=1, sort_keys=True) + "\n")
    if arguments.keep and passed:
        REFERENCE.write_text(json.dumps(reference | seconds, indent=1, sort_keys=True) + "\n")
    after = time.monotonic() - run.began
    if not passed:
        print_ends(run.failed)
        names = ", ".join(step.name for step in run.failed) or "none failed, the run was stopped"
        # A full disk fails steps in ways that name something else, as a linker that ends with "Bus error".
        full = f"; the disk was full, with {run.least_free:.1f} GB free at the least" if run.least_free < 1 else ""
        print(f"\n== FAILED after {after:.0f} s: {names}{full}")
        sys.exit(1)
    missing = "; ".join(not_tested(todo)) or "nothing"
    print(f"\n== all {len(todo)} steps{reduced} passed after {after:.0f} s; not tested: {missing}")


if __name__ == "__main__":
    main()
