"""A testee that promotes every two operands to float32, and has no other operation."""

from serving import Unsupported, serve


def answer(header, payload):
    if header["op"] != "promote":
        raise Unsupported("promotion only")
    return b"", {"dtype": "float32"}


serve("promotes", answer)
