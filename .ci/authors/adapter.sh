#!/usr/bin/env bash
# A runtime behind an adapter: README, "Your own kernel", and docs/plug-in.md. The runtime is numpy.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

mkdir -p adapters/mine
cp "$CLONE/adapters/castproof_testee.py" adapters/
cat >adapters/mine/adapter.toml <<TOML
name = "mine"
description = "numpy's astype between integers"
command = ["$CLONE/.venv/bin/python", "testee.py"]
TOML
adapter() {
    cat >adapters/mine/testee.py <<PYTHON
import sys

sys.path.append("..")
import castproof_testee

STREAM = castproof_testee.claim_stdio()

import numpy


def cast(request, payload):
    if {request.source, request.target} - {"int8", "uint8", "int16", "uint16", "int32", "uint32"}:
        raise castproof_testee.Unsupported("only integers")
    array = numpy.frombuffer(payload, request.source)
    return array.$1.tobytes()


castproof_testee.serve(STREAM, "mine", numpy.__version__, cast)
PYTHON
}

adapter 'astype(request.target)'
passes castproof gate --adapter mine --pair int32:uint8

adapter 'clip(0, 255).astype(request.target)'
fails_with_one_finding castproof gate --adapter mine --pair int32:uint8 --json results.json
castproof show --results results.json >said
grep --quiet 'out of range clamped' said || blame "the finding names the cause"

# An adapter in a folder of one's own, as docs/plug-in.md shows it.
mkdir -p adapters-of-mine/integers
cp "$CLONE/adapters/castproof_testee.py" adapters-of-mine/
for file in adapter.toml testee.py; do
    python3 - "$CLONE/docs/plug-in.md" "# adapters-of-mine/integers/$file" >"adapters-of-mine/integers/$file" <<'PYTHON'
import sys

page, first = open(sys.argv[1], encoding="utf-8").read(), sys.argv[2]
(block,) = [part for part in page.split("```")[1::2] if part.split("\n", 2)[1].startswith(first)]
print(block.split("\n", 1)[1])
PYTHON
done
CASTPROOF_ADAPTERS=adapters-of-mine passes castproof gate --adapter integers --pair int8:uint8
lines_written adapters/mine/*
