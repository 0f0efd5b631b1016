#!/usr/bin/env bash
# Builds the package of npm, installs its archive in an empty folder, and runs there what the README says,
# the tests, and the types. What is not run is said in lines "not run: ...". No argument.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=$PWD/target/packages/npm
# The most bytes that the archive may have.
most=2000000

# The tests run here, where no file of the repository is found.
empty=$(mktemp -d)
trap 'rm -r "$empty"' EXIT

npm() { command npm --no-audit --no-fund --loglevel=error "$@"; }

rm -rf "$work"
mkdir -p "$work/package" "$empty/pages"
if [[ ! -d $(rustc --print target-libdir --target wasm32-unknown-unknown) ]]; then
    rustup target add wasm32-unknown-unknown
fi
cargo build --quiet --release --locked --package castproof-npm --target wasm32-unknown-unknown
cp target/wasm32-unknown-unknown/release/castproof_npm.wasm "$work/package/castproof.wasm"
(cd packages/npm && cp index.js package.json package-lock.json README.md tsconfig.json "$work/package")
cp LICENSE-APACHE LICENSE-MIT "$work/package"
(cd "$work/package" && npm ci && npx tsc && npm pack --silent --pack-destination "$work" >/dev/null)
archive=$(echo "$work"/castproof-*.tgz)
bytes=$(stat --format=%s "$archive")
echo "${archive##*/}: $bytes bytes"
if ((bytes > most)); then
    echo "packages/npm/test.sh: the archive has more than $most bytes" >&2
    exit 1
fi

cp -r packages/npm/tests "$empty"
cp packages/npm/README.md "$empty/pages/package.md"
cp README.md "$empty/pages/repository.md"
cp docs/javascript.md "$empty/pages/book.md"
cd "$empty"
echo '{"type": "module"}' > package.json
npm install --offline --save-dev "$archive"
node --test --test-reporter=dot tests/*.test.js
"$work/package/node_modules/.bin/tsc" --strict --noEmit --target es2022 --module nodenext --lib es2022,dom tests/types.ts

echo "not run: the package of npm in a browser"
