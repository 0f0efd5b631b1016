"""What the testees beside this file share: they answer one request after the other."""

import json
import sys


class Unsupported(Exception):
    """The testee does not take the request."""


def say(message, payload=b""):
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n" + payload)
    sys.stdout.buffer.flush()


def serve(name, answer):
    """Serves until the gate says bye. `answer` takes the header and the payload of a request. It returns the
    payload, and the members of the answer beside `seq`, `status` and `bytes`. It raises Unsupported for a
    request that it does not take, and RuntimeError for one at which it fails."""
    sys.stdin.buffer.readline()
    say({"hello": "castproof-testee/1", "name": name, "version": "0"})
    for line in iter(sys.stdin.buffer.readline, b""):
        header = json.loads(line)
        if header.get("bye"):
            break
        payload = sys.stdin.buffer.read(header["bytes"])
        try:
            output, members = answer(header, payload)
        except (Unsupported, RuntimeError) as problem:
            status = "unsupported" if isinstance(problem, Unsupported) else "error"
            say({"seq": header["seq"], "status": status, "message": str(problem)})
        else:
            say({"seq": header["seq"], "status": "ok", "bytes": len(output)} | members, output)
