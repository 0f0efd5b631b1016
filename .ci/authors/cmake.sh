#!/usr/bin/env bash
# A kernel in C, with CMake and CTest: docs/c.md and the README of the package.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

tar xf "$CLONE"/target/packages/c/castproof-c-*.tar.gz
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(mine C)
find_package(castproof REQUIRED)
enable_testing()
add_executable(cast cast.c)
target_link_libraries(cast castproof::castproof)
add_test(NAME cast COMMAND cast)
CMAKE
kernel() {
    cat >cast.c <<C
#include <castproof.h>
#include <stdint.h>

static void to_int8(const void *x, void *y, size_t count, void *context) {
    for (size_t i = 0; i < count; i++) {
        int32_t n = ((const int32_t *)x)[i];
        ((int8_t *)y)[i] = (int8_t)($1);
    }
}

int main(void) { return castproof_check("int32", "int8", NULL, to_int8, NULL, NULL); }
C
}
tested() {
    cmake -S . -B build -DCMAKE_PREFIX_PATH="$PWD/castproof-c" && cmake --build build || return 3
    # CTest has statuses of its own.
    ctest --test-dir build --output-on-failure || return 1
}
kernel n
passes tested
kernel 'n > 127 ? 127 : n < -128 ? -128 : n'
fails tested
grep --quiet 'int32 -> int8: .* codes are wrong: out of range clamped: ' said || blame "the first line names the cause"
lines_written cast.c CMakeLists.txt
