"""Expands the book: prints every code of a request with its answer, as vector files have it.

    gunzip -c book.json.gz | python3 expand.py onnx-cast-28 float16 int8 '{}'
    gunzip -c book.json.gz | python3 expand.py 16      # every answer of sources up to 16 bits
"""

import json
import os
import sys


def rounded(value, bits, base):
    """Drops bits, to nearest; a tie goes to the even of base and what is left."""
    count, dropped = value >> bits, value % (1 << bits)
    half, odd = 1 << (bits - 1), (base + count) % 2
    return count + (dropped > half or (dropped == half and odd))


def shifted(code, piece, from_bits, to_bits):
    """The expected code, those that are tolerated beside it, the rule, and whether no set bit is dropped."""
    shift, other = piece["shift"], piece.get("tolerateByCode", {})
    base, origin, bits = int(shift["base"], 16), int(shift["origin"], 16), shift["bits"]
    distance = (origin - code if shift.get("descending") else code - origin) % (1 << from_bits)
    cut = distance >> bits if bits > 0 else distance << -bits
    count = rounded(distance, bits, base) if shift.get("nearest") else cut
    first, sign = other.get("twice"), -1 if shift.get("subtract") else 1
    twice = rounded(rounded(distance, first, 0), bits - first, base) if first else count
    exact = bits <= 0 or distance % (1 << bits) == 0
    tie = bits > 0 and 2 * (distance % (1 << bits)) == 1 << bits
    rule = piece["rule"] if exact else piece.get("ruleInexact", piece["rule"])
    rule = rule if twice == count else piece.get("ruleTwice", rule)
    more = {cut if other.get("truncated") else count, twice}
    more |= {cut, cut + 1} if other.get("tie") and tie else set()
    expected, *more = ((base + sign * it) % (1 << to_bits) for it in [count, *more])
    more += [expected & 1 << (to_bits - 1)] if other.get("flushed") else []
    return expected, sorted({*more} - {expected}), rule, exact


def refuse(problem):
    """Ends the program with one line."""
    sys.exit(f"expand: {problem}")


def ends(number, answer, former):
    """The first and the last code of each piece, which only castproof-book/1 writes down."""
    pieces, greatest = answer["pieces"], (1 << answer["fromBits"]) - 1
    firsts = [int(piece["first"], 16) for piece in pieces]
    if not pieces:
        refuse(f"answer {number}: it has no pieces: begin with a piece at 0")
    if firsts[0] != 0:
        refuse(f"answer {number}: the first piece begins at {firsts[0]:#x}: begin it at 0")
    lasts = [following - 1 for following in firsts[1:]] + [greatest]
    for place, (piece, first, end) in enumerate(zip(pieces, firsts, lasts)):
        at, last = f"answer {number}: the piece at {first:#x}", piece.get("last")
        if first > end and place + 1 < len(pieces):
            refuse(f"answer {number}: a piece at {firsts[place + 1]:#x} follows one at {first:#x}: "
                   "put them in ascending order")
        if first > end:
            refuse(f"answer {number}: a piece begins at {first:#x}, but the greatest code is "
                   f"{greatest:#x}: remove it")
        if former and last is None:
            refuse(f"{at} has no 'last': add it, or give castproof-book/5")
        if not former and last is not None:
            refuse(f"{at} has a 'last': remove it, or give castproof-book/1")
        if former and int(last, 16) != end:
            refuse(f"{at} ends at {int(last, 16):#x}: end it at {end:#x}, without gap or overlap")
    return list(zip(firsts, lasts))


def read(file):
    """Reads a book and gives every answer the ends of its pieces."""
    try:
        book = json.load(file)
        if book["format"] not in [f"castproof-book/{number}" for number in (1, 2, 3, 4, 5)]:
            refuse(f"its format is '{book['format']}': give one of castproof-book/1 to castproof-book/5")
        for number, answer in enumerate(book["answers"]):
            answer["ends"] = ends(number, answer, book["format"] == "castproof-book/1")
        return book
    except (KeyError, TypeError, ValueError) as error:
        refuse(f"the input is not a book: {error!r}")


def expand(answer, whole):
    """Yields the line of every code."""
    digits, to_digits = ((answer[width] + 3) // 4 for width in ("fromBits", "toBits"))
    for piece, (first, last) in zip(answer["pieces"], answer["ends"]):
        for code in range(first, last + 1):
            expect, tolerate, rule = piece.get("expect"), piece.get("tolerate"), piece["rule"]
            if not expect:
                result, more, rule, exact = shifted(code, piece, answer["fromBits"], answer["toBits"])
                expect = {"code": f"0x{result:0{to_digits}x}"}
                expect = expect if exact else piece.get("expectInexact", expect)
                more = [f"0x{it:0{to_digits}x}" for it in more]
                more = {"oneOf": more} if len(more) > 1 else {"code": more[0]} if more else None
                tolerate = tolerate or more
            tolerate = {"tolerate": tolerate} if tolerate else {}
            line = {"input": f"0x{code:0{digits}x}", "expect": expect, **tolerate}
            yield json.dumps({**line, "clause": whole or rule}, separators=(",", ":"))


if __name__ == "__main__":
    book, wanted = read(sys.stdin), [*sys.argv[1:4], json.loads(sys.argv[-1])]
    rows = [(book["answers"][row["answer"]], row.get("rule")) for row in book["requests"]
            if row["from"] == wanted[1] and row["to"] == wanted[2]
            and wanted[0] in row["specs"] and wanted[3] in row["attributes"]] if len(wanted) > 3 \
        else [(it, None) for it in book["answers"] if it["fromBits"] <= wanted[-1]]
    try:
        for answer, whole in rows:
            for line in expand(answer, whole):
                print(line)
        sys.stdout.flush()
    except OSError as error:
        # Python writes what is left when it ends; that goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # A pipe that nobody reads on is no reason to complain.
        if not isinstance(error, BrokenPipeError):
            refuse(f"the output cannot be written: {error.strerror}")
