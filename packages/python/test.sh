#!/usr/bin/env bash
# Builds the wheel, installs it in an environment without Castproof, and runs there what the README says,
# mypy, and the tests; then the tests with the oldest versions of numpy and ml_dtypes, but not the README,
# whose gate has the known failures of newer ones. No argument.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=$PWD/target/packages/python

# Makes an environment with the pinned packages of $2.
environment() {
    python3 -m venv --clear "$1"
    "$1/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$2"
}

# Installs the wheel, with nothing but it and what is there, and runs its tests outside of the
# repository, where no file of the repository is found.
tested() {
    local venv=$1
    shift
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$work/wheels" castproof
    (cd "$work/empty" && "$venv/bin/python" -m pytest --quiet -p no:cacheprovider --rootdir tests "$@" tests)
}

rm -rf "$work"
mkdir -p "$work/empty"
cp -r packages/python/README.md packages/python/tests "$work/empty"
environment "$work/venv" packages/python/requirements.txt
"$work/venv/bin/maturin" build --quiet --release --locked --manifest-path packages/python/Cargo.toml \
    --interpreter "$work/venv/bin/python" --out "$work/wheels"
tested "$work/venv"
mypy=("$work/venv/bin/mypy" --cache-dir "$work/mypy")
settings=$PWD/packages/python/pyproject.toml
(cd "$work/empty" && "${mypy[@]}" --config-file "$settings" -p castproof)
"${mypy[@]}" --strict "$work/empty/tests"

environment "$work/venv-oldest" packages/python/requirements-oldest.txt
tested "$work/venv-oldest" --ignore tests/test_readme.py
ls -l "$work/wheels"
