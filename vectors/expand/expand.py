"""Expands the book: prints every code of a request with its answer, as vector files have it.

    gunzip -c book.json.gz | python3 expand.py onnx-cast-28 float16 int8 '{}'
    gunzip -c book.json.gz | python3 expand.py 16      # every answer of sources up to 16 bits
"""

import json
import sys


def rounded(value, bits, base):
    """Drops bits, to nearest; a tie goes to the even of base and what is left."""
    count, dropped = value >> bits, value % (1 << bits)
    half, odd = 1 << (bits - 1), (base + count) % 2
    return count + (dropped > half or (dropped == half and odd))


def shifted(code, piece, from_bits, to_bits):
    """The expected code, those that are tolerated beside it, and the rule."""
    shift, other = piece["shift"], piece.get("tolerateByCode", {})
    base, origin, bits = int(shift["base"], 16), int(shift["origin"], 16), shift["bits"]
    distance = (origin - code if shift.get("descending") else code - origin) % (1 << from_bits)
    cut = distance >> bits if bits > 0 else distance << -bits
    count = rounded(distance, bits, base) if shift.get("nearest") else cut
    first, sign = other.get("twice"), -1 if shift.get("subtract") else 1
    twice = rounded(rounded(distance, first, 0), bits - first, base) if first else count
    exact = bits <= 0 or distance % (1 << bits) == 0
    rule = piece["rule"] if exact else piece.get("ruleInexact", piece["rule"])
    rule = rule if twice == count else piece.get("ruleTwice", rule)
    more = {cut if other.get("truncated") else count, twice} - {count}
    count, *more = ((base + sign * it) % (1 << to_bits) for it in [count, *sorted(more)])
    return count, more, rule


def expand(answer, whole):
    """Yields the line of every code."""
    digits, to_digits = ((answer[width] + 3) // 4 for width in ("fromBits", "toBits"))
    for piece in answer["pieces"]:
        for code in range(int(piece["first"], 16), int(piece["last"], 16) + 1):
            expect, tolerate, rule = piece.get("expect"), piece.get("tolerate"), piece["rule"]
            if not expect:
                result, more, rule = shifted(code, piece, answer["fromBits"], answer["toBits"])
                expect = {"code": f"0x{result:0{to_digits}x}"}
                more = [f"0x{it:0{to_digits}x}" for it in more]
                more = {"oneOf": more} if len(more) > 1 else {"code": more[0]} if more else None
                tolerate = tolerate or more
            tolerate = {"tolerate": tolerate} if tolerate else {}
            line = {"input": f"0x{code:0{digits}x}", "expect": expect, **tolerate}
            yield json.dumps({**line, "clause": whole or rule}, separators=(",", ":"))


if __name__ == "__main__":
    book, wanted = json.load(sys.stdin), [*sys.argv[1:4], json.loads(sys.argv[-1])]
    rows = [(book["answers"][row["answer"]], row.get("rule")) for row in book["requests"]
            if row["from"] == wanted[1] and row["to"] == wanted[2]
            and wanted[0] in row["specs"] and wanted[3] in row["attributes"]] if len(wanted) > 3 \
        else [(it, None) for it in book["answers"] if it["fromBits"] <= wanted[-1]]
    for answer, whole in rows:
        for line in expand(answer, whole):
            print(line)
