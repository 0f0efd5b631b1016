#!/usr/bin/env python3
"""Runs every command that README.md and the pages of docs/ show, page by page.

Each page gets a folder that looks like a clone, with what its reader has: `castproof` on the path, the
template as ./testee and ./libkernel.so, results of an earlier run. A command must end with status 0,
and one in a block `console` that shows its output is compared by the tests of the program. `OTHERWISE`
lists every exception: commands that end with another status, that would take too long as they stand, or
that another step of .ci/run runs. An entry that no page needs fails the run.

Usage: documents.py CASTPROOF [PAGE ...]
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What a page writes must not replace a file of the repository.
NOT_SHARED = {".git", "target", "out"}

README = "the steps readme-gate and readme-tests"
CHECKS = "the step data"
FUZZ = "the step fuzz-guided"
PACKAGE = "the steps package-python, package-npm, package-c and package-go"
AUTHORS = "the step authors, which makes the folder of the page"
VENDOR = "the step authors-vendor, which has the files of the page"
WALK = "the step dist, which types the blocks of this page"

# By the start of a command: how it is run here (`as`), with which status it may end (`status`), after how
# many seconds it is stopped (`seconds`), or which other step of .ci/run runs it (`step`).
OTHERWISE = {
    "./setup.sh & ": {"step": README},
    "./setup.sh --tests": {"step": README},
    "castproof fuzz --library ./libkernel.so --pair uint8:float32 --time 10m": {"as": "{} --tensors 2000"},
    "castproof fuzz --testee ./testee --pair uint8:float32 --time 10m": {"as": "{} --tensors 2000"},
    "castproof fuzz --adapter onnxruntime --pair float32:float8e4m3fn --time 30s --seed": {
        "as": "{} --tensors 2000",
        "status": 1,
    },
    # The template with a planted fault.
    "castproof gate --testee 'python3 adapters/templates/python/faulty.py'": {"status": 1},
    # The fault stands.
    ".venv/bin/python upstream/": {"status": 1},
    "castproof fuzz --adapter onnxruntime": {"as": "{} --tensors 2000", "status": 1},
    "castproof fuzz --library ./libkernel.so --jobs 4": {"as": "{} --time 2s"},
    "./castproof-*-linux-gnu/": {"step": WALK},
    "CASTPROOF_ADAPTERS=": {"step": AUTHORS},
    "cc test.c -o test": {"step": PACKAGE},
    "cmake -": {"step": WALK},
    "go mod edit -": {"step": PACKAGE},
    "npm install --save-dev castproof": {"step": PACKAGE},
    "npm install --save-dev ./": {"step": WALK},
    "packages/c/build.sh": {"step": PACKAGE},
    "packages/go/build.sh": {"step": PACKAGE},
    "pip install castproof": {"step": PACKAGE},
    "pip install ./packages/python": {"step": PACKAGE},
    "python3 -m venv venv": {"step": WALK},
    "python3 gen_": {"step": VENDOR},
    "sha256sum --check --ignore-missing": {"step": WALK},
    "tar xf castproof-[0-9]": {"step": WALK},
    "tar xf castproof-c-": {"step": PACKAGE},
    "tar xf castproof-go-": {"step": PACKAGE},
    "venv/bin/": {"step": WALK},
    # The faults are still there.
    "castproof gate --adapter onnxruntime --vectors found": {"status": 1},
    "cargo +nightly fuzz run --fuzz-dir": {"step": FUZZ},
    "cd fuzz && cargo +nightly fuzz run cast": {"step": FUZZ},
    # The template has one cast; the vectors of all others would be made for nothing.
    "castproof gate --testee ./testee --level standard": {"as": "{} --pair uint8:float32"},
    # Chains need a testee that lists them, which the template does not.
    "castproof gate --testee ./testee --suite onnx-chain": {"as": "castproof gate --testee builtin --suite onnx-chain"},
    # The sample has 40 pairs, and the template one cast that is none of them.
    "castproof gate --testee ./testee --sample": {"as": "castproof gate --testee builtin --sample"},
    "castproof gate --profile rust-as --testee builtin": {"as": "{} --pair float32:int8"},
    "castproof gate --profile rust-as --adapter rust-crates": {"step": "the step gate-profiles"},
    "castproof sweep --profile rust-as --adapter rust-crates": {"as": "{} --shard 1/1024", "status": 3},
    "castproof sweep --testee builtin": {"as": "{} --shard 1/8192", "status": 3},
    "castproof sweep --adapter onnxruntime": {"as": "{} --shard 34/256", "status": (1, 3)},
    "castproof certify verify castproof-sweep.json": {"status": (1, 3)},
    "castproof certify replay castproof-sweep.json": {
        "as": "castproof certify replay castproof-sweep.json --adapter onnxruntime --blocks 1"
    },
    # All pairs take ten minutes, and one pair half a minute. `cargo xtask bench` measures one in both sizes and on all threads,
    # the other commands measure one within the caches.
    "cargo xtask bench --json new.json": {
        "as": "cargo xtask bench --pair int32:int8 --cached --json target/new.json --html target/new.html --against target/bench.json"
    },
    "cargo xtask bench --quick": {"step": "the step bench, which writes target/bench.json"},
    "cargo xtask bench --pair": {"as": "{} --cached"},
    "cargo xtask bench --cached": {"step": "the step bench"},
    "cargo xtask bench --long": {},
    "cargo xtask bench-wasm": {"step": "the step bench"},
    "cargo xtask bench": {"as": "{} --pair int8:uint8"},
    # What it writes is committed, by whoever has the runtimes.
    "cargo xtask recordings": {"step": "the landing that changes questions: it is run by hand"},
    "cargo xtask generate --check data": {"step": CHECKS},
    "cargo xtask blocks bench": {"step": "the step bench"},
    "cargo xtask generate --check book": {"step": CHECKS},
    "cargo xtask vectors check": {"step": CHECKS},
    # It resumes where it was stopped.
    "cargo xtask vectors generate --level standard": {"seconds": 20},
}


def commands(page):
    """Yields the commands of the blocks `sh` and `console` of a page, each as one line."""
    for language, block in re.findall(r"^```(\w*)\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE):
        prompt = {"sh": "", "console": "$ "}.get(language)
        if prompt is None:
            continue
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith(prompt) and line.strip():
                yield re.sub(r"\s+#.*$", "", line[len(prompt) :])


def changes():
    """Returns what git calls changed or new in the repository, to which the folders of the readers have links."""
    status = ["git", "-C", ROOT, "status", "--porcelain", "--untracked-files=all"]
    return set(subprocess.run(status, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines())


class Reader:
    """One who reads a page and types its commands."""

    def __init__(self, castproof, folder):
        self.folder = folder
        self.environment = os.environ | {"CARGO_TARGET_DIR": str(ROOT / "target")}
        programs = folder / "bin"
        programs.mkdir()
        (programs / "castproof").symlink_to(castproof)
        self.environment["PATH"] = f"{programs}:{self.environment['PATH']}"
        for entry in ROOT.iterdir():
            if entry.name not in NOT_SHARED:
                (folder / entry.name).symlink_to(entry)

    def shell(self, command, seconds=None):
        """Runs a command. Returns its status, None if it was stopped, and what it said."""
        # Cargo would take the folder of the reader for another workspace.
        folder = ROOT if command.startswith("cargo ") else self.folder
        try:
            run = subprocess.run(
                ["timeout", "--signal=INT", str(seconds or 1200), "bash", "-o", "pipefail", "-c", command],
                cwd=folder,
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
        finally:
            sys.stdout.flush()
        stopped = run.returncode == 124
        return (None if stopped and seconds else run.returncode), run.stdout

    def prepare(self):
        """Makes what the reader has before the first command."""
        pair = "--pair uint8:float32"
        for command in [
            "cc -O2 -o testee adapters/templates/c/testee.c",
            "cc -O2 -shared -fPIC -I gate/include adapters/templates/library/kernel.c -o libkernel.so",
            f"castproof gate --testee builtin {pair} --json old.json",
            f"castproof gate --testee builtin {pair} --json new.json",
            f"castproof gate --testee builtin {pair} --json results.json",
            f"python3 {ROOT}/.ci/minisign_key.py .",
        ]:
            status, said = self.shell(command)
            assert status == 0, f"{command}: {said}"

    def earlier_run(self):
        """Makes the results of a run of ONNX Runtime, of which a page shows a finding."""
        status, said = self.shell(
            "castproof gate --adapter onnxruntime --no-baseline --pair float32:float8e4m3fn --arrangements none --json ort.json"
        )
        assert status == 1, said


def main():
    castproof, *names = sys.argv[1:]
    castproof = Path(castproof).resolve()
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    pages = [page for page in pages if not names or page.name in names]
    used, failed, ran = set(), [], 0
    before = changes()
    for page in pages:
        todo = list(commands(page))
        if not todo:
            continue
        with tempfile.TemporaryDirectory() as name:
            reader = Reader(castproof, Path(name))
            reader.prepare()
            if any("ort.json" in command for command in todo):
                reader.earlier_run()
            for command in todo:
                if match := re.match(r"export (.*)", command):
                    reader.environment |= dict(word.split("=", 1) for word in match[1].split())
                    continue
                key = next((key for key in OTHERWISE if command.startswith(key)), None)
                how = OTHERWISE.get(key, {})
                used.add(key)
                if "step" in how:
                    print(f"{page.name}: {command}: run by {how['step']}")
                    continue
                typed = how.get("as", "{}").format(command) if "as" in how else command
                began = time.monotonic()
                status, said = reader.shell(typed, how.get("seconds"))
                due = how.get("status", 0)
                due = due if isinstance(due, tuple) else (due,)
                ran += 1
                right = status in due or (status is None and "seconds" in how)
                print(f"{page.name}: {typed}: status {status}, {time.monotonic() - began:.1f} s", flush=True)
                if not right:
                    failed.append(f"{page.name}: {typed}: status {status}, not {due}\n{said[-2000:]}")
    # `--out upstream` wrote a new folder among those of the repository, and failed a test of another step.
    if written := changes() - before:
        failed.append(f"the commands of a page write to the repository itself: {sorted(written)}")
    for problem in failed:
        print(problem, file=sys.stderr)
    unused = set(OTHERWISE) - used
    if unused and not names:
        sys.exit(f"no page has these commands any more: {sorted(unused)}")
    if failed or (ran < 50 and not names):
        sys.exit(f"{len(failed)} of {ran} commands of the documents fail")
    print(f"{ran} commands of the documents run")


if __name__ == "__main__":
    main()
