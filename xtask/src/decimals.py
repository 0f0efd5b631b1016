"""Compares casts of decimal numerals with exact fractions.

The first line names the casts, each as dtype:saturate:roundMode, an attribute left out as nothing. Every further line is a numeral and
what each cast is expected to give: a code, several joined by |, nan for any NaN, or any. Where the
fractions say otherwise, a line says so.

The formats are transcribed from the specifications (IEEE 754, the ONNX pages on float8 and float4, the
OCP microscaling formats), not taken from the program that asks.
"""

import sys
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple


class Format(NamedTuple):
    """A binary floating-point format with subnormal numbers."""

    exponent_bits: int
    significand_bits: int
    bias: int
    largest: int  # the code of the largest number
    beyond: str  # what a number beyond it becomes: infinity, nan, a code without sign, largest
    saturates: bool = False  # does the attribute `saturate` decide that?


FORMATS = {
    "float64": Format(11, 52, 1023, 0x7FEF_FFFF_FFFF_FFFF, "infinity"),
    "float32": Format(8, 23, 127, 0x7F7F_FFFF, "infinity"),
    "bfloat16": Format(8, 7, 127, 0x7F7F, "infinity"),
    "float16": Format(5, 10, 15, 0x7BFF, "infinity"),
    "float8e5m2": Format(5, 2, 15, 0x7B, "infinity", saturates=True),
    "float8e5m2fnuz": Format(5, 2, 16, 0x7F, "80", saturates=True),
    "float8e4m3fn": Format(4, 3, 7, 0x7E, "nan", saturates=True),
    "float8e4m3fnuz": Format(4, 3, 8, 0x7F, "80", saturates=True),
    "float6e3m2": Format(3, 2, 3, 0x1F, "largest"),
    "float6e2m3": Format(2, 3, 1, 0x1F, "largest"),
    "float4e2m1": Format(2, 1, 1, 0x7, "largest"),
}

# float8e8m0: the exponents of its smallest and its largest power of two, and the code of NaN.
SCALE_EXPONENTS = (-127, 127)
SCALE_NAN = 0xFF


def floor_log2(number: Fraction) -> int:
    """Returns the exponent of the largest power of two up to a positive number."""
    exponent = number.numerator.bit_length() - number.denominator.bit_length()
    return exponent if Fraction(2) ** exponent <= number else exponent - 1


def nearest(number: Fraction, form: Format) -> int:
    """Returns the code of the nearest number, ties to even. Codes continue beyond the largest."""
    if number == 0:
        return 0
    binade = max(floor_log2(number) + form.bias, 1)
    unit = Fraction(2) ** (binade - form.bias - form.significand_bits)
    return (binade - 1 << form.significand_bits) + round(number / unit)


def to_float(number: Fraction, negative: bool, form: Format, saturate: str) -> str:
    """Returns the result of a cast to a format with subnormal numbers."""
    sign = negative << (form.exponent_bits + form.significand_bits)
    code = nearest(abs(number), form)
    if code > form.largest:
        if saturate == "1" or form.beyond == "largest":
            code = form.largest
        elif form.beyond == "infinity":
            code = form.largest + 1
        else:
            return form.beyond
    if code == 0 and form.beyond == "80":  # its negative zero is its NaN
        sign = 0
    return f"{sign | code:x}"


def to_scale(number: Fraction, negative: bool, saturate: str, mode: str) -> str:
    """Returns the result of a cast to float8e8m0. The text of the specification settles two of six
    combinations for numbers out of range; the saturating ones follow from them."""
    smallest, largest = SCALE_EXPONENTS
    settled = saturate == "1" or mode == "nearest"

    def outside(saturated: int, open_codes: set[int]) -> str:
        codes = {saturated} if saturate == "1" else {SCALE_NAN} if settled else open_codes
        return "|".join(f"{code:x}" for code in sorted(codes))

    if negative:
        return "any"
    if number < Fraction(2) ** smallest:
        return outside(0, {0, SCALE_NAN} if number == 0 else {0, 1, SCALE_NAN})
    if number > Fraction(2) ** largest:
        return outside(largest - smallest, {largest - smallest, SCALE_NAN})
    exponent = floor_log2(number)
    power = Fraction(2) ** exponent
    up = {"up": number > power, "down": False, "nearest": number >= power * 3 / 2}[mode]
    return f"{exponent + up - smallest:x}"


def result(numeral: str, number: Fraction, cast: tuple[str, str, str]) -> str:
    """Returns the result of a cast."""
    dtype, saturate, mode = cast
    negative = numeral.startswith("-")
    # Absent attributes have their defaults.
    if dtype == "float8e8m0":
        return to_scale(number, negative, saturate or "1", mode or "up")
    form = FORMATS[dtype]
    return to_float(number, negative, form, saturate or ("1" if form.saturates else "0"))


def main() -> None:
    sys.set_int_max_str_digits(0)
    casts = [tuple(cast.split(":")) for cast in sys.stdin.readline().split()]
    for line in sys.stdin:
        numeral, *expected = line.split()
        number = Fraction(numeral)
        if number != Fraction(Decimal(numeral)):
            print(f"decimal and fractions read different numbers: {numeral}")
        for cast, outcome in zip(casts, expected, strict=True):
            said = result(numeral, number, cast)
            if said != outcome:
                print(f"{':'.join(cast)} is {said}, not {outcome}: {numeral}")


main()
