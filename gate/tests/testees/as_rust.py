"""A testee of the profile rust-as in another language. It casts float32 to int8, wrongly in the way
that its argument names. It has no operator of ONNX, and its hello also lists an unknown profile.
"""

import json
import math
import struct
import sys

MODE = sys.argv[1] if len(sys.argv) > 1 else "honest"


def cast(value):
    if math.isnan(value):
        return -128 if MODE == "nan-is-least" else 0
    if math.isinf(value):
        return -128 if value < 0 else 127
    if MODE == "wraps":
        return (int(value) + 128) % 256 - 128
    return max(-128, min(127, int(value)))


def say(message, payload=b""):
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n" + payload)
    sys.stdout.buffer.flush()


sys.stdin.buffer.readline()
hello = {"hello": "castproof-testee/1", "name": "as-rust", "version": "0"}
say({**hello, "profiles": ["move-of-cobol", "rust-as"]})
while line := sys.stdin.buffer.readline():
    header = json.loads(line)
    if header.get("bye"):
        break
    payload = sys.stdin.buffer.read(header["bytes"])
    known = {"seq", "op", "from", "to", "profile", "shape", "bytes"}
    right = (header["op"], header.get("profile")) == ("cast", "rust-as") and set(header) == known
    if right and (header["from"], header["to"]) == ("float32", "int8"):
        output = bytes(cast(value) & 255 for (value,) in struct.iter_unpack("<f", payload))
        say({"seq": header["seq"], "status": "ok", "bytes": len(output)}, output)
    else:
        say({"seq": header["seq"], "status": "unsupported", "message": "float32 to int8 only"})
