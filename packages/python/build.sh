#!/usr/bin/env bash
# Builds the wheel for this machine, and puts the bill of materials beside it that maturin writes into it. The
# environment of the tests, which holds maturin, is made in the folder too.
# Usage: packages/python/build.sh [FOLDER]; without FOLDER into target/packages/python. Prints where the files are.
set -euo pipefail
out=$(realpath -m "${1:-"$(dirname "${BASH_SOURCE[0]}")/../../target/packages/python"}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

python3 -m venv --clear "$out/venv"
"$out/venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r packages/python/requirements.txt >&2
rm -rf "$out/wheels"
"$out/venv/bin/maturin" build --quiet --release --locked --manifest-path packages/python/Cargo.toml \
    --interpreter "$out/venv/bin/python" --out "$out/wheels" >&2
"$out/venv/bin/python" - "$out"/wheels/*.whl <<'PYTHON'
import pathlib
import sys
import zipfile

wheel = pathlib.Path(sys.argv[1])
with zipfile.ZipFile(wheel) as archive:
    (name,) = (name for name in archive.namelist() if name.endswith(".cyclonedx.json"))
    bill = wheel.with_name(f"{'-'.join(wheel.name.split('-')[:2])}.cyclonedx.json")
    bill.write_bytes(archive.read(name))
print(wheel, bill, sep="\n")
PYTHON
