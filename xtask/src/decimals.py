"""Holds decimal numerals to exact fractions: reads `code16 code32 code64 numeral` a line, and writes
the lines whose codes are not the nearest float16, float32 and float64, ties to even."""

import sys
from fractions import Fraction

# Significand bits, exponent bits.
FORMATS = [(10, 5), (23, 8), (52, 11)]


def value(code: int, significand_bits: int, bias: int) -> Fraction:
    """The number of a code without sign; codes beyond the largest go on counting."""
    field, significand = divmod(code, 1 << significand_bits)
    if field:
        significand += 1 << significand_bits
    return Fraction(significand) * Fraction(2) ** (max(field, 1) - bias - significand_bits)


def is_nearest(number: Fraction, code: int, significand_bits: int, exponent_bits: int) -> bool:
    """Is the code that of the nearest number, infinity from the overflow threshold on?"""
    bias = (1 << (exponent_bits - 1)) - 1
    magnitude = code & ((1 << (significand_bits + exponent_bits)) - 1)
    negative = code != magnitude
    infinity = ((1 << exponent_bits) - 1) << significand_bits
    if negative != (number < 0) or magnitude > infinity:
        return False
    number = abs(number)
    at = value(magnitude, significand_bits, bias)
    even = magnitude % 2 == 0
    if magnitude:
        low = (value(magnitude - 1, significand_bits, bias) + at) / 2
        if number < low or (number == low and not even):
            return False
    if magnitude < infinity:
        high = (at + value(magnitude + 1, significand_bits, bias)) / 2
        if number > high or (number == high and not even):
            return False
    return True


def main() -> None:
    sys.set_int_max_str_digits(0)
    for line in sys.stdin:
        *codes, numeral = line.split()
        number = Fraction(numeral)
        checks = zip(codes, FORMATS, strict=True)
        if not all(is_nearest(number, int(code, 16), *form) for code, form in checks):
            sys.stdout.write(line)


main()
