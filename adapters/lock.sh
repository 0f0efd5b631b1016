#!/usr/bin/env bash
# Writes each requirements.txt from the requirements.in beside it: every package with its version and the
# hashes of its wheels, for every platform. Needs uv (`pip install uv`). With names, only these adapters.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

lock() {
    uv pip compile --quiet --universal --generate-hashes --only-binary :all: --python-version 3.11 \
        --no-annotate --custom-compile-command adapters/lock.sh "$1.in" --output-file "$1.txt"
}

if (($# > 0)); then
    for name in "$@"; do
        lock "adapters/$name/requirements"
    done
    exit
fi
lock adapters/requirements
lock adapters/requirements-tests # within the versions of the line above
lock packages/requirements
for file in adapters/*/requirements.in clusters/requirements.in .ci/requirements.in .ci/authors/requirements.in \
    packages/python/requirements*.in; do
    lock "${file%.in}"
done
