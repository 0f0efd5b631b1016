"""A testee of bfloat16 to float32 that is right in Cast-28 alone, and refuses no version.

`listed`: its hello lists every version. `idle`: it lists Cast-13 and Cast-28, is right, and has no Cast-13.
"""

import json
import struct
import sys

MODE = sys.argv[1]
LISTED = {"listed": [1, 6, 9, 13, 19, 21, 23, 24, 25, 28], "idle": [13, 28]}


def say(message, payload=b""):
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n" + payload)
    sys.stdout.buffer.flush()


hello = json.loads(sys.stdin.buffer.readline())
answer = {"hello": hello["hello"], "name": "versions", "version": MODE}
if MODE in LISTED:
    answer["casts"] = [{"from": "bfloat16", "to": ["float32"], "opsets": LISTED[MODE]}]
say(answer)
for line in sys.stdin.buffer:
    request = json.loads(line)
    if "bye" in request:
        break
    payload = sys.stdin.buffer.read(request["bytes"])
    right = (request.get("from"), request.get("to"), request["op"]) == ("bfloat16", "float32", "cast")
    if not right or (MODE == "idle" and request["opset"] == 13):
        say({"seq": request["seq"], "status": "unsupported", "message": "no such cast"})
        continue
    wrong = 0 if MODE == "idle" or request["opset"] == 28 else 1
    codes = struct.unpack(f"<{len(payload) // 2}H", payload)
    output = struct.pack(f"<{len(codes)}I", *((code << 16) ^ wrong for code in codes))
    say({"seq": request["seq"], "status": "ok", "bytes": len(output)}, output)
