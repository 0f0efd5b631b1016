"""A castproof testee in Python, without dependencies. Put your kernel where uint8_to_float32 is.

    castproof gate --testee 'python3 testee.py' --from uint8 --to float32

For more dtypes and a guard against libraries that print, see adapters/castproof_testee.py.
"""

import json
import struct
import sys

FIRST_OPSET = {"saturate": 19, "roundMode": 24}

# The specifications other than ONNX's that the kernel follows, as `castproof gate --profile NAME` asks for them.
PROFILES = ["rust-as"]

# Members of later protocols must be refused.
KNOWN = {"seq", "op", "from", "to", "opset", "profile", "saturate", "roundMode", "shape", "bytes"}


def uint8_to_float32(payload: bytes) -> bytes:
    return struct.pack(f"<{len(payload)}f", *payload)


CASTS = {("uint8", "float32"): uint8_to_float32}


def say(message: dict, payload: bytes = b"") -> None:
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n" + payload)
    sys.stdout.buffer.flush()


def serve(casts: dict) -> None:
    """Answers requests until the input ends or the gate says goodbye."""
    while line := sys.stdin.buffer.readline():
        request = json.loads(line)
        if "hello" in request:
            # `shapes`: any shape, because only the number of elements matters here.
            hello = {"hello": "castproof-testee/1", "name": "python-template", "version": "1"}
            say(hello | {"features": ["shapes"], "profiles": PROFILES})
            continue
        if "bye" in request:
            break
        payload = sys.stdin.buffer.read(request["bytes"])
        # A bitcast between these dtypes is not a cast.
        is_cast = request["op"] in ("cast", "castlike") and request.keys() <= KNOWN
        kernel = casts.get((request["from"], request["to"])) if is_cast else None
        # An attribute that the operator set does not have yet must be refused. The profiles here have none.
        opset = request.get("opset", 0)
        too_new = any(name in request and opset < first for name, first in FIRST_OPSET.items())
        if kernel is None or too_new:
            say({"seq": request["seq"], "status": "unsupported", "message": "no such cast"})
        else:
            output = kernel(payload)
            say({"seq": request["seq"], "status": "ok", "bytes": len(output)}, output)


if __name__ == "__main__":
    serve(CASTS)
