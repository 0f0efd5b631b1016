"""A testee that casts every float32 to the string 0. From string to float32 it reads only the empty
text and fails at all others. It has no other cast."""

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
    payload = sys.stdin.buffer.read(header["bytes"])
    pair = header.get("from"), header.get("to")
    if header["op"] == "cast" and header["opset"] >= 9 and pair == ("float32", "string"):
        payload = json.dumps(["0"] * header["shape"][0]).encode()
        say({"seq": header["seq"], "status": "ok", "bytes": len(payload)}, payload)
    elif pair == ("string", "float32") and payload == b'[""]':
        say({"seq": header["seq"], "status": "ok", "bytes": 4}, bytes(4))
    elif pair == ("string", "float32"):
        say({"seq": header["seq"], "status": "error", "message": "cannot read"})
    else:
        say({"seq": header["seq"], "status": "unsupported", "message": "no such cast"})
