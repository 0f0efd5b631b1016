"""A testee that lets the gate ask ahead. It returns every input as it is, and misbehaves at tensors
of seven elements, in the way that its argument names."""

import json
import sys
import time

MODE = sys.argv[1]


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
    say({**hello, "casts": [{"from": "int8", "to": ["int8"], "opsets": [25]}]})
    while text := sys.stdin.buffer.readline():
        header = json.loads(text)
        if header.get("bye"):
            return
        payload = sys.stdin.buffer.read(header["bytes"])
        if header["shape"] == [7]:
            misbehave(header["seq"], payload)
        else:
            say({"seq": header["seq"], "status": "ok", "bytes": len(payload)}, payload)


main()
