"""What the README says, run as it stands. Other pages have the same first lines."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGES = {
    page.stem: page.read_text(encoding="utf-8")
    for page in (Path(__file__).parent.parent / "pages").iterdir()
}
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGES["package"], re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    """Returns the blocks of a language."""
    return [text for name, text in BLOCKS if name == language]


def counted(text: str) -> str:
    """Returns what was printed without the sizes of the arrangements, which grow with the kinds of fault that are sought."""
    return re.sub(r"arranged [\d,]+ tensors of [\d,]+ elements", "arranged tensors", text)


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a script in an empty folder."""
    words = [sys.executable, "-c", script]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True)


def test_the_first_success_is_as_long_as_it_says() -> None:
    first = [line for line in blocks("python")[0].splitlines() if line]
    assert len(blocks("sh")[0].splitlines()) == 1 and len(first) <= 5
    assert set(PAGES) == {"package", "book", "repository"}
    for name, page in PAGES.items():
        assert "pip install castproof" in page, name
    assert blocks("python")[0] in PAGES["book"]


def test_the_first_lines_print_what_the_readme_says(tmp_path: Path) -> None:
    said = run(blocks("python")[0], tmp_path)
    assert counted(said.stdout) == counted(blocks("text")[0]), said.stderr


def test_the_first_verdict_of_the_repository_is_what_it_shows(tmp_path: Path) -> None:
    script, shown = re.findall(r"^```(?:python|text)\n(.*?)^```$", PAGES["repository"], re.MULTILINE | re.DOTALL)[:2]
    assert shown == blocks("text")[1] and len(shown.splitlines()) <= 12
    said = run(script, tmp_path)
    printed = counted(said.stderr).splitlines()
    due = counted(shown).splitlines()
    first = printed.index(due[0])
    assert said.returncode == 1 and printed[first : first + len(due)] == due, said.stderr


def test_a_wrong_cast_is_found_as_the_readme_says(tmp_path: Path) -> None:
    cut = """
def my_cast(x):
    return (x.view(numpy.uint32) >> 16).astype(numpy.uint16)

castproof.check(my_cast, "float32", "bfloat16")
"""
    said = run(f"import castproof, numpy\n{cut}", tmp_path)
    assert said.returncode == 1
    printed = counted(said.stderr).splitlines()
    missing = [line for line in counted(blocks("text")[1]).splitlines() if line not in (*printed, "...")]
    assert not missing, said.stderr


def test_the_tests_of_the_readme_pass(tmp_path: Path) -> None:
    (tmp_path / "test_my_cast.py").write_text(blocks("python")[1])
    said = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert said.returncode == 0 and "6 passed" in said.stdout, said.stdout


def test_answers_and_casts_print_what_is_right(tmp_path: Path) -> None:
    said = run(blocks("python")[2], tmp_path)
    assert said.returncode == 0 and said.stdout.endswith("[ True  True  True  True]\n"), said.stderr


@pytest.mark.parametrize("line", [line.split("  #")[0] for line in blocks("sh")[1].splitlines()])
def test_commands(line: str, tmp_path: Path) -> None:
    program, *words = line.split()
    said = subprocess.run(
        [Path(sys.executable).with_name(program), *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert said.returncode == 0, said.stdout + said.stderr
