#!/usr/bin/env python3
"""Makes a pair of keys as `minisign -G -W` does, minisign.key and minisign.pub, in the folder that is named, for the
commands of the documents. No key is committed, and a key made here vouches for nothing: it has no password.

Usage: minisign_key.py FOLDER
"""

import base64
import hashlib
import os
import sys
from pathlib import Path

# Ed25519, as RFC 8032 has it, section 5.1.
PRIME = 2**255 - 19
D = -121665 * pow(121666, -1, PRIME) % PRIME
BASE = (
    15112221349535400772501151409588531511454012693041857206046113283949847762202,
    46316835694926478169428394003475163141307993866256225615783033603165251855960,
)


def added(one, other):
    """The sum of two points of the curve."""
    (x1, y1), (x2, y2) = one, other
    product = D * x1 * x2 * y1 * y2 % PRIME
    x = (x1 * y2 + x2 * y1) * pow(1 + product, -1, PRIME)
    y = (y1 * y2 + x1 * x2) * pow(1 - product, -1, PRIME)
    return x % PRIME, y % PRIME


def public_of(seed):
    """The public key of 32 secret bytes."""
    scalar = int.from_bytes(hashlib.sha512(seed).digest()[:32], "little")
    scalar = scalar & ((1 << 254) - 8) | 1 << 254
    point, power = (0, 1), BASE
    for bit in range(255):
        if scalar >> bit & 1:
            point = added(point, power)
        power = added(power, power)
    x, y = point
    return (y | (x & 1) << 255).to_bytes(32, "little")


def main():
    # The first example of RFC 8032, section 7.1.
    example = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    assert public_of(example).hex() == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"

    folder = Path(sys.argv[1])
    number, seed = os.urandom(8), os.urandom(32)
    public = public_of(seed)
    checksum = hashlib.blake2b(b"Ed" + number + seed + public, digest_size=32).digest()
    # The algorithms of signature, password (none) and checksum; salt and limits of a password; the keys.
    secret = b"Ed" + bytes(2) + b"B2" + bytes(32 + 8 + 8) + number + seed + public + checksum
    comment = "untrusted comment: a key for the commands of the documents; it vouches for nothing\n"
    for name, key in (("minisign.key", secret), ("minisign.pub", b"Ed" + number + public)):
        (folder / name).write_text(comment + base64.b64encode(key).decode() + "\n")
    (folder / "minisign.key").chmod(0o600)


if __name__ == "__main__":
    main()
