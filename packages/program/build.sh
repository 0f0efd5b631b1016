#!/usr/bin/env bash
# Builds the archive of the program, for this machine or for TARGET. On Linux it runs with every glibc since 2.17. It is
# not linked statically, since `castproof gate --library` loads a library.
# Usage: packages/program/build.sh [FOLDER [TARGET]]; without FOLDER into target/packages/program. Prints where the archive is.
set -euo pipefail
out=$(realpath -m "${1:-"$(dirname "${BASH_SOURCE[0]}")/../../target/packages/program"}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source packages/archive.sh
source packages/compile.sh "${2:-}"

compile build --package castproof
check_glibc "$compiled/castproof"
name=castproof-$version-$target
rm -rf "${out:?}/$name"
mkdir -p "$out/$name"
cp "$compiled/castproof" gate/README.md LICENSE-APACHE LICENSE-MIT "$out/$name"
archive "$out" "$name" "$name.tar.gz"
