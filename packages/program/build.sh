#!/usr/bin/env bash
# Builds the archive of the program for this machine. It runs where glibc is at least as new as here, and a line
# "not built: ..." on standard error says so.
# Usage: packages/program/build.sh [FOLDER]; without FOLDER into target/packages/program. Prints where the archive is.
set -euo pipefail
out=$(realpath -m "${1:-"$(dirname "${BASH_SOURCE[0]}")/../../target/packages/program"}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source packages/archive.sh

target=$(rustc --print host-tuple)
cargo build --quiet --release --locked --package castproof
if [[ "$target" == *-linux-gnu ]]; then
    echo "not built: the program for a glibc before $(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2)" >&2
fi
name=castproof-$version-$target
rm -rf "${out:?}/$name"
mkdir -p "$out/$name"
cp target/release/castproof gate/README.md LICENSE-APACHE LICENSE-MIT "$out/$name"
archive "$out" "$name" "$name.tar.gz"
