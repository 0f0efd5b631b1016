#!/usr/bin/env bash
# Builds the archive of the package of npm.
# Usage: packages/npm/build.sh [FOLDER]; without FOLDER into target/packages/npm. Prints where the archive is.
set -euo pipefail
out=$(realpath -m "${1:-"$(dirname "${BASH_SOURCE[0]}")/../../target/packages/npm"}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source packages/archive.sh
source packages/compile.sh wasm32-unknown-unknown

npm() { command npm --no-audit --no-fund --loglevel=error "$@"; }

compile build --package castproof-npm
folder=$out/package
rm -rf "$folder"
mkdir -p "$folder"
cp "$compiled/castproof_npm.wasm" "$folder/castproof.wasm"
cp packages/npm/{index.js,package.json,package-lock.json,README.md,tsconfig.json} LICENSE-APACHE LICENSE-MIT "$folder"
(cd "$folder" && npm ci && npx tsc && npm pack --silent --pack-destination "$out") >&2
echo "$out/castproof-$version.tgz"
