#!/usr/bin/env bash
# Builds the archive of the Go module: its sources with the book, the rules, the dtypes and the expander of vectors/.
# Usage: packages/go/build.sh [FOLDER]; without FOLDER into target/packages/go. Prints where the archive is.
set -euo pipefail
out=$(realpath -m "${1:-"$(dirname "${BASH_SOURCE[0]}")/../../target/packages/go"}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source packages/archive.sh

folder=$out/castproof-go
rm -rf "$folder"
mkdir -p "$folder/data"
cp packages/go/*.go packages/go/go.mod packages/go/README.md LICENSE-APACHE LICENSE-MIT "$folder"
cp vectors/data/book.bin vectors/data/rules.json vectors/data/dtypes.json "$folder/data"
sed 's/^package main$/package castproof/' vectors/expand/expand.go > "$folder/expand.go"

archive "$out" castproof-go "castproof-go-$version.tar.gz"
