"""DuckDB's casts of a column, as a castproof testee."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

import arrow_cast  # noqa: E402
import duckdb  # noqa: E402
import pyarrow  # noqa: E402
from castproof_testee import STRING, Request  # noqa: E402

# What DuckDB calls its dtypes. INT8 would be one of eight bytes.
NAMES = {
    "bool": "BOOLEAN",
    "int8": "TINYINT",
    "uint8": "UTINYINT",
    "int16": "SMALLINT",
    "uint16": "USMALLINT",
    "int32": "INTEGER",
    "uint32": "UINTEGER",
    "int64": "BIGINT",
    "uint64": "UBIGINT",
    "float32": "FLOAT",
    "float64": "DOUBLE",
    STRING: "VARCHAR",
}

# A second thread would have nothing to do with so few rows.
CONNECTION = duckdb.connect(config={"threads": 1})


def cast(request: Request, elements: bytes | list[str]) -> bytes | list[str]:
    """Runs a SELECT of one cast.

    CAST has no output at all if one number is out of range. TRY_CAST makes NULL of that number, with the smallest
    integer or NaN in its place: float32 300 and 7 to TINYINT are -128 and 7. A text that is no number ends in an error.
    """
    return select(request, elements, "CAST" if request.source == STRING else "TRY_CAST")


def chain(request: Request, elements: bytes | list[str]) -> bytes | list[str]:
    """Runs a SELECT with a CAST for each step. What TRY_CAST makes of a NULL is memory that nobody wrote."""
    return select(request, elements, "CAST")


def select(request: Request, elements: bytes | list[str], function: str) -> bytes | list[str]:
    """Runs a SELECT such as `SELECT CAST(CAST(x AS FLOAT) AS TINYINT) AS y FROM input`."""
    arrow_cast.check(request)
    CONNECTION.register("input", pyarrow.table({"x": arrow_cast.input_of(request, elements)}))
    y = "x"
    for name in request.dtypes[1:]:
        y = f"{function}({y} AS {NAMES[name]})"
    output = CONNECTION.sql(f"SELECT {y} AS y FROM input").to_arrow_table()
    return arrow_cast.to_elements(request.target, output["y"].combine_chunks())


def has(source: str, target: str) -> bool:
    """Has DuckDB both dtypes, and a cast between them?"""
    if not {source, target} <= NAMES.keys():
        return False
    try:
        CONNECTION.sql(f"SELECT CAST(x AS {NAMES[target]}) FROM (SELECT NULL::{NAMES[source]} AS x)").fetchall()
    except (duckdb.BinderException, duckdb.ConversionException):
        return False
    return True


if __name__ == "__main__":
    arrow_cast.serve_columns(STREAM, "duckdb", duckdb.__version__, has, cast, chain)
