"""A testee that does harm in the way that its argument names.

`says-...`: sends the text whose bytes in hexadecimal are the second argument, in a certain place.
`flips`: answers as the program's own implementation, but flips the lowest bit of the result where
the input is the code 1, for sources of one byte and tensors of several elements.
"""

import json
import os
import subprocess
import sys

MODE = sys.argv[1]
HELLO = b'{"hello":"castproof-testee/1"}\n'


class Honest:
    """The program under test, run as a testee."""

    def __init__(self):
        self.child = subprocess.Popen(
            [os.environ["CASTPROOF"], "testee"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.child.stdin.write(HELLO)
        self.child.stdin.flush()
        self.child.stdout.readline()

    def ask(self, line, payload):
        self.child.stdin.write(line + payload)
        self.child.stdin.flush()
        answer = json.loads(self.child.stdout.readline())
        return answer, bytearray(self.child.stdout.read(answer.get("bytes", 0)))


def say(message, payload=b""):
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n" + payload)
    sys.stdout.buffer.flush()


def says(text):
    """Sends the text in the place that the mode names."""
    sys.stdin.buffer.readline()
    if MODE == "says-no-hello":
        sys.stdout.buffer.write(text.encode() + b"\n")
        return
    say({"hello": "castproof-testee/1", "name": text, "version": text, "language": text})
    while line := sys.stdin.buffer.readline():
        header = json.loads(line)
        if header.get("bye"):
            return
        sys.stdin.buffer.read(header["bytes"])
        if MODE == "says-last-words":
            sys.stderr.buffer.write(text.encode() + b"\n" + text.encode())
            sys.exit(3)
        status = "error" if MODE == "says-error" else "unsupported"
        say({"seq": header["seq"], "status": status, "message": text})


def main():
    if MODE.startswith("says-"):
        return says(bytes.fromhex(sys.argv[2]).decode())
    honest = Honest()
    sys.stdin.buffer.readline()
    say({"hello": "castproof-testee/1", "name": MODE, "version": "1", "language": "python"})
    while line := sys.stdin.buffer.readline():
        header = json.loads(line)
        if header.get("bye"):
            return
        payload = sys.stdin.buffer.read(header["bytes"])
        answer, output = honest.ask(line, payload)
        if MODE == "flips" and answer["status"] == "ok" and len(payload) > 1:
            size = 8 * len(output) // len(payload)
            for place, code in enumerate(payload):
                if code == 1:
                    output[place * size // 8] ^= 1 << (place * size % 8)
        say(answer, bytes(output))


main()
