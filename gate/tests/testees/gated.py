"""A testee that returns every input as it is. At the source dtype that the file `stop` beside it
names, it waits until that file is gone. Its hello states a digest of this file, unless it has an argument.
"""

import hashlib
import json
import os
import sys
import time

SPOILED = False
BITS = 0
STOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stop")
FIRST_OPSETS = [("saturate", 19), ("roundMode", 24)]


def say(message, payload=b""):
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n" + payload)
    sys.stdout.buffer.flush()


def stops_at(dtype):
    try:
        with open(STOP) as file:
            return file.read() == dtype
    except FileNotFoundError:
        return False


sys.stdin.buffer.readline()
hello = {"hello": "castproof-testee/1", "name": "gated", "version": "1", "language": "python"}
if len(sys.argv) == 1:
    with open(__file__, "rb") as file:
        hello["digest"] = hashlib.sha256(file.read()).hexdigest()
say(hello)
while line := sys.stdin.buffer.readline():
    header = json.loads(line)
    if header.get("bye"):
        break
    payload = sys.stdin.buffer.read(header["bytes"])
    while stops_at(header["from"]):
        time.sleep(0.02)
    unknown = [name for name, first in FIRST_OPSETS if name in header and header["opset"] < first]
    if header["from"] != header["to"] or unknown:
        say({"seq": header["seq"], "status": "unsupported", "message": "only identity"})
        continue
    if SPOILED or BITS:
        payload = bytes(byte ^ 1 for byte in payload)
    say({"seq": header["seq"], "status": "ok", "bytes": len(payload)}, payload)
