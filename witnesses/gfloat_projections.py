"""What gfloat gives for the vectors of the suite `projections`, for `cargo xtask formats`.

It reads the file that is named and prints a line for each test that gfloat can answer: the id, then the code of each element in hex, or
`error` where gfloat refuses it. gfloat follows the text of July 2026; it has no rounding to odd, no saturation `propagate`, and no
negative number of an unsigned format.
"""

import json
import sys

from gfloat import decode_float, encode_float, round_float
from gfloat.formats import (
    format_info_bfloat16,
    format_info_binary16,
    format_info_binary32,
    format_info_binary64,
    format_info_ocp_e2m1,
    format_info_ocp_e2m3,
    format_info_ocp_e3m2,
    format_info_ocp_e4m3,
    format_info_ocp_e5m2,
    format_info_ocp_e8m0,
)
from gfloat_formats import KINDS, MODES, STOCHASTIC, bias, format_info_p3109

FORMATS = {
    "float32": format_info_binary32,
    "float64": format_info_binary64,
    "float16": format_info_binary16,
    "bfloat16": format_info_bfloat16,
    "float8e4m3fn": format_info_ocp_e4m3,
    "float8e5m2": format_info_ocp_e5m2,
    "float8e8m0": format_info_ocp_e8m0,
    "float6e2m3": format_info_ocp_e2m3,
    "float6e3m2": format_info_ocp_e3m2,
    "float4e2m1": format_info_ocp_e2m1,
}


def info(name):
    """Returns gfloat's record of a format, or None."""
    if not name.startswith("binary"):
        return FORMATS.get(name)
    width, rest = name.removeprefix("binary").split("p")
    kind = rest[-2:]
    width, precision = int(width), int(rest[:-2])
    return format_info_p3109(width, precision, *KINDS[kind]) if bias(width, precision, kind) < 1000 else None


def is_answered(ask, source, target):
    """Can gfloat answer it, by the text of July 2026?"""
    later = ask.get("edition") or not (ask["to"].startswith("binary") and ask["to"][-1] == "f" and ask["saturation"] == "none")
    signed = not ask["to"].endswith(("ue", "uf")) and ask["to"] != "float8e8m0"
    known = ask["rounding"] in MODES or ask["rounding"] in STOCHASTIC
    return bool(source and target and later and signed and known and ask["saturation"] != "propagate")


def code(target, value, mode, saturates, count, random):
    try:
        return f"{encode_float(target, round_float(target, value, mode, saturates, random, count)):x}"
    except ValueError:
        return "error"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        tests = json.load(file)["tests"]
    for test in tests:
        ask = test["ask"]["project"]
        source, target = info(ask["from"]), info(ask["to"])
        if not is_answered(ask, source, target):
            continue
        mode = MODES.get(ask["rounding"]) or STOCHASTIC[ask["rounding"]]
        count = ask.get("randomBits", 0)
        values = [decode_float(source, int(word, 16)).fval for word in ask["input"].split()]
        randoms = [int(word, 16) for word in ask["random"].split()] if count else [-1] * len(values)
        saturates = ask["saturation"] == "finite"
        pairs = zip(values, randoms, strict=True)
        print(test["id"], *(code(target, value, mode, saturates, count, random) for value, random in pairs))


if __name__ == "__main__":
    main()
