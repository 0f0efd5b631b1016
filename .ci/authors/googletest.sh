#!/usr/bin/env bash
# A kernel in C++, in GoogleTest: docs/c.md and the README of the package.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[[ -f /usr/include/gtest/gtest.h ]] || {
    apt-get -o DPkg::Lock::Timeout=600 --yes -qq install --no-install-recommends libgtest-dev >/dev/null
}
tar xf "$CLONE"/target/packages/c/castproof-c-*.tar.gz
export PKG_CONFIG_PATH="$PWD/castproof-c/lib/pkgconfig"
kernel() {
    cat >cast.cpp <<CXX
#include <castproof.hpp>
#include <cstdint>
#include <gtest/gtest.h>

static void to_half_of(const float *x, std::uint16_t *y, std::size_t count) {
    for (std::size_t i = 0; i < count; i++) {
        std::uint32_t bits;
        __builtin_memcpy(&bits, &x[i], 4);
        if (x[i] != x[i]) y[i] = 0x7fc0;
        else y[i] = (std::uint16_t)((bits + $1) >> 16);
    }
}

TEST(Cast, ToBfloat16) {
    const auto checked = castproof::check<float, std::uint16_t>("float32", "bfloat16", to_half_of);
    EXPECT_TRUE(checked) << checked.text;
}
CXX
}
tested() {
    local flags
    read -ra flags <<<"$(pkg-config --cflags --libs castproof)"
    g++ -std=c++17 -O2 cast.cpp -o cast "${flags[@]}" -lgtest -lgtest_main -lpthread || return 3
    ./cast
}
kernel '0x7fff + (bits >> 16 & 1)'
passes tested
kernel 0
fails tested
grep --quiet 'float32 -> bfloat16: .* codes are wrong: .*rounded toward zero' said || blame "the first line names the cause"
lines_written cast.cpp
