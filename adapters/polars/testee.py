"""polars' casts of a column as a castproof testee."""

import itertools
import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

# A second thread would have nothing to do with so few rows.
os.environ["POLARS_MAX_THREADS"] = "1"

import arrow_cast  # noqa: E402
import polars  # noqa: E402
from castproof_testee import STRING, Request  # noqa: E402

# What polars calls the dtypes of Arrow.
TYPES = {
    "bool": polars.Boolean,
    "int8": polars.Int8,
    "uint8": polars.UInt8,
    "int16": polars.Int16,
    "uint16": polars.UInt16,
    "int32": polars.Int32,
    "uint32": polars.UInt32,
    "int64": polars.Int64,
    "uint64": polars.UInt64,
    "float16": polars.Float16,
    "float32": polars.Float32,
    "float64": polars.Float64,
    STRING: polars.String,
}

WRAP = sys.argv[1:] == ["--wrap"]


def cast(request: Request, elements: bytes | list[str]) -> bytes | list[str]:
    """Runs one `Series.cast`.

    A strict cast has no output at all if one number is out of range. One that is not strict makes null of that number: of
    float32 300 and 7 as Int8 it leaves 7. A text that is no number ends in an error.
    """
    arrow_cast.check(request)
    column = column_of(request, elements)
    return elements_of(request, column.cast(TYPES[request.target], **mode(request.source, strict=False)))


def chain(request: Request, elements: bytes | list[str]) -> bytes | list[str]:
    """Runs one lazy query of all casts, which ends in an error where a number is out of range."""
    arrow_cast.check(request)
    expression = polars.col("x")
    for source, target in itertools.pairwise(request.dtypes):
        expression = expression.cast(TYPES[target], **mode(source, strict=True))
    output = polars.LazyFrame({"x": column_of(request, elements)}).select(y=expression).collect()
    return elements_of(request, output["y"])


def mode(source: str, strict: bool) -> dict[str, bool]:
    """Returns the arguments of a cast that say what becomes of a number out of range. A text that is none is always an error."""
    if WRAP and source != STRING:
        return {"wrap_numerical": True}
    return {"strict": strict or source == STRING}


def column_of(request: Request, elements: bytes | list[str]) -> polars.Series:
    """Returns the input of a request as a column."""
    return polars.Series("x", arrow_cast.input_of(request, elements))


def elements_of(request: Request, column: polars.Series) -> bytes | list[str]:
    """Returns a column as elements of the protocol. polars' texts are views, which the other runtimes of Arrow do not give."""
    if request.target == STRING:
        return column.to_list()
    return arrow_cast.to_elements(request.target, column.to_arrow())


def has(source: str, target: str) -> bool:
    """Has polars a cast between two dtypes? Without a text it would cast String to Boolean, too."""
    try:
        polars.Series(["1" if source == STRING else None], dtype=TYPES[source]).cast(TYPES[target])
    except polars.exceptions.InvalidOperationError:
        return False
    return True


if __name__ == "__main__":
    arrow_cast.serve_columns(STREAM, "polars wrap" if WRAP else "polars", polars.__version__, has, cast, chain)
