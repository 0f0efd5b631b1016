"""Asks the runtimes that are installed here for the casts of values that people ask about, and writes adapters/answers.json.

    python ask_values.py [NAME...]

NAME is an adapter; without one, every adapter whose environment is here is asked. The answers of other adapters stay in the file.
Each value is asked for in a tensor of one element and in one of COPIES equal elements: some runtimes have a loop for single elements
and another for vectors, and these may give different results. CASTPROOF names the program, which says what
the codes of the values are; by default it is the development build. docs/formats.md describes the file.
"""

import contextlib
import datetime
import itertools
import json
import os
import platform
import select
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

from castproof_testee import ELEMENT_BITS, PROTOCOL

ADAPTERS = Path(__file__).resolve().parent
ROOT = ADAPTERS.parent
ANSWERS = ADAPTERS / "answers.json"
FORMAT = "castproof-answers/1"
CASTPROOF = os.environ.get("CASTPROOF", str(ROOT / "target/debug/castproof"))

# The values. A dtype is asked for those that it holds. Those of the first line are usual on the page.
VALUES = "0 -0.0 0.5 1.5 2.5 -1 200 464 70000 3e9 1e20 inf -inf nan".split()
VALUES += "1 -0.5 -1.5 -2 3 3.5 6 7 -8 15 100 127 128 -128 -129 255 256 257 300 -300 448 480".split()
VALUES += "32768 65504 65520 65535 65536 -70000 16777217".split()
VALUES += "2147483647 2147483648 -2147483648 -3e9 4294967295 4294967296 9223372036854775807 9223372036854775808 1e19 -1e20".split()
# The smallest subnormal numbers of float8e5m2, float16, bfloat16 and float32, and the smallest code of float8e8m0.
VALUES += "0x1p-16 0x1p-24 0x1p-133 0x1p-149 0x1p-127".split()
# Of these a dtype is asked for the nearest that it holds.
NEAREST = "0.1 1e-8 1e300".split()

# The versions of Cast, the newest first, and the newest operator set.
OPSETS = (28, 25, 24, 23, 21, 19, 13, 9, 6, 1)
# Seconds in which a testee starts, and in which it answers a request.
START, WAIT = 300, 30
# A testee that failed more often than this is asked no more.
MOST_FAILURES = 20
# The length of a tensor that has room for the widest vectors.
COPIES = 67
# What a row has in place of a code where the runtime gave an error.
NONE = "-"
# Adapters that are asked for a chain of the cast and of one that keeps the dtype. A cast of DuckDB is TRY_CAST, one of DataFusion
# arrow_try_cast, and one of polars is not strict: each gives NULL where a chain, made of CAST, of arrow_cast or of strict casts, ends in an
# error, and the adapter returns the number that lies in the place of the NULL.
AS_CHAIN = ("datafusion", "duckdb", "polars")


class Failed(Exception):
    """The testee died, did not answer in time, or broke the protocol."""


class Testee:
    """A testee as a process, started as the gate starts it."""

    def __init__(self, command: list[str], folder: Path):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe)
        self.read, self.seq, self.as_chain = b"", 0, folder.name in AS_CHAIN
        try:
            self.hello, _ = self._exchange({"hello": PROTOCOL}, b"", START)
        except Failed:
            self.close()
            raise

    def close(self) -> None:
        self.process.kill()
        with contextlib.suppress(OSError):  # what was not written yet has no reader
            self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def cast(self, source: str, target: str, codes: list[int], more: dict) -> tuple[str, list[int] | str]:
        """Asks for a cast of a tensor, by a request with more members; returns the status, and the codes or the message."""
        self.seq += 1
        payload = packed(source, codes)
        asked = {"op": "cast", "from": source, "to": target} | more
        if self.as_chain:
            asked = {"op": "chain", "dtypes": [source, target, target], "attributes": [{}, {}], "opset": more["opset"]}
        header = {"seq": self.seq} | asked
        answer, output = self._exchange(header | {"shape": [len(codes)], "bytes": len(payload)}, payload, WAIT)
        if answer.get("seq") != self.seq:
            raise Failed(f"it answers another request: {answer}")
        if answer.get("status") != "ok":
            return answer.get("status"), answer.get("message", "")
        if len(output) != -(-len(codes) * ELEMENT_BITS[target] // 8):
            raise Failed(f"it gives {len(output)} bytes")
        return "ok", unpacked(target, output, len(codes))

    def _exchange(self, header: dict, payload: bytes, seconds: float) -> tuple[dict, bytes]:
        until = time.monotonic() + seconds
        try:
            self.process.stdin.write(json.dumps(header).encode() + b"\n" + payload)
            self.process.stdin.flush()
            while b"\n" not in self.read:
                self._read_more(until)
            line, self.read = self.read.split(b"\n", 1)
            answer = json.loads(line)
            size = answer.get("bytes", 0)
            while len(self.read) < size:
                self._read_more(until)
        except (OSError, ValueError, AttributeError) as error:
            raise Failed(f"{type(error).__name__}: {error}") from error
        output, self.read = self.read[:size], self.read[size:]
        return answer, output

    def _read_more(self, until: float) -> None:
        output = self.process.stdout
        if not select.select([output], [], [], max(0, until - time.monotonic()))[0]:
            raise Failed("it did not answer in time")
        piece = os.read(output.fileno(), 1 << 16)
        if not piece:
            raise Failed(f"it ended with status {self.process.wait()}")
        self.read += piece


def packed(dtype: str, codes: list[int]) -> bytes:
    """Returns a payload: the codes from the least significant bits up."""
    bits = ELEMENT_BITS[dtype]
    whole = sum(code << bits * place for place, code in enumerate(codes))
    return whole.to_bytes(-(-len(codes) * bits // 8), "little")


def unpacked(dtype: str, payload: bytes, count: int) -> list[int]:
    """Returns the codes of a payload."""
    bits, whole = ELEMENT_BITS[dtype], int.from_bytes(payload, "little")
    return [whole >> bits * place & (1 << bits) - 1 for place in range(count)]


def written(dtype: str, code: int) -> str:
    """Returns a code in full width, without 0x."""
    return f"{code:0{-(-ELEMENT_BITS[dtype] // 4)}x}"


def values_of(dtype: str) -> list[list[str]]:
    """Returns the values that a dtype is asked for, each with its code in full width, as the program has it."""
    found = {}
    target = "float64" if dtype == "float32" else "float32"
    for value in [*VALUES, *NEAREST]:
        option = ["--nearest"] if value in NEAREST else []
        command = [CASTPROOF, "expect", "--json", *option, dtype, value, target]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode == 0:
            # Two values may have one code: -0.0 is the same integer as 0.
            found.setdefault(json.loads(run.stdout)["input"], value)
    return [[value, code] for code, value in found.items()]


def launch(name: str) -> tuple[dict, list[str] | None]:
    """Returns the description of an adapter and its command; None if its environment is not here."""
    adapter = tomllib.loads((ADAPTERS / name / "adapter.toml").read_text(encoding="utf-8"))
    program, *arguments = adapter["command"]
    if program == "python":
        program = str(ROOT / adapter["venv"] / "bin/python")
    elif "/" in program:  # in relation to the adapter's folder, as candle's
        program = str((ADAPTERS / name / program).resolve())
    needed = [program, *(os.environ.get(variable, it) for it, variable in adapter.get("programs", {}).items())]
    lacks_packages = (ADAPTERS / name / "package.json").exists() and not (ADAPTERS / name / "node_modules").exists()
    return adapter, [program, *arguments] if all(map(shutil.which, needed)) and not lacks_packages else None


def requests_of(hello: dict, source: str, target: str) -> list[dict]:
    """Returns the members of the requests in which a testee may take a cast, the first that is to be tried first.

    A runtime that never saturates takes a cast to a float8 only with saturate=0, one that rounds to float8e8m0 in its own way only
    with the roundMode that names it.
    """
    opsets = set(OPSETS)
    if "casts" in hello:
        rows = [row for row in hello["casts"] if row["from"] == source and target in row["to"]]
        opsets = {opset for row in rows for opset in row.get("opsets", OPSETS)}
    saturates = [{}, {"saturate": 0}] if target.startswith("float8") else [{}]
    modes = [{}, {"roundMode": "nearest"}, {"roundMode": "down"}] if target == "float8e8m0" else [{}]
    given = [saturate | mode for saturate in saturates for mode in modes]
    return [{"opset": opset} | attributes for attributes in given for opset in sorted(opsets, reverse=True)]


def ask_pair(testee: Testee, source: str, target: str, codes: list[int], copies: int = 1) -> str | None:
    """Returns the row of a pair, from the first elements of tensors of so many copies; None if the testee has no such cast, or gives
    no code at all. Raises Failed.
    """
    # A testee may take only tensors whose length is a multiple.
    unit = testee.hello.get("limits", {}).get("multipleOf", 1)
    count = -(-copies // unit) * unit
    requests, row, messages = requests_of(testee.hello, source, target), [], set()
    for code in codes:
        status, said = "unsupported", ""
        while requests:
            status, said = testee.cast(source, target, [code] * count, requests[0])
            if status != "unsupported" or row:
                break
            requests.pop(0)
        if not requests:
            return None
        if status == "ok":
            row.append(written(target, said[0]))
        else:
            row.append(NONE)
            messages.add(f"{status}: {said}")
    if messages:
        failed = row.count(NONE)
        say(f"{source} to {target}, {failed} of {len(row)} values have no answer: {min(messages)[:200]}")
    return " ".join(row) if set(row) != {NONE} else None


def ask_adapter(command: list[str], folder: Path, asked: dict[str, list]) -> tuple[dict, dict[str, dict[str, str]]]:
    """Asks one adapter; returns its hello, and by member of the file the row of each pair: `copies` has those that differ from `pairs`."""
    testee, rows, failures = Testee(command, folder), {"pairs": {}, "copies": {}}, 0
    hello = testee.hello
    for source, target in itertools.product(asked, asked):
        pair, codes = f"{source}:{target}", [int(code, 16) for _, code in asked[source]]
        try:
            testee = testee or Testee(command, folder)
            alone = ask_pair(testee, source, target, codes)
            copied = ask_pair(testee, source, target, codes, COPIES) if alone else None
        except Failed as failure:
            say(f"{source} to {target} is left out: {failure}")
            if testee:
                testee.close()
            testee, failures = None, failures + 1
            if failures > MOST_FAILURES:
                raise Failed(f"it failed {failures} times") from failure
            continue
        if alone:
            rows["pairs"][pair] = alone
        if copied and copied != alone:
            rows["copies"][pair] = copied
    if testee:
        testee.close()
    return hello, rows


def empty() -> dict:
    return {"runtimes": {}, "asked": {}, "pairs": {}, "copies": {}}


def read() -> dict:
    """Returns what the file has; an empty one if there is none."""
    if not ANSWERS.exists():
        return empty()
    return json.loads(ANSWERS.read_text(encoding="utf-8"))


def merge(answers: dict, name: str, runtime: dict, rows: dict[str, dict[str, str]]) -> None:
    """Puts the answers of an adapter in place of those that it gave before."""
    answers["runtimes"][name] = runtime
    for member in ("pairs", "copies"):
        for groups in answers[member].values():
            for row, names in list(groups.items()):
                names[:] = [it for it in names if it != name]
                if not names:
                    del groups[row]
        for pair, row in rows[member].items():
            groups = answers[member].setdefault(pair, {})
            groups[row] = sorted([*groups.get(row, []), name])


def lines(members: dict) -> str:
    """Returns an object with a line for each member, sorted by their names."""
    shown = [json.dumps({name: it}, ensure_ascii=False, separators=(",", ":"))[1:-1] for name, it in sorted(members.items()) if it]
    return "{\n" + ",\n".join(shown) + "\n}"


def write(answers: dict) -> None:
    for member in ("pairs", "copies"):
        answers[member] = {pair: dict(sorted(groups.items())) for pair, groups in answers[member].items()}
    members = [f'"format":"{FORMAT}"', f'"count":{COPIES}', *(f'"{it}":{lines(answers[it])}' for it in empty())]
    ANSWERS.write_text("{\n" + ",\n".join(members) + "\n}\n", encoding="utf-8")


def machine() -> str:
    return f"{platform.system()} {platform.machine()}"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    names = sys.argv[1:] or sorted(path.parent.name for path in ADAPTERS.glob("*/adapter.toml"))
    answers = read()
    asked = {dtype: values_of(dtype) for dtype in ELEMENT_BITS}
    if answers["asked"] not in ({}, asked):
        say("the values are others than those of the file, whose answers are all left out")
        answers = empty()
    answers["asked"] = asked
    for name in names:
        adapter, command = launch(name)
        if command is None:
            say(f"{name} is left out: its environment is not here")
            continue
        say(f"{name}: ...")
        try:
            if "build" in adapter:
                subprocess.run(adapter["build"], cwd=ADAPTERS / name, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=True)
            hello, rows = ask_adapter(command, ADAPTERS / name, asked)
        except (Failed, OSError, subprocess.CalledProcessError) as failure:
            say(f"{name} is left out: {failure}")
            continue
        if not rows["pairs"]:
            say(f"{name} is left out: it casts no pair")
            continue
        runtime = {"name": hello["name"], "version": hello["version"], "description": adapter["description"]}
        merge(answers, name, runtime | {"date": datetime.date.today().isoformat(), "machine": machine()}, rows)
        write(answers)
        say(f"{name}: {len(rows['pairs'])} pairs, {len(rows['copies'])} of which differ in tensors of {COPIES}")


if __name__ == "__main__":
    main()
