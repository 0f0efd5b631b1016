"""Reads the binary book by docs/formats.md alone, and prints it as JSON: read_book.py FILE

It imports nothing of Castproof. A part whose checksum is wrong ends it with status 1.
"""

import json
import sys
import zlib


class Bytes:
    """Bytes that are read from front to back."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        """Reads some bytes."""
        part = self.data[self.at : self.at + count]
        assert len(part) == count, "the end of the bytes"
        self.at += count
        return part

    def number(self):
        """Reads a number."""
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def difference(self):
        """Reads a difference."""
        number = self.number()
        return -(number + 1) // 2 if number % 2 else number // 2

    def text(self):
        """Reads a text."""
        return self.take(self.number()).decode()

    def list(self, entry):
        """Reads a list."""
        return [entry() for _ in range(self.number())]

    def numbers(self, count):
        """Reads some numbers."""
        return [self.number() for _ in range(count)]


def checked(part, beside=b""):
    """Takes the checksum off a part. It also covers the bytes beside."""
    body, checksum = part[:-4], int.from_bytes(part[-4:], "little")
    if zlib.crc32(body + beside) != checksum:
        sys.exit("a checksum is wrong")
    return body


def entries(column, read):
    """Yields the entries of a column, as `read` makes them of their first number and what follows it."""
    data, entry = Bytes(column), None
    while data.at < len(column):
        first = data.number()
        if first:
            entry = read(first, data)
        for _ in range(1 if first else data.number()):
            yield entry


def outcome(first, data):
    """Reads an outcome."""
    match first:
        case 1:
            return "code", data.difference()
        case 2:
            code, codes = 0, []
            for difference in data.list(data.difference):
                code += difference
                codes.append(code % 2**64)
            return "oneOf", codes
        case _:
            return {3: "anyNaN", 4: "any", 5: "reject", 16: "quietNaN"}[first], True


class Codes:
    """Codes as they are written, and the last of them."""

    def __init__(self, bits):
        self.bits, self.last = bits, 0

    def hex(self, code):
        """Writes a code."""
        return f"0x{code:0{(self.bits + 3) // 4}x}"

    def outcome(self, kind, value):
        """Makes an outcome of an entry."""
        if kind == "code":
            self.last = value = (self.last + value) % 2**64
            return {kind: self.hex(value)}
        return {kind: [self.hex(code) for code in value] if kind == "oneOf" else value}


def formulas(column, source, target):
    """Returns what is expected of each piece."""

    def read(first, data):
        if first < 8 or first == 16:
            return outcome(first, data)
        return "shift", (first - 8, data.difference(), data.difference(), data.difference())

    codes, origin, base, found = Codes(target), 0, 0, []
    for kind, value in entries(column, read):
        if kind != "shift":
            found.append({"expect": codes.outcome(kind, value)})
            continue
        flags, bits, further, higher = value
        origin, base = (origin + further) % 2**64, (base + higher) % 2**64
        shift = {"origin": Codes(source).hex(origin), "bits": bits, "base": codes.hex(base)}
        shift |= {name: True for bit, name in enumerate(["descending", "nearest", "subtract"]) if flags >> bit & 1}
        found.append({"shift": shift})
    return found


def tolerated(column, target):
    """Returns what is tolerated of each piece."""

    def read(first, data):
        if first < 6 or first == 16:
            return outcome(first, data)
        return first, data.number() if first >= 8 else 0

    codes, found = Codes(target), []
    for kind, value in entries(column, read):
        if isinstance(kind, str):
            found.append({"tolerate": codes.outcome(kind, value)})
        elif kind == 6:
            found.append({})
        elif kind == 7:
            found.append({"expectInexact": {"any": True}})
        else:
            ways = {name: True for bit, name in enumerate(["truncated", "tie", "flushed"]) if kind - 8 >> bit & 1}
            found.append({"tolerateByCode": ways | ({"twice": value} if value else {})})
    return found


def attributes(text):
    """Returns attributes as the JSON book has them."""
    words = dict(word.split("=") for word in text.split())
    found = {"saturate": int(words["saturate"])} if "saturate" in words else {}
    return found | ({"roundMode": words["round_mode"]} if "round_mode" in words else {})


def main():
    """Reads the file and prints it."""
    with open(sys.argv[1], "rb") as file:
        data = Bytes(checked(file.read()))
    assert data.take(24) in (b"castproof-book-binary/1\n", b"castproof-book-binary/2\n"), "the first line"
    head = Bytes(checked(data.take(data.number() + 4)))
    dtypes = head.list(lambda: (head.text(), head.number()))
    specs, sets, rules = (head.list(head.text) for _ in range(3))
    spec_sets, attribute_sets = (head.list(lambda: head.list(head.number)) for _ in range(2))
    rule_sets, kinds, pairs = (head.list(lambda: head.numbers(3)) for _ in range(3))
    columns = [head.list(head.number) for _ in range(4)]
    answers = head.list(head.number)
    assert head.at == len(head.data), "the end of the head"

    requests = []
    for start, end, length in pairs:
        rows, answer = Bytes(checked(data.take(length))), 0
        while rows.at < len(rows.data):
            which_specs, which_sets, rule = kinds[rows.number()]
            answer += rows.difference()
            row = {
                "specs": [specs[which] for which in spec_sets[which_specs]],
                "from": dtypes[start][0],
                "to": dtypes[end][0],
                "attributes": [attributes(sets[which]) for which in attribute_sets[which_sets]],
                "answer": answer,
            }
            requests.append(row | ({"rule": rules[rule - 1]} if rule else {}))

    columns = [[data.take(length) for length in lengths] for lengths in columns]
    found = []
    for length in answers:
        part = data.take(length)
        record = Bytes(part)
        source, target, *which = record.numbers(6)
        four = [kind[place] for kind, place in zip(columns, which)]
        checked(part, b"".join(four))
        first, firsts = 0, [0]
        for distance in entries(four[0], lambda first, _: first):
            first += distance
            firsts.append(first)
        pieces = []
        whichever = entries(four[3], lambda first, _: first - 1)
        parts = zip(firsts, formulas(four[1], source, target), tolerated(four[2], target), whichever, strict=True)
        for first, expected, more, rule_set in parts:
            always, *others = rule_sets[rule_set]
            names = {"rule": rules[always]}
            for name, rule in zip(["ruleInexact", "ruleTwice"], others):
                names |= {name: rules[rule - 1]} if rule else {}
            pieces.append({"first": Codes(source).hex(first)} | expected | more | names)
        found.append({"fromBits": source, "toBits": target, "pieces": pieces})
    assert data.at == len(data.data), "the end of the file"
    json.dump({"format": "castproof-book/5", "requests": requests, "answers": found}, sys.stdout)


if __name__ == "__main__":
    main()
