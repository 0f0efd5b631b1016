"""A testee that lets the gate ask ahead. It returns every input as it is, and misbehaves at tensors
of seven elements, in the way that its argument names. With the argument `chain` after it, it misbehaves
at chains through int8 instead."""

import json
import sys
import time

MODE = sys.argv[1]
CHAINS = sys.argv[2:] == ["chain"]


def say(message, payload=b""):
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n" + payload)
    sys.stdout.buffer.flush()


def misbehave(seq, payload):
    right = {"seq": seq, "status": "ok", "bytes": len(payload)}
    if MODE == "dies":
        sys.exit("no kernel for seven")
    elif MODE == "hangs":
        time.sleep(600)
    elif MODE == "error":
        say({"seq": seq, "status": "error", "message": "seven"})
    elif MODE == "lies":
        say({"seq": seq, "status": "error", "message": "broke the protocol: it says so itself"})
    elif MODE == "short":
        say({**right, "bytes": 3}, payload[:3])
    elif MODE == "skips":
        say({**right, "seq": seq + 1}, payload)
    elif MODE == "wrong":
        say(right, bytes(byte ^ 1 for byte in payload))
    else:
        say(right, payload)


def main():
    sys.stdin.buffer.readline()
    hello = {"hello": "castproof-testee/1", "name": "ahead", "version": "1", "ahead": True}
    dtypes = ["int8", "uint8"] if CHAINS else ["int8"]
    casts = [{"from": dtype, "to": dtypes, "opsets": [25]} for dtype in dtypes]
    say({**hello, "casts": casts, "features": ["chain"] if CHAINS else []})
    while text := sys.stdin.buffer.readline():
        header = json.loads(text)
        if header.get("bye"):
            return
        payload = sys.stdin.buffer.read(header["bytes"])
        if header["op"] == "chain":
            is_bad = header["dtypes"][1] == "int8"
        else:
            is_bad = header["shape"] == [7] and not CHAINS
        if is_bad:
            misbehave(header["seq"], payload)
        else:
            say({"seq": header["seq"], "status": "ok", "bytes": len(payload)}, payload)


main()
