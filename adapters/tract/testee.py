"""tract on the CPU as a castproof testee, through its reader of ONNX."""

import os
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import castproof_testee

STREAM = castproof_testee.claim_stdio()

# Where it is 1, tract looks up the places in its program for every refusal, which takes 0.15 s.
os.environ["RUST_BACKTRACE"] = "0"

import array_cast  # noqa: E402
import tract  # noqa: E402
from cast_model import loader  # noqa: E402
from castproof_testee import Request, Unsupported  # noqa: E402
from onnx import ModelProto  # noqa: E402

ONNX = tract.onnx()


def cast(request: Request, payload: bytes) -> bytes:
    """Runs one model: a cast, a CastLike, or a chain of casts."""
    runnable = runnable_of(request, payload)
    arrays = [] if request.constant else [array_cast.to_array(request.source, payload, request.shape)]
    if request.op == "castlike":
        arrays.append(array_cast.to_array(request.target, b"", (0,)))
    (output,) = runnable.run([tract.Tensor.from_numpy(array) for array in arrays])
    if request.target == "int64":
        # The output is of TDim, tract's integers of 64 bits that may have symbols, which only become an array when they are converted.
        output = output.convert_to(tract.DatumType.I64)
    array = output.to_numpy()
    if array.shape != request.shape:
        raise RuntimeError(f"the output has shape {list(array.shape)}")
    return array_cast.to_bytes(request.target, array)


def load(model: ModelProto) -> tract.Runnable:
    """Returns a model that runs; raises Unsupported if tract refuses to load it. It loads files only."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "model.onnx")
        file.write_bytes(model.SerializeToString())
        try:
            return ONNX.load(file).into_model().into_runnable()
        except tract.TractError as refusal:
            raise Unsupported(reason(refusal)) from refusal


runnable_of = loader(load)


def reason(refusal: tract.TractError) -> str:
    """Returns the text of an exception of tract without the places in its program."""
    lines = str(refusal).split("Stack backtrace:")[0].splitlines()
    return "; ".join(line.strip() for line in lines if line.strip() and line.strip() != "Caused by:")


if __name__ == "__main__":
    castproof_testee.serve(
        STREAM,
        "tract",
        tract.version(),
        cast,
        features=("shapes", "constant"),
        chain=cast,
    )
