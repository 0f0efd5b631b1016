"""A testee that promotes int8 with uint8 to int16 by copying codes, and has no other operation."""

from serving import Unsupported, serve


def answer(header, elements):
    if header.get("tensor") != "int8" or header["with"] != {"tensor": "uint8"}:
        raise Unsupported("int8 with uint8 only")
    return bytes([elements[0], 0, elements[1], 0]), {"dtype": "int16"}


serve("operands", answer)
