#!/usr/bin/env bash
# A function in JavaScript, checked in `node --test` with the package of npm: docs/javascript.md.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

echo '{"type": "module"}' >package.json
npm install --offline --no-audit --no-fund --loglevel=error --save-dev "$CLONE"/target/packages/npm/castproof-*.tgz >/dev/null
kernel() {
    cat >cast.test.js <<JS
import { check } from "castproof";
import { test } from "node:test";

const toInt8 = (input) => Int8Array.from(input, (x) => $1);

test("int64 to int8", () => void check(toInt8, "int64", "int8"));
JS
}
kernel 'Number(BigInt.asIntN(8, x))'
passes node --test
kernel 'Number(x > 127n ? 127n : x < -128n ? -128n : x)'
fails node --test
(($(grep --count 'toInt8: .* codes are wrong: out of range clamped: ' said) >= 1)) || blame "the first line names the cause"
lines_written cast.test.js
