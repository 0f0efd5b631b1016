"""A testee that casts float32 to float8e4m3fn by truncation: wrong results without an error."""

import json
import struct
import sys


def cast(code):
    sign = code >> 31
    value = abs(struct.unpack("<f", struct.pack("<I", code))[0])
    if not value <= 448:
        return sign << 7 | 0x7E  # NaN too
    fits = [low for low in range(0x7F) if magnitude(low) <= value]
    return sign << 7 | fits[-1]


def magnitude(code):
    exponent, significand = code >> 3, code & 7
    if exponent == 0:
        return significand * 2.0**-9
    return (8 + significand) * 2.0 ** (exponent - 10)


def say(message, payload=b""):
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n" + payload)
    sys.stdout.buffer.flush()


sys.stdin.buffer.readline()
say({"hello": "castproof-testee/1", "name": "wrong", "version": "0"})
while line := sys.stdin.buffer.readline():
    header = json.loads(line)
    if header.get("bye"):
        break
    payload = sys.stdin.buffer.read(header["bytes"])
    if (header["from"], header["to"]) == ("float32", "float8e4m3fn") and header["opset"] >= 19:
        output = bytes(cast(code) for (code,) in struct.iter_unpack("<I", payload))
        say({"seq": header["seq"], "status": "ok", "bytes": len(output)}, output)
    else:
        say({"seq": header["seq"], "status": "unsupported", "message": "float8e4m3fn only"})
