#!/usr/bin/env bash
# Packs small files of the pairs that people use, in every form, as docs/vendor.md describes them.
# Usage: packages/small/build.sh [FOLDER]; without FOLDER into target/packages/small. Prints where the archive is.
set -euo pipefail
out=$(realpath -m "${1:-"$(dirname "${BASH_SOURCE[0]}")/../../target/packages/small"}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source packages/archive.sh
source packages/compile.sh ""

# The forms, each with the end of its files' names.
forms=(csv:csv json-small:json c-header:h cpp:hpp testfloat:txt rust:rs js:mjs go:go npz:npz)
floats=(float32 float16 bfloat16)
pairs=()
for small in float8e4m3fn float8e5m2 float8e4m3fnuz float8e5m2fnuz float4e2m1; do
    for float in "${floats[@]}"; do
        pairs+=("$float:$small" "$small:$float")
    done
done
pairs+=(float32:float16 float16:float32 float32:bfloat16 bfloat16:float32 float64:float32 float32:float8e8m0)
for integer in int8 uint8 int32 int64; do
    pairs+=("float32:$integer")
done
pairs+=(int32:float32 int64:float32)

name=castproof-small-$version
rm -rf "${out:?}/$name"
mkdir -p "$out/$name"
cp LICENSE-APACHE LICENSE-MIT "$out/$name"
compile build --package castproof
for pair in "${pairs[@]}"; do
    for form in "${forms[@]}"; do
        file=$out/$name/${pair/:/_}.${form#*:}
        "$compiled/castproof" vectors export --format "${form%:*}" --from "${pair%:*}" --to "${pair#*:}" --out "$file" >/dev/null
    done
done
archive "$out" "$name" "$name.tar.gz"
