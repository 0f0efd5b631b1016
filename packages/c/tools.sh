#!/usr/bin/env bash
# Installs what an author of C has, where apt-get can: CMake, make, a compiler of C++, pkg-config and GoogleTest. No argument.
set -euo pipefail
missing=()
for tool in cmake make g++ pkg-config; do
    command -v "$tool" >/dev/null || missing+=("$tool")
done
[[ -f /usr/include/gtest/gtest.h ]] || missing+=(libgtest-dev)
if ((${#missing[@]} > 0)) && command -v apt-get >/dev/null; then
    apt=(apt-get -o DPkg::Lock::Timeout=600 --yes -qq)
    "${apt[@]}" update
    "${apt[@]}" install --no-install-recommends "${missing[@]}" >/dev/null
fi
