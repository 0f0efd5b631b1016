#!/usr/bin/env bash
# Packs the committed vectors: every file of vectors/data, the landmarks, the expanders and the page that describes them;
# and the book as JSON, which the program writes.
# Usage: packages/vectors/build.sh [FOLDER]; without FOLDER into target/packages/vectors. Prints where the archive is.
set -euo pipefail
out=$(realpath -m "${1:-"$(dirname "${BASH_SOURCE[0]}")/../../target/packages/vectors"}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source packages/archive.sh
source packages/compile.sh ""

name=castproof-vectors-$version
rm -rf "${out:?}/$name"
mkdir -p "$out/$name"
# Only what is committed: a folder of data may hold files that were generated beside it.
git ls-files -z vectors/data vectors/spec/landmarks vectors/expand vectors/expand_partition.py VECTORS.md LICENSE-APACHE LICENSE-MIT |
    xargs -0 cp --parents --target-directory="$out/$name"
compile build --package castproof
"$compiled/castproof" vectors export --format book |
    gzip -9n > "$out/$name/vectors/data/book.json.gz"
archive "$out" "$name" "$name.tar.gz"
