"""A testee that casts float64 to float16 through float32. This rounds twice, which is tolerated."""

import json
import struct
import sys


def half(value):
    try:
        return struct.pack("<e", value)
    except OverflowError:
        return struct.pack("<e", float("inf") if value > 0 else float("-inf"))


def single(value):
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def say(message, payload=b""):
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n" + payload)
    sys.stdout.buffer.flush()


sys.stdin.buffer.readline()
say({"hello": "castproof-testee/1", "name": "through", "version": "0"})
while line := sys.stdin.buffer.readline():
    header = json.loads(line)
    if header.get("bye"):
        break
    payload = sys.stdin.buffer.read(header["bytes"])
    attributes = "saturate" in header and header["opset"] < 19
    attributes |= "roundMode" in header and header["opset"] < 24
    if (header["from"], header["to"]) == ("float64", "float16") and not attributes:
        output = b"".join(half(single(value)) for (value,) in struct.iter_unpack("<d", payload))
        say({"seq": header["seq"], "status": "ok", "bytes": len(output)}, output)
    else:
        say({"seq": header["seq"], "status": "unsupported", "message": "float16 only"})
