"""Checks casts between tensor dtypes, says what they must give, and does them.

`check` holds a function to the exact answers, `expect` returns the answers, `cast` casts an array.
For blocks that share a scale, `quantize` and `dequantize` return the answers by a rule such as "mx-rceil", and
`check_blocks` holds a quantiser to them. `check_quantize_linear` and `check_dequantize_linear` hold functions to the
operators of ONNX.
The program `castproof` comes with the module: `castproof gate --adapter torch`, `castproof --help`.
"""

from castproof._blocks import Blocks, Numbers, dequantize, quantize
from castproof._cast import cast
from castproof._check import Summary, check
from castproof._check_blocks import check_blocks
from castproof._check_linear import check_dequantize_linear, check_quantize_linear
from castproof._expect import Expected, expect

__all__ = [
    "Blocks",
    "Expected",
    "Numbers",
    "Summary",
    "cast",
    "check",
    "check_blocks",
    "check_dequantize_linear",
    "check_quantize_linear",
    "dequantize",
    "expect",
    "quantize",
]
