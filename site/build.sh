#!/usr/bin/env bash
# Builds the page of answers: one file, index.html, that loads nothing else. Beside it stand atlas.html, whose addresses lead to
# the chains of the page, and the comparison of runtimes.
# Usage: site/build.sh [FOLDER]; without FOLDER into target/site. Prints where the page is.
set -euo pipefail
out=$(realpath -m "${1:-"$(dirname "${BASH_SOURCE[0]}")/../target/site"}")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source packages/compile.sh wasm32-unknown-unknown

compile build --package castproof-site

# The compiler of TypeScript that the package of npm pins.
tools=target/site-tools
mkdir -p "$tools" "$out"
cp packages/npm/package{,-lock}.json "$tools"
[[ -x $tools/node_modules/.bin/tsc ]] || (cd "$tools" && npm ci --no-audit --no-fund --loglevel=error) >&2
rm -rf "$tools/web"
"$tools/node_modules/.bin/tsc" --project site/web --outDir "$tools/web" >&2

cp site/web/atlas.html "$out/atlas.html"
cp adapters/comparison/report.html "$out/comparison.html"
python3 site/assemble.py "$compiled/castproof_site.wasm" "$tools/web" "$out/index.html"
