"""A testee that promotes every two operands to float32, and has no other operation."""

import json
import sys


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


for line in iter(sys.stdin.buffer.readline, b""):
    header = json.loads(line)
    if "hello" in header:
        say({"hello": "castproof-testee/1", "name": "promotes", "version": "0"})
        continue
    if header.get("bye"):
        break
    sys.stdin.buffer.read(header["bytes"])
    if header["op"] == "promote":
        say({"seq": header["seq"], "status": "ok", "dtype": "float32", "bytes": 0})
    else:
        say({"seq": header["seq"], "status": "unsupported", "message": "promotion only"})
