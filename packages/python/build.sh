#!/usr/bin/env bash
# Builds the wheel for this machine, or for TARGET, and puts the bill of materials beside it that maturin writes into it.
# Usage: packages/python/build.sh [FOLDER [TARGET]]; without FOLDER into target/packages/python. Prints where the files are.
set -euo pipefail
out=$(realpath -m "${1:-"$(dirname "${BASH_SOURCE[0]}")/../../target/packages/python"}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source packages/compile.sh "${2:-}"

with_tools
# manylinux2014 has the glibc of `compile`, and maturin looks whether the wheel needs a newer one.
case "$target" in
    *-linux-gnu) platform=(--compatibility manylinux2014) ;;
    *) platform=() ;;
esac
rm -rf "$out/wheels"
maturin build --release --locked --manifest-path packages/python/Cargo.toml --target "$target" "${platform[@]}" \
    --interpreter python3.11 --out "$out/wheels" >&2
bill=$out/wheels/castproof-$target.cyclonedx.json
python3 packages/python/bill.py "$out"/wheels/*.whl "$PWD" "$bill"
echo "$out"/wheels/*.whl
echo "$bill"
