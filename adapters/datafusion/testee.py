"""DataFusion's casts of a column, which are those of arrow-rs, as a castproof testee."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

import arrow_cast  # noqa: E402
import datafusion  # noqa: E402
import pyarrow  # noqa: E402
from castproof_testee import STRING, Attributes, Request  # noqa: E402

# What arrow-rs calls the dtypes of Arrow.
NAMES = {
    "bool": "Boolean",
    "int8": "Int8",
    "uint8": "UInt8",
    "int16": "Int16",
    "uint16": "UInt16",
    "int32": "Int32",
    "uint32": "UInt32",
    "int64": "Int64",
    "uint64": "UInt64",
    "float16": "Float16",
    "float32": "Float32",
    "float64": "Float64",
    STRING: "Utf8",
}

# A second thread would have nothing to do with so few rows.
CONTEXT = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(1))


def cast(request: Request, elements: bytes | list[str]) -> bytes | list[str]:
    """Runs a SELECT of one cast.

    arrow_cast has no output at all if one number is out of range. arrow_try_cast makes NULL of that number, with 0 in
    its place: float32 300 and 7 to Int8 are 0 and 7. A text that is no number ends in an error.
    """
    return select(request, elements, "arrow_cast" if request.source == STRING else "arrow_try_cast")


def chain(request: Request, elements: bytes | list[str]) -> bytes | list[str]:
    """Runs a SELECT with an arrow_cast for each step, which ends in an error where a number is out of range."""
    return select(request, elements, "arrow_cast")


def select(request: Request, elements: bytes | list[str], function: str) -> bytes | list[str]:
    """Runs a SELECT such as `SELECT arrow_cast(arrow_cast(x, 'Float32'), 'Int8') AS y FROM input`."""
    arrow_cast.check(request)
    array = arrow_cast.input_of(request, elements)
    CONTEXT.register_record_batches("input", [[pyarrow.record_batch({"x": array})]])
    y = "x"
    for name in request.dtypes[1:]:
        y = f"{function}({y}, '{NAMES[name]}')"
    try:
        output = CONTEXT.sql(f"SELECT {y} AS y FROM input").to_arrow_table()
    finally:
        CONTEXT.deregister_table("input")
    return arrow_cast.to_elements(request.target, output["y"].combine_chunks())


def has(source: str, target: str) -> bool:
    """Has arrow-rs a cast between two dtypes? It says so of no row, too."""
    request = Request("cast", (source, target), (Attributes(),), arrow_cast.NEWEST_OPSET, (0,))
    try:
        cast(request, [] if source == STRING else b"")
    except Exception as error:  # DataFusion has no class of its own
        if "not implemented" not in str(error):
            raise
        return False
    return True


if __name__ == "__main__":
    arrow_cast.serve_columns(STREAM, "datafusion", datafusion.__version__, has, cast, chain)
