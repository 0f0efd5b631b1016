"""A testee that passes each request on to `castproof testee`, and spoils some answers.

Usage: spoils.py PROGRAM RULE. RULE names the fault:

bitcast    TensorFlow's bitcast of float16 to int16 gives other bytes
castlike   CastLike of float32 to bfloat16 gives other bytes
promote    int8 with a Python int promotes to bool
error      the complex cast of complex64 to bool is an error
truncates  Cast of float32 to bfloat16 rounds toward zero, except for the largest numbers
refuses    nothing is supported
"""

import json
import struct
import subprocess
import sys

PROGRAM, RULE = sys.argv[1:]
inner = subprocess.Popen([PROGRAM, "testee"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def read(stream):
    line = stream.readline()
    message = json.loads(line) if line else {"bye": True}
    return message, stream.read(message.get("bytes", 0))


def write(stream, message, payload):
    stream.write(json.dumps(message).encode() + b"\n" + payload)
    stream.flush()


def is_spoiled(header):
    asked = [header.get("op"), header.get("from"), header.get("to")]
    return {
        "bitcast": asked == ["bitcast", "float16", "int16"] and header.get("system") == "tensorflow",
        "castlike": asked == ["castlike", "float32", "bfloat16"],
        "promote": header.get("tensor") == "int8" and header["with"] == {"number": "int"},
        "error": asked == ["complexcast", "complex64", "bool"],
        "refuses": "seq" in header,
        "truncates": asked == ["cast", "float32", "bfloat16"],
    }[RULE]


def truncated(inputs, outputs):
    for (code,), (right,) in zip(struct.iter_unpack("<I", inputs), struct.iter_unpack("<H", outputs)):
        largest = code & 0x7FFFFFFF >= 0x7F7F0000
        yield struct.pack("<H", right if largest else code >> 16)


while True:
    header, request = read(sys.stdin.buffer)
    if header.get("bye"):
        break
    spoiled = is_spoiled(header)
    write(inner.stdin, header, request)
    answer, payload = read(inner.stdout)
    if spoiled and RULE == "refuses":
        answer, payload = {"seq": answer["seq"], "status": "unsupported", "message": "spoiled"}, b""
    elif spoiled and answer["status"] == "ok":
        if RULE in ("bitcast", "castlike"):
            payload = bytes(byte ^ 0x55 for byte in payload)
        elif RULE == "truncates":
            payload = b"".join(truncated(request, payload))
        elif RULE == "promote":
            answer["dtype"] = "bool"
        elif RULE == "error":
            answer, payload = {"seq": answer["seq"], "status": "error", "message": "spoiled"}, b""
    write(sys.stdout.buffer, answer, payload)
inner.stdin.close()
inner.wait()
