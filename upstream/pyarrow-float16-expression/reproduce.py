import sys
import pyarrow as pa
from pyarrow import acero, compute
wrong = False
for kind in (pa.float32(), pa.float16()):
    table = pa.table({"x": pa.array([1.5], kind)})
    source = acero.Declaration("table_source", acero.TableSourceNodeOptions(table))
    project = acero.Declaration("project", acero.ProjectNodeOptions([compute.field("x").cast(kind)], ["y"]))
    alone = compute.cast(table["x"], kind)[0]
    try:
        got = acero.Declaration.from_sequence([source, project]).to_table()["y"][0]
    except pa.ArrowNotImplementedError as error:
        got, wrong = error, True
    print(f"1.5 of {kind} to {kind}: alone {alone}; in an expression got {got}, expected {alone}")
sys.exit(wrong)
