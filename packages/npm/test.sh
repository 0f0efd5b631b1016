#!/usr/bin/env bash
# Builds the package of npm, installs its archive in an empty folder, and runs there what the README says,
# the tests, and the types. What is not run is said in lines "not run: ...". No argument.
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh" npm docs/javascript.md

npm() { command npm --no-audit --no-fund --loglevel=error "$@"; }

mkdir "$work/package"
if [[ ! -d $(rustc --print target-libdir --target wasm32-unknown-unknown) ]]; then
    rustup target add wasm32-unknown-unknown
fi
cargo build --quiet --release --locked --package castproof-npm --target wasm32-unknown-unknown
cp target/wasm32-unknown-unknown/release/castproof_npm.wasm "$work/package/castproof.wasm"
(cd packages/npm && cp index.js package.json package-lock.json README.md tsconfig.json "$work/package")
cp LICENSE-APACHE LICENSE-MIT "$work/package"
(cd "$work/package" && npm ci && npx tsc && npm pack --silent --pack-destination "$work" >/dev/null)
archive=$(echo "$work"/castproof-*.tgz)
weigh "$archive" 2000000

cd "$empty"
echo '{"type": "module"}' > package.json
npm install --offline --save-dev "$archive"
node --test --test-reporter=dot tests/*.test.js
"$work/package/node_modules/.bin/tsc" --strict --noEmit --target es2022 --module nodenext --lib es2022,dom tests/types.ts

echo "not run: the package of npm in a browser"
