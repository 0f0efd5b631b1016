"""Casts codes with numpy and ml_dtypes, for tests/witness/ml_dtypes.rs.

Reads requests from standard input, each a line "FROM TO COUNT" and COUNT codes of eight
little-endian bytes. Answers each with a line "ok" and as many codes, or with a line that says
why numpy refuses the cast.
"""

import sys

import ml_dtypes
import numpy as np

DTYPES = {
    "bool": np.bool_,
    "int2": ml_dtypes.int2,
    "uint2": ml_dtypes.uint2,
    "int4": ml_dtypes.int4,
    "uint4": ml_dtypes.uint4,
    "int8": np.int8,
    "uint8": np.uint8,
    "int16": np.int16,
    "uint16": np.uint16,
    "int32": np.int32,
    "uint32": np.uint32,
    "int64": np.int64,
    "uint64": np.uint64,
    "float4e2m1": ml_dtypes.float4_e2m1fn,
    "float6e2m3": ml_dtypes.float6_e2m3fn,
    "float6e3m2": ml_dtypes.float6_e3m2fn,
    "float8e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "float8e5m2": ml_dtypes.float8_e5m2,
    "float8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "float8e8m0": ml_dtypes.float8_e8m0fnu,
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
    "float32": np.float32,
    "float64": np.float64,
}

# Each element of a narrow dtype takes a byte, with the code in its low bits.
CODE_BITS = {
    "int2": 2,
    "uint2": 2,
    "int4": 4,
    "uint4": 4,
    "float4e2m1": 4,
    "float6e2m3": 6,
    "float6e3m2": 6,
}


def cast(source: str, target: str, codes: np.ndarray) -> np.ndarray:
    storage = np.dtype(f"u{np.dtype(DTYPES[source]).itemsize}")
    result = codes.astype(storage).view(DTYPES[source]).astype(DTYPES[target])
    raw = result.view(np.dtype(f"u{result.dtype.itemsize}")).astype("<u8")
    mask = (1 << CODE_BITS.get(target, 64)) - 1
    return raw & np.uint64(mask)


def main() -> None:
    np.seterr(all="ignore")
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while line := requests.readline():
        source, target, count = line.decode().split()
        codes = np.frombuffer(requests.read(8 * int(count)), dtype="<u8")
        try:
            result = cast(source, target, codes)
        except TypeError as error:
            answers.write(f"{error}\n".encode())
        else:
            answers.write(b"ok\n" + result.tobytes())
        answers.flush()


main()
