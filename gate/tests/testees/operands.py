"""A testee that promotes int8 with uint8 to int16 by copying codes, and has no other operation."""

import json
import sys


def say(message, payload=b""):
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n" + payload)
    sys.stdout.buffer.flush()


for line in iter(sys.stdin.buffer.readline, b""):
    header = json.loads(line)
    if "hello" in header:
        say({"hello": "castproof-testee/1", "name": "operands", "version": "0"})
        continue
    if header.get("bye"):
        break
    elements = sys.stdin.buffer.read(header["bytes"])
    seq = header["seq"]
    if header.get("tensor") == "int8" and header["with"] == {"tensor": "uint8"}:
        copied = bytes([elements[0], 0, elements[1], 0])
        say({"seq": seq, "status": "ok", "dtype": "int16", "bytes": 4}, copied)
    else:
        say({"seq": seq, "status": "unsupported", "message": "int8 with uint8 only"})
