#!/usr/bin/env bash
# A kernel in Python as a process: README, "Your own kernel", from the template.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

template() {
    python3 - "$CLONE/adapters/templates/python/testee.py" "$1" >testee.py <<'P'
import sys

template, rounding = open(sys.argv[1]).read(), sys.argv[2]
kernel = f'''def uint16_to_bfloat16(payload: bytes) -> bytes:
    output = bytearray()
    for (x,) in struct.iter_unpack("<H", payload):
        bits = struct.unpack("<I", struct.pack("<f", x))[0]
        output += struct.pack("<H", bits + {rounding} >> 16)
    return bytes(output)


CASTS = {{("uint16", "bfloat16"): uint16_to_bfloat16}}
'''
before, after = template.split("def uint8_to_float32", 1)
print(before + kernel + after.split("CASTS = ", 1)[1].split("\n", 1)[1], end="")
P
}

template '0x7fff + (bits >> 16 & 1)'
passes castproof gate --testee 'python3 testee.py' --pair uint16:bfloat16
passes castproof fuzz --testee 'python3 testee.py' --pair uint16:bfloat16 --tensors 200

template 0
fails_with_one_finding castproof gate --testee 'python3 testee.py' --pair uint16:bfloat16 --json 'my results.json'
lines_written testee.py # most of it is the template
