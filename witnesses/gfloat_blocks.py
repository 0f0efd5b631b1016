"""Quantises and decodes blocks with gfloat.

Each line of standard input is a request, and each line of standard output its answer, in hex without spaces.

    quantise ARRAY TO FROM SCALE CODES

asks for a block of CODES of FROM in elements of TO, in an array of the dtype ARRAY. SCALE is the code of its scale; with `-`
gfloat finds it. The answer is a byte for the scale and one for each element, or `error` and what gfloat said.

    decode FORMAT FROM TO BYTES

asks for the numbers of a block, a byte for its scale and one for each element, as codes of TO.
"""

import sys

import numpy
from gfloat import RoundMode, decode_float, encode_float, round_float
from gfloat.block import BlockFormatInfo, compute_scale_amax, decode_block, encode_block
from gfloat.formats import (
    format_info_bfloat16,
    format_info_binary16,
    format_info_binary32,
    format_info_mxfp4_e2m1,
    format_info_mxfp6_e2m3,
    format_info_mxfp6_e3m2,
    format_info_mxfp8_e4m3,
    format_info_mxfp8_e5m2,
    format_info_ocp_e2m1,
    format_info_ocp_e4m3,
)

NUMBERS = {"float32": format_info_binary32, "bfloat16": format_info_bfloat16, "float16": format_info_binary16}
NVFP4 = BlockFormatInfo("nvfp4", format_info_ocp_e2m1, 16, format_info_ocp_e4m3)
MX = {
    "float8e4m3fn": format_info_mxfp8_e4m3,
    "float8e5m2": format_info_mxfp8_e5m2,
    "float6e3m2": format_info_mxfp6_e3m2,
    "float6e2m3": format_info_mxfp6_e2m3,
    "float4e2m1": format_info_mxfp4_e2m1,
}


def read(source, codes):
    """Returns the numbers of these codes in hex. numpy reads them, since gfloat takes half of its time for it."""
    codes = numpy.frombuffer(bytes.fromhex(codes), ">u4" if source == "float32" else ">u2")
    if source == "bfloat16":
        codes, source = codes.astype("u4") << 16, "float32"
    native = codes.astype("u4" if source == "float32" else "u2")
    return native.view(source)


def quantised(array, to, source, scale, codes):
    """Returns the bytes of a block."""
    format = MX[to]
    numbers = read(source, codes).astype(array)
    found = compute_scale_amax(format.etype.emax, numbers) if scale == "-" else decode_float(format.stype, int(scale, 16)).fval
    return bytes(encode_block(format, found, numbers / found))


def decoded(kind, source, to, block):
    """Returns the codes of the numbers of a block, in hex."""
    number = NUMBERS[to]
    digits = number.bits // 4
    values = decode_block(NVFP4 if kind == "nvfp4" else MX[source], bytes.fromhex(block))
    codes = (encode_float(number, round_float(number, value, RoundMode.TiesToEven)) for value in values)
    return "".join(f"{code:0{digits}x}" for code in codes)


def main():
    numpy.seterr(all="ignore")
    for line in sys.stdin:
        operation, *words = line.split()
        try:
            print(quantised(*words).hex() if operation == "quantise" else decoded(*words))
        except ValueError as error:
            print("error", error)


if __name__ == "__main__":
    main()
