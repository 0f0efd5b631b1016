"""pyarrow's compute.cast, which truncates and wraps (safe=False), as a castproof testee."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

import arrow_cast  # noqa: E402
import pyarrow  # noqa: E402
from castproof_testee import Request  # noqa: E402
from pyarrow import acero, compute  # noqa: E402


def cast(request: Request, elements: bytes | list[str]) -> bytes | list[str]:
    """Runs one function `cast`."""
    arrow_cast.check(request)
    array = arrow_cast.input_of(request, elements)
    output = compute.cast(array, arrow_cast.TYPES[request.target], safe=False)
    return arrow_cast.to_elements(request.target, output)


def chain(request: Request, elements: bytes | list[str]) -> bytes | list[str]:
    """Runs one expression of all casts in a plan of Acero, Arrow's engine."""
    arrow_cast.check(request)
    table = pyarrow.table({"x": arrow_cast.input_of(request, elements)})
    expression = compute.field("x")
    for name in request.dtypes[1:]:
        expression = expression.cast(arrow_cast.TYPES[name], safe=False)
    plan = acero.Declaration.from_sequence([
        acero.Declaration("table_source", acero.TableSourceNodeOptions(table)),
        acero.Declaration("project", acero.ProjectNodeOptions([expression], ["y"])),
    ])
    output = plan.to_table(use_threads=False)["y"].combine_chunks()
    return arrow_cast.to_elements(request.target, output)


def has(source: str, target: str) -> bool:
    """Has pyarrow a function for this pair?"""
    try:
        compute.cast(pyarrow.array([], arrow_cast.TYPES[source]), arrow_cast.TYPES[target], safe=False)
    except pyarrow.ArrowNotImplementedError:
        return False
    return True


if __name__ == "__main__":
    arrow_cast.serve_columns(STREAM, "pyarrow", pyarrow.__version__, has, cast, chain)
