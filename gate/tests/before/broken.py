"""A testee that passes each request on to `castproof testee`, with one fault of each kind.

Usage: broken.py PROGRAM. It made the files of this folder.
"""

import json
import struct
import subprocess
import sys

inner = subprocess.Popen([sys.argv[1], "testee"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def read(stream):
    line = stream.readline()
    message = json.loads(line) if line else {"bye": True}
    return message, stream.read(message.get("bytes", 0))


def write(stream, message, payload):
    stream.write(json.dumps(message).encode() + b"\n" + payload)
    stream.flush()


def replaced(payload, old, new, width="B"):
    size = struct.calcsize(width)
    elements = struct.unpack(f"<{len(payload) // size}{width}", payload)
    elements = [new if element == old else element for element in elements]
    return struct.pack(f"<{len(elements)}{width}", *elements)


while True:
    header, request = read(sys.stdin.buffer)
    if header.get("bye"):
        break
    op, pair = header.get("op"), (header.get("from"), header.get("to"))
    cast = op == "cast"
    asked = dict(header)
    if cast and pair == ("int64", "bfloat16") and header["opset"] < 13:
        asked["opset"] = 13  # accepts what its version refuses
    if cast and pair == ("float16", "float8e5m2") and "saturate" not in header:
        asked["saturate"] = 0  # an absent attribute is misread
    write(inner.stdin, asked, request)
    answer, payload = read(inner.stdout)
    if answer.get("status") == "ok":
        if cast and pair == ("int8", "uint8"):
            payload = replaced(payload, 0xFF, 0xFE)  # -1
        if cast and pair == ("uint16", "float32"):
            payload = replaced(payload, 0x46C90E00, 0, "I")  # 25735, of which no vector asks
        if cast and pair == ("uint8", "int16") and len(payload) > 2:
            payload = payload[:-1] + bytes([payload[-1] ^ 0x40])  # the last element
        if cast and pair == ("bool", "int32"):
            answer, payload = {"seq": answer["seq"], "status": "error", "message": "no cast 17"}, b""
        if op == "promote" and header.get("tensor") == "int8":
            answer["dtype"] = "bool"
    write(sys.stdout.buffer, answer, payload)
inner.stdin.close()
inner.wait()
