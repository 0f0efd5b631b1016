"""The template with one planted fault: its kernel takes the bytes for signed numbers, so that 128 gives -128. The gate
fails it, and names the fault.

    castproof gate --testee 'python3 faulty.py' --from uint8 --to float32
"""

import struct

import testee


def through_int8(payload: bytes) -> bytes:
    return struct.pack(f"<{len(payload)}f", *memoryview(payload).cast("b"))


testee.serve({("uint8", "float32"): through_int8})
