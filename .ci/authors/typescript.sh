#!/usr/bin/env bash
# A function in TypeScript, checked with the package of npm and its types: docs/javascript.md.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

echo '{"type": "module"}' >package.json
npm install --offline --no-audit --no-fund --loglevel=error --save-dev "$CLONE"/target/packages/npm/castproof-*.tgz >/dev/null
tsc=$CLONE/target/packages/npm/package/node_modules/.bin/tsc
kernel() {
    cat >cast.ts <<TS
import { check } from "castproof";

const toUint8 = (input: Float32Array): Uint8Array => Uint8Array.from(input, (x) => $1);

check(toUint8, "float32", "uint8", { spec: "js-typed-array" });
TS
}
compiled() { "$tsc" --strict --target es2022 --module nodenext --lib es2022,dom cast.ts && node cast.js; }
kernel x
passes compiled
kernel 'Math.min(Math.max(x, 0), 255)'
fails compiled
grep --quiet 'CheckFailed: .* codes are wrong: .*out of range clamped' said || blame "the first line names the cause"
lines_written cast.ts
# The compiler names a word that there is not.
sed -i 's/{ spec:/{ specs:/' cast.ts
fails_with 2 "$tsc" --strict --noEmit --target es2022 --module nodenext --lib es2022,dom cast.ts
grep --quiet "'specs'" said || blame "the compiler names the word"
