#!/usr/bin/env bash
# Builds the archive of the package of npm.
# Usage: packages/npm/build.sh [FOLDER]; without FOLDER into target/packages/npm. Prints where the archive is.
set -euo pipefail
out=$(realpath -m "${1:-"$(dirname "${BASH_SOURCE[0]}")/../../target/packages/npm"}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source packages/archive.sh

npm() { command npm --no-audit --no-fund --loglevel=error "$@"; }

if [[ ! -d $(rustc --print target-libdir --target wasm32-unknown-unknown) ]]; then
    rustup target add wasm32-unknown-unknown >&2
fi
cargo build --quiet --release --locked --package castproof-npm --target wasm32-unknown-unknown
folder=$out/package
rm -rf "$folder"
mkdir -p "$folder"
cp target/wasm32-unknown-unknown/release/castproof_npm.wasm "$folder/castproof.wasm"
cp packages/npm/{index.js,package.json,package-lock.json,README.md,tsconfig.json} LICENSE-APACHE LICENSE-MIT "$folder"
(cd "$folder" && npm ci && npx tsc && npm pack --silent --pack-destination "$out") >&2
echo "$out/castproof-$version.tgz"
