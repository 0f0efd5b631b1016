"""Expands a partition file: prints what is expected of every code, one JSON object a line.

    castproof vectors export --format partition --from float16 --to float8e5m2 --out DIR
    python3 expand_partition.py DIR/float16__float8e5m2__saturate1.json
"""

import json
import sys


def shifted(code, shift, from_bits, to_bits):
    """The expected code of a piece whose results follow the source's significand."""
    base, origin, bits = int(shift["base"], 16), int(shift["origin"], 16), shift["bits"]
    distance = origin - code if shift.get("descending") else code - origin
    distance %= 1 << from_bits
    if bits <= 0:
        count = distance << -bits
    else:
        count, dropped = distance >> bits, distance % (1 << bits)
        if shift.get("nearest"):
            half, odd = 1 << (bits - 1), (base + count) % 2 == 1
            count += dropped > half or (dropped == half and odd)
    return (base - count if shift.get("subtract") else base + count) % (1 << to_bits)


def expand(partition):
    """Yields every code with what is expected of it, in the form of vector files."""
    digits = (partition["toBits"] + 3) // 4
    for piece in partition["pieces"]:
        for code in range(int(piece["first"], 16), int(piece["last"], 16) + 1):
            if "expect" in piece:
                yield code, piece["expect"]
            else:
                result = shifted(code, piece["shift"], partition["fromBits"], partition["toBits"])
                yield code, {"code": f"0x{result:0{digits}x}"}


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        for code, expect in expand(json.load(file)):
            print(json.dumps({"input": hex(code), "expect": expect}))
