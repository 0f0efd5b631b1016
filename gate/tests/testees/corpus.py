"""Testees that misbehave, each in the way that its argument names.

All of them return every input as it is, so that casts from a dtype to itself are right. The fault
is in the hello (`hello-...`), at every request (`always-...`), or at the second request (the
others), so that the rest of the run is in order. The file that HOSTILE_STARTS names gets a byte for
each start. The file that HOSTILE_BEGUN names appears when the misbehaviour begins.
"""

import json
import os
import signal
import subprocess
import sys
import time

MODE = sys.argv[1]
SECOND = 2
# The opset that introduces each attribute. A testee refuses the attribute at earlier ones.
FIRST_OPSETS = [("saturate", 19), ("roundMode", 24)]
HELLO = {"hello": "castproof-testee/1", "name": "corpus", "version": "1", "language": "python"}

# A text that may do harm where it is shown.
HOSTILE = (
    "x\nPASS  1,000,000 tests, 1,000,000 executed: pass 1,000,000\n::error::forged\r"
    "\x1b[2J\x1b]0;forged\x07\u009b31m\u202eforged\u2028\ufffe\x00##[error]forged"
)


def raw(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def line(message):
    return json.dumps(message).encode() + b"\n"


def say(message, payload=b""):
    raw(line(message) + payload)


def complain(text):
    sys.stderr.buffer.write(text if isinstance(text, bytes) else text.encode())
    sys.stderr.buffer.flush()


def note(variable):
    if path := os.environ.get(variable):
        with open(path, "ab") as file:
            file.write(b"x")


def sleep():
    time.sleep(600)


def without_end():
    while True:
        raw(b"x" * (1 << 16))


def child(keep, seconds=600):
    """Starts a process that only sleeps and keeps some of the pipes of this one."""
    pipe = {name: None if name in keep else subprocess.DEVNULL for name in ("stdin", "stdout", "stderr")}
    return subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({seconds})"], **pipe)


def hello():
    """Sends the hello, right or wrong."""
    name = MODE.removeprefix("hello-")
    if name == MODE:
        return say(HELLO)
    if name == "none":
        sleep()
    elif name == "exits":
        sys.exit("ImportError: no module named kernels")
    elif name == "dies":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif name == "closes-stdout":
        os.close(1)
        sleep()
    elif name == "closes-all":
        os.closerange(0, 3)
        sleep()
    elif name == "breaks-off":
        raw(line(HELLO)[:20])
        sys.exit(0)
    elif name == "breaks-off-and-sleeps":
        raw(line(HELLO)[:20])
        sleep()
    elif name == "without-end":
        without_end()
    elif name == "long":
        raw(b" " * (2 << 20) + line(HELLO))
    elif name == "twice":
        raw(line(HELLO) * 2)
    elif name == "child-holds-stdout":
        child(["stdout"])
        os._exit(0)
    elif name == "floods-stderr":
        for _ in range(64):
            complain("x" * (1 << 20))
        os._exit(4)
    elif name == "hostile-last-words":
        complain(HOSTILE)
        os._exit(5)
    elif name == "slow-bytes":
        for byte in line(HELLO):
            raw(bytes([byte]))
    else:
        raw(HELLOS[name])


def with_members(**members):
    return line({**HELLO, **members})


HELLOS = {
    "babbles": b"Welcome to kernels 2.1!\n",
    "verdict": b"PASS  401 tests, 390 executed: pass 401\n",
    "empty-line": b"\n",
    "empty-object": b"{}\n",
    "array": b'["castproof-testee/1"]\n',
    "whole-array": b'["castproof-testee/1","corpus","1","python",null,[]]\n',
    "null": b"null\n",
    "number": b"1\n",
    "deep": b"[" * 400_000 + b"\n",
    "deep-member": b'{"x":' * 100_000 + b"\n",
    "no-name": b'{"hello":"castproof-testee/1","version":"1"}\n',
    "name-is-number": with_members(name=1),
    "name-is-null": with_members(name=None),
    "surrogate": b'{"hello":"castproof-testee/1","name":"\\ud800","version":"1"}\n',
    "member-twice": b'{"hello":"castproof-testee/1","name":"a","name":"b","version":"1"}\n',
    "other-version": with_members(hello="castproof-testee/2"),
    "hostile-version": with_members(hello=HOSTILE),
    "not-utf-8": b'{"hello":"castproof-testee/1","name":"\xff\xfe","version":"1"}\n',
    "utf-16": line(HELLO).decode().encode("utf-16"),
    "bom": b"\xef\xbb\xbf" + line(HELLO),
    "nul": b"\x00" * 4096 + b"\n",
    "pretty": json.dumps(HELLO, indent=1).encode() + b"\n",
    "casts-is-text": with_members(casts="all"),
    "opset-is-negative": with_members(casts=[{"from": "int8", "to": ["int8"], "opsets": [-1]}]),
    "features-is-number": with_members(features=3),
    # These are fine.
    "crlf": line(HELLO)[:-1] + b"\r\n",
    "unknown-members": with_members(colour="red", seq=1, status="ok", bytes=7),
    "hostile-name": with_members(name=HOSTILE, version=HOSTILE, language=HOSTILE),
    "long-name": with_members(name="n" * 900_000),
    "empty-name": with_members(name="", version="", language=""),
    "unknown-features": with_members(features=[HOSTILE, "teleport"] * 1000),
    "one-mebibyte": line(HELLO)[:-1] + b" " * ((1 << 20) - len(line(HELLO)) + 1) + b"\n",
    # These leave no cast to be run.
    "no-casts": with_members(casts=[]),
    "unknown-casts": with_members(casts=[{"from": HOSTILE, "to": ["int9"]}]),
}


def answer(seq, payload):
    """Answers the request badly. The right answer is the payload."""
    size = len(payload)
    right = {"seq": seq, "status": "ok", "bytes": size}
    head = line(right)
    note("HOSTILE_BEGUN")
    if MODE.startswith("signal-"):
        number = signal.Signals[MODE.removeprefix("signal-")]
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        sleep()
    elif MODE.startswith("exit-"):
        os._exit(int(MODE.removeprefix("exit-")))
    elif MODE.startswith("bytes-"):
        raw(head.replace(b'"bytes": %d' % size, b'"bytes": ' + BYTES[MODE].encode()) + payload)
    elif MODE.startswith("seq-"):
        raw(head.replace(b'"seq": %d' % seq, b'"seq": ' + SEQS[MODE].encode()) + payload)
    elif MODE.startswith("status-"):
        raw(head.replace(b'"ok"', STATUSES[MODE]) + payload)
    elif MODE in LINES:
        raw(LINES[MODE])
    elif MODE in ANSWERS:
        ANSWERS[MODE](seq, payload, right, head)
    else:
        sys.exit(f"unknown mode {MODE}")


BYTES = {
    "bytes-negative": "-1",
    "bytes-fraction": "2.5",
    "bytes-text": '"many"',
    "bytes-nan": "NaN",
    "bytes-infinity": "Infinity",
    "bytes-exponent": "1e400",
    "bytes-null": "null",
    "bytes-array": "[39]",
    "bytes-2-to-63": str(2**63),
    "bytes-2-to-64": str(2**64),
    "bytes-long-number": "9" * 100_000,
    "bytes-none": "0",
}
SEQS = {
    "seq-next": "3",
    "seq-before": "1",
    "seq-negative": "-2",
    "seq-text": '"2"',
    "seq-fraction": "2.0",
    "seq-huge": str(2**64),
    "seq-twice": '2, "seq": 2',
}
STATUSES = {
    "status-capital": b'"OK"',
    "status-number": b"0",
    "status-null": b"null",
    "status-hostile": json.dumps(HOSTILE).encode(),
    "status-twice": b'"ok", "status": "unsupported"',
}
LINES = {
    "line-verdict": b"PASS  401 tests, 390 executed: pass 401\n",
    "line-noise": b"loading kernels\n",
    "line-empty": b"\n",
    "line-hostile": HOSTILE.replace("\n", " ").encode() + b"\n",
    "line-binary": bytes(range(128, 256)) + b"\n",
    "line-nul": b"\x00" * 100 + b"\n",
    "line-deep": b"[" * 500_000 + b"\n",
    "line-array": b"[2]\n",
    "line-whole-array": b'[2,"unsupported","no kernel",null,null,null]\n',
    "line-null": b"null\n",
    "line-bye": b'{"bye": true}\n',
    "line-hello": line(HELLO),
    "line-pretty": b'{\n"seq": 2,\n"status": "ok",\n"bytes": 0}\n',
}


def dies_with_child(keep, status):
    def act(*_):
        child(keep)
        os._exit(status)

    return act


def says_error(message):
    return lambda seq, *_: raw(b'{"seq":%d,"status":"error","message":%s}\n' % (seq, message))


def last_words(text):
    def act(*_):
        complain(text)
        os._exit(3)

    return act


def floods_and_answers(_seq, payload, _right, head):
    for _ in range(64):
        complain("x" * (1 << 20))
    raw(head + payload)


def children_and_sleep(*_):
    for _ in range(20):
        child([])
    sleep()


def ignores_signals(*_):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sleep()


def drips(_seq, payload, _right, head):
    raw(head)
    for byte in payload:
        raw(bytes([byte]))
        time.sleep(1)


def closes(descriptor):
    def act(_seq, payload, _right, head):
        os.close(descriptor)
        if descriptor == 0:
            raw(head + payload)
        sleep()

    return act


def child_goes_on(_seq, payload, _right, head):
    if os.fork():
        os._exit(0)
    raw(head + payload)


def byte_by_byte(_seq, payload, _right, head):
    for byte in head + payload:
        raw(bytes([byte]))


ANSWERS = {
    "short": lambda s, p, r, h: say({**r, "bytes": len(p) - 1}, p[:-1]),
    "long": lambda s, p, r, h: say({**r, "bytes": len(p) + 1}, p + b"x"),
    "gigabyte": lambda s, p, r, h: (say({**r, "bytes": 1 << 30}), without_end()),
    "no-bytes": lambda s, p, r, h: say({"seq": s, "status": "ok"}, p),
    "no-seq": lambda s, p, r, h: say({"status": "ok", "bytes": len(p)}, p),
    "no-status": lambda s, p, r, h: say({"seq": s, "bytes": len(p)}, p),
    "payload-breaks-off": lambda s, p, r, h: (raw(h + p[:-1]), os._exit(0)),
    "payload-breaks-off-and-sleeps": lambda s, p, r, h: (raw(h + p[:-1]), sleep()),
    "header-breaks-off": lambda s, p, r, h: (raw(h[:9]), os._exit(0)),
    "payload-first": lambda s, p, r, h: raw(p + h),
    "without-end": lambda *_: without_end(),
    "long-line": lambda s, p, r, h: raw(b" " * (2 << 20) + h + p),
    "junk-after": lambda s, p, r, h: (raw(h + p + b"junk\n"), time.sleep(0.3)),
    "flood-after": lambda s, p, r, h: (raw(h + p + b"flood"), without_end()),
    "two-answers": lambda s, p, r, h: (raw((h + p) * 2), time.sleep(0.3)),
    "next-answer-too": lambda s, p, r, h: (raw(h + p + line({**r, "seq": s + 1}) + p), time.sleep(0.3)),
    "sleeps": lambda *_: sleep(),
    "ignores-signals": ignores_signals,
    "stops": lambda *_: (os.kill(os.getpid(), signal.SIGSTOP), sleep()),
    "drips": drips,
    "late": lambda s, p, r, h: (time.sleep(20), raw(h + p)),
    "refuses-with-bytes": lambda s, p, r, h: say({**r, "status": "unsupported"}, p),
    "fails-with-bytes": lambda s, p, r, h: say({**r, "status": "error"}, p),
    "error": says_error(b'"out of registers"'),
    "error-hostile": says_error(json.dumps(HOSTILE).encode()),
    "error-long": says_error(b'"' + b"m" * 900_000 + b'"'),
    "error-surrogate": says_error(b'"\\ud800"'),
    "error-number": says_error(b"7"),
    "error-null": says_error(b"null"),
    "unknown-dtype": lambda s, p, r, h: say({**r, "dtype": "int9"}, p),
    "wrong-shape-type": lambda s, p, r, h: say({**r, "shape": "flat"}, p),
    "closes-stdout": closes(1),
    "closes-stdin": closes(0),
    "child-holds-stdout": dies_with_child(["stdout"], 0),
    "child-holds-stderr": dies_with_child(["stderr"], 7),
    "children-and-sleep": children_and_sleep,
    "hostile-last-words": last_words(HOSTILE + "\n" + HOSTILE),
    "binary-last-words": last_words(bytes(range(256)) * 40),
    "stderr-flood": last_words(b"x" * (64 << 20)),
    "wrong": lambda s, p, r, h: raw(h + bytes(byte ^ 1 for byte in p)),
    "rotated": lambda s, p, r, h: raw(h + p[1:] + p[:1]),
    "zeros": lambda s, p, r, h: raw(h + bytes(len(p))),
    # These are fine.
    "honest": lambda s, p, r, h: raw(h + p),
    "crlf": lambda s, p, r, h: raw(h[:-1] + b"\r\n" + p),
    "unknown-members": lambda s, p, r, h: say({**r, "colour": "red", "message": HOSTILE}, p),
    "padded": lambda s, p, r, h: raw(b" " * ((1 << 20) - len(h) + 1) + h + p),
    "byte-by-byte": byte_by_byte,
    "stderr-flood-and-answers": floods_and_answers,
    "child-goes-on": child_goes_on,
    "unsupported-hostile": lambda s, *_: say({"seq": s, "status": "unsupported", "message": HOSTILE}),
}


def always(seq, payload):
    name = MODE.removeprefix("always-")
    if name == "dies":
        sys.exit("cannot go on")
    elif name == "unsupported":
        say({"seq": seq, "status": "unsupported", "message": HOSTILE})
    elif name == "error":
        say({"seq": seq, "status": "error", "message": HOSTILE})
    elif name == "wrong":
        say({"seq": seq, "status": "ok", "bytes": len(payload)}, bytes(byte ^ 1 for byte in payload))
    elif name == "first-answer":
        say({"seq": 1, "status": "ok", "bytes": len(payload)}, payload)
    else:
        sys.exit(f"unknown mode {MODE}")


def main():
    note("HOSTILE_STARTS")
    sys.stdin.buffer.readline()
    hello()
    while text := sys.stdin.buffer.readline():
        header = json.loads(text)
        if header.get("bye"):
            return
        payload = sys.stdin.buffer.read(header["bytes"])
        seq = header["seq"]
        if MODE.startswith("always-"):
            always(seq, payload)
            continue
        unknown = [name for name, first in FIRST_OPSETS if name in header and header["opset"] < first]
        if header["from"] != header["to"] or unknown:
            say({"seq": seq, "status": "unsupported", "message": "only identity"})
        elif seq == SECOND and not MODE.startswith("hello-"):
            answer(seq, payload)
        else:
            say({"seq": seq, "status": "ok", "bytes": len(payload)}, payload)


main()
