"""What gfloat says of formats of IEEE P3109 (a draft), for `cargo xtask formats`.

It chooses the numbers itself and prints lines:

    decode NAME VALUE...

has the value of each code of a format, and

    project NAME ROUNDING SATURATION N R VALUE:CODE...

the code that each number becomes, or `error` where gfloat refuses it. N and R are the random bits, 0 without.
"""

from gfloat import RoundMode, decode_float, encode_float, round_float
from gfloat.formats import format_info_p3109
from gfloat.types import Domain, Signedness

KINDS = {
    "se": (Signedness.Signed, Domain.Extended),
    "sf": (Signedness.Signed, Domain.Finite),
    "ue": (Signedness.Unsigned, Domain.Extended),
    "uf": (Signedness.Unsigned, Domain.Finite),
}
MODES = {
    "nearest-even": RoundMode.TiesToEven,
    "nearest-away": RoundMode.TiesToAway,
    "toward-zero": RoundMode.TowardZero,
    "up": RoundMode.TowardPositive,
    "down": RoundMode.TowardNegative,
}
STOCHASTIC = {
    "stochastic-a": RoundMode.StochasticFastest,
    "stochastic-b": RoundMode.StochasticFast,
    "stochastic-c": RoundMode.Stochastic,
}
# Parts of the way from one number to the next; the last but one stands just beyond the middle.
SHARES = (0.0, 0.25, 0.5, 0.5 + 2.0**-30, 0.8125)


def bias(width, precision, kind):
    return 2 ** (width - precision - (1 if kind[0] == "s" else 0))


def formats(widths, kinds):
    """Names and records. Above a bias of 1000, float64 does not hold all numbers."""
    for width in widths:
        for kind in kinds:
            for precision in range(1, width + (0 if kind[0] == "s" else 1)):
                if bias(width, precision, kind) < 1000:
                    yield f"binary{width}p{precision}{kind}", format_info_p3109(width, precision, *KINDS[kind])


def positive(info):
    """The positive finite numbers, from 0 on."""
    values = [decode_float(info, code).fval for code in range(2**info.k)]
    return sorted({value for value in values if 0 <= value <= info.max})


def numbers(info, shares):
    """Numbers on and between those of the format, and beyond the largest, with both signs."""
    known = positive(info)
    beyond = [*known, known[-1] + (known[-1] - known[-2]), 4 * known[-1]]
    between = [low + share * (high - low) for low, high in zip(beyond, beyond[1:], strict=False) for share in shares]
    return [sign * value for value in between for sign in (1, -1)] + [float("inf"), float("-inf"), float("nan")]


def code(info, value, mode, saturates, count, random):
    try:
        return f"{encode_float(info, round_float(info, value, mode, saturates, random, count)):x}"
    except ValueError:
        return "error"


def project(name, info, rounding, mode, values, count=0, random=-1):
    for saturation in ("finite", "none"):
        codes = (f"{value.hex()}:{code(info, value, mode, saturation == 'finite', count, random)}" for value in values)
        print("project", name, rounding, saturation, count, max(random, 0), *codes)


def main():
    for name, info in formats(range(3, 12), KINDS):
        print("decode", name, *(decode_float(info, code).fval.hex() for code in range(2**info.k)))
    for name, info in formats((3, 4, 5, 6, 8), ("se", "sf")):
        values = numbers(info, SHARES)
        for rounding, mode in MODES.items():
            project(name, info, rounding, mode, values)
    info = format_info_p3109(8, 4, *KINDS["se"])
    values = numbers(info, [part / 64 for part in (0, 1, 3, 22, 32, 41, 61, 63)])
    for count in range(1, 4):
        for random in range(2**count):
            for rounding, mode in STOCHASTIC.items():
                project("binary8p4se", info, rounding, mode, values, count, random)
    # Where gfloat does otherwise.
    for name in ("binary8p4ue", "binary8p4uf"):
        info = format_info_p3109(8, 4, *KINDS[name[-2:]])
        project(name, info, "nearest-even", RoundMode.TiesToEven, [-1.0, float("-inf")])


if __name__ == "__main__":
    main()
