"""Checks casts between tensor dtypes, says what they must give, and does them.

`check` holds a function to the exact answers, `expect` returns the answers, `cast` casts an array.
The program `castproof` comes with the module: `castproof gate --adapter torch`, `castproof --help`.
"""

from castproof._cast import cast
from castproof._check import Summary, check
from castproof._expect import Expected, expect

__all__ = ["Expected", "Summary", "cast", "check", "expect"]
