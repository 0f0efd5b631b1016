"""A testee that returns every input as it is, and misbehaves in the way that its argument names.

Its casts from a dtype to itself are therefore right. A mode that spoils an answer does so at the
second request only, so that the rest of the run is in order.
"""

import json
import os
import signal
import sys
import time

MODE = sys.argv[1] if len(sys.argv) > 1 else "honest"
SECOND = 2
FIRST_OPSETS = [("saturate", 19), ("roundMode", 24)]


def say(message, payload=b""):
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n" + payload)
    sys.stdout.buffer.flush()


def raw(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def misbehave(seq, payload):
    """Answers request `seq` badly. The right answer is the payload."""
    size = len(payload)
    right = {"seq": seq, "status": "ok", "bytes": size}
    if MODE == "die":
        sys.stderr.write("Segmentation fault in kernel 7\n")
        sys.stderr.flush()
        os._exit(3)
    elif MODE == "hang":
        time.sleep(600)
    elif MODE == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
        time.sleep(600)
    elif MODE == "left-behind":
        # The child has a copy of the pipe, which then has no end.
        if os.fork() == 0:
            time.sleep(600)
        os.kill(os.getpid(), signal.SIGSEGV)
    elif MODE == "drip":
        raw(json.dumps(right).encode() + b"\n")
        for byte in payload:
            raw(bytes([byte]))
            time.sleep(1)
    elif MODE == "wrong-shape":
        say([{"answer": right}])
    elif MODE == "wrong-type":
        say({**right, "bytes": "many"})
    elif MODE == "gigabyte":
        raw(json.dumps({**right, "bytes": 1 << 30}).encode() + b"\n")
        for _ in range(1 << 10):
            raw(bytes(1 << 20))
    elif MODE == "too-much":
        raw(json.dumps(right).encode() + b"\n" + payload + bytes(100))
        time.sleep(0.2)
    elif MODE == "stderr-flood":
        for _ in range(256):
            sys.stderr.write("x" * (1 << 20))
        os._exit(4)
    elif MODE == "deep":
        raw(b"[" * 500000 + b"\n")
    elif MODE == "short":
        say({**right, "bytes": size - 1}, payload[:-1])
    elif MODE == "huge":
        say({**right, "bytes": 2**62})
    elif MODE == "break-off":
        say(right, payload[:-1])
        sys.exit(0)
    elif MODE == "other-seq":
        say({**right, "seq": seq + 1}, payload)
    elif MODE == "noise":
        raw(b"loading kernels\n")
        say(right, payload)
    elif MODE == "binary":
        raw(bytes(range(128, 256)) + b"\n")
    elif MODE == "endless":
        raw(b"x" * (2 << 20))
    elif MODE == "error":
        say({"seq": seq, "status": "error", "message": "out of registers"})
    elif MODE == "unsupported":
        say({"seq": seq, "status": "unsupported", "message": "no kernel"})
    else:
        sys.exit(f"unknown mode {MODE}")


def hello():
    if MODE == "exit-at-once":
        sys.exit("ImportError: no module named kernels")
    if MODE == "silent":
        time.sleep(600)
    if MODE == "babble":
        raw(b"Welcome!\n")
    version = "castproof-testee/9" if MODE == "other-protocol" else "castproof-testee/1"
    greeting = {"hello": version, "name": "echo", "version": "1", "language": "python"}
    if MODE == "one-cast":
        greeting["casts"] = [{"from": "int8", "to": ["int8"], "opsets": [13, 21]}]
    if MODE.startswith("digest-"):
        greeting["digest"] = MODE
    say(greeting)


def main():
    sys.stdin.buffer.readline()
    hello()
    while line := sys.stdin.buffer.readline():
        header = json.loads(line)
        if header.get("bye"):
            return
        payload = sys.stdin.buffer.read(header["bytes"])
        seq = header["seq"]
        if MODE == "slow":
            time.sleep(0.02)
        if MODE == "never":
            say({"seq": seq, "status": "unsupported", "message": "no kernel at all"})
            continue
        if MODE == "die-always":
            sys.exit("cannot go on")
        unknown = [name for name, first in FIRST_OPSETS if name in header and header["opset"] < first]
        if header["from"] != header["to"] or unknown:
            say({"seq": seq, "status": "unsupported", "message": "only identity"})
        elif seq == SECOND and MODE not in ("honest", "one-cast", "slow") and not MODE.startswith("digest-"):
            misbehave(seq, payload)
        else:
            say({"seq": seq, "status": "ok", "bytes": len(payload)}, payload)


main()
