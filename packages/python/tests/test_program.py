"""The program `castproof` of the wheel: what it finds by itself, and how it ends."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import castproof

PROGRAM = Path(sys.executable).with_name("castproof")
PAIR = ["--pair", "float32:float16"]


def run(*words: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs the program with no other program in reach."""
    return subprocess.run(
        [str(PROGRAM), *words],
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PATH": "", "HOME": str(folder)} | variables,
        timeout=300,
    )


def test_help_version_and_errors(tmp_path: Path) -> None:
    assert re.fullmatch(r"castproof \d+\.\d+\.\d+\n", run("--version", folder=tmp_path).stdout)
    assert "castproof gate" in run("gate", "--help", folder=tmp_path).stdout
    wrong = run("gate", "--adapter", "toast", folder=tmp_path)
    assert wrong.returncode == 2 and wrong.stderr.startswith("castproof: no adapter 'toast'; ")
    assert wrong.stderr.count("\n") == 1


def test_adapters_use_this_python(tmp_path: Path) -> None:
    listed = run("adapters", folder=tmp_path).stdout
    assert re.search(r"^numpy-ml-dtypes +ready ", listed, re.MULTILINE), listed
    for name in re.findall(r"^(\S+) +lacks ", listed, re.MULTILINE):
        said = run("gate", "--adapter", name, folder=tmp_path)
        pip = rf"{re.escape(str(PROGRAM.parent))}/python\S* -m pip install .*\n"
        wanted = rf"castproof: adapter {name}: it lacks .*; {pip}"
        if name == "cuda":  # it needs a compiler, which pip does not bring
            wanted = r"castproof: adapter cuda: it needs the program nvcc; .* NVCC\n"
        assert said.returncode == 2 and re.fullmatch(wanted, said.stderr), said.stderr
    said = run("gate", "--adapter", "numpy-ml-dtypes", *PAIR, folder=tmp_path)
    assert said.returncode == 0 and "PASS" in said.stdout.splitlines()[-1], said.stdout


def test_a_folder_named_castproof_is_no_module(tmp_path: Path) -> None:
    (tmp_path / "castproof").mkdir()
    (tmp_path / "castproof" / "__init__.py").write_text("raise SystemExit('not this one')")
    (tmp_path / "torch").mkdir()
    said = run("gate", "--testee", "builtin", *PAIR, folder=tmp_path)
    assert said.returncode == 0, said.stderr


def test_a_shared_library(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    assert compiler is not None, "these tests need a C compiler"
    (tmp_path / "kernel.c").write_text(
        """
        #include <stddef.h>
        #include <stdint.h>
        struct castproof_request {
            const char *op, *from, *to; int opset, saturate; const char *round_mode;
            size_t count, input_bytes, output_bytes;
        };
        int castproof_cast(const struct castproof_request *request, const void *input,
                           void *output, char *message, size_t message_size) {
            for (size_t i = 0; i < request->count; i++)
                ((float *)output)[i] = (float)((const uint8_t *)input)[i];
            return 0;
        }
        """
    )
    subprocess.run(
        [compiler, "-O2", "-shared", "-fPIC", "kernel.c", "-o", "kernel.so"],
        cwd=tmp_path,
        check=True,
    )
    words = ["gate", "--library", "kernel.so", "--pair", "uint8:float32", "--kernel"]
    said = run(*words, folder=tmp_path)
    assert said.returncode == 0 and "PASS" in said.stdout, said.stdout + said.stderr


def test_ctrl_c_ends_the_program(tmp_path: Path) -> None:
    program = subprocess.Popen(
        [PROGRAM, "gate", "--testee", "builtin"], cwd=tmp_path, stdout=subprocess.PIPE
    )
    assert program.stdout is not None and program.stdout.readline().startswith(b"castproof gate")
    program.send_signal(signal.SIGINT)
    assert program.wait(20) == -signal.SIGINT
    program.stdout.close()


def test_a_reader_that_leaves_is_no_error(tmp_path: Path) -> None:
    program = subprocess.Popen(
        [PROGRAM, "rules"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert program.stdout is not None and program.stderr is not None
    program.stdout.close()
    assert program.wait(20) == 2 and program.stderr.read() == b""
    program.stderr.close()


def test_a_journal_is_bound_to_the_module(tmp_path: Path) -> None:
    """An interrupted run goes on, and only with the same module."""
    words = [str(PROGRAM), "gate", "--testee", "builtin", "--from", "float32", "--journal", "journal"]
    program = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE)
    journal = tmp_path / "journal"
    deadline = time.monotonic() + 60
    while not journal.exists() or journal.read_bytes().count(b"\n") < 3:
        assert time.monotonic() < deadline and program.poll() is None
        time.sleep(0.01)
    program.send_signal(signal.SIGINT)
    program.wait(20)
    assert program.stdout is not None
    program.stdout.close()
    changed = tmp_path / "changed"
    shutil.copytree(Path(castproof.__file__).parent, changed / "castproof")
    with open(changed / "castproof" / "_native.abi3.so", "ab") as module:
        module.write(b"\0")
    other = subprocess.run(
        [sys.executable, "-m", "castproof", *words[1:]],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(changed), "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
    )
    assert other.returncode == 2 and "journal" in other.stderr, other.stderr
    said = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert said.returncode == 0 and "resumed: " in said.stdout, said.stderr
