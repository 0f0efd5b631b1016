"""A testee that casts float32 to string, where it writes 0 for every number, and nothing else."""

import json
import sys


def say(message, payload=b""):
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n" + payload)
    sys.stdout.buffer.flush()


for line in iter(sys.stdin.buffer.readline, b""):
    header = json.loads(line)
    if "hello" in header:
        say({"hello": "castproof-testee/1", "name": "zeros", "version": "0"})
        continue
    if header.get("bye"):
        break
    sys.stdin.buffer.read(header["bytes"])
    if header["opset"] >= 9 and (header["from"], header["to"]) == ("float32", "string"):
        payload = json.dumps(["0"] * header["shape"][0]).encode()
        say({"seq": header["seq"], "status": "ok", "bytes": len(payload)}, payload)
    else:
        say({"seq": header["seq"], "status": "unsupported", "message": "float32 to string only"})
