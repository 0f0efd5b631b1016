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
passes castproof gate --adapter mine --pair int32:uint8 --kernel

adapter 'clip(0, 255).astype(request.target)'
fails_with_one_finding castproof gate --adapter mine --pair int32:uint8 --kernel --json results.json
