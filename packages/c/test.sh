#!/usr/bin/env bash
# Builds the archive for C and C++, unpacks it in an empty folder, and runs there what the README says, the
# example, and the tests, with CMake and with pkg-config. What is not run is said in lines "not run: ...".
# No argument.
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh" c docs/c.md

packages/c/tools.sh
archive=$(packages/c/build.sh)
weigh "$archive" 12000000

cp "$archive" "$empty"
cp packages/documents.py gate/tests/kernels/right.c "$empty/tests"
cd "$empty"
python3 tests/test_documents.py

# As a C++98 compiler sees the header, and the tests of C as C++.
export PKG_CONFIG_PATH="$PWD/castproof-c/lib/pkgconfig"
strict=(-Wall -Wextra -pedantic -Werror)
read -ra flags <<<"$(pkg-config --cflags --libs castproof)"
g++ -std=c++98 -Wno-long-long "${strict[@]}" -fsyntax-only -x c++ castproof-c/include/castproof.h
for test in "tests/test_check.c tests/kernels.c" tests/test_expect.c; do
    read -ra sources <<<"$test"
    g++ -std=c++11 "${strict[@]}" -x c++ "${sources[@]}" -x none "${flags[@]}" -o as_cxx
    ./as_cxx
done
read -ra flags <<<"$(pkg-config --static --cflags --libs castproof)"
gcc -std=c99 "${strict[@]}" tests/test_expect.c "${flags[@]}" -o with_private && ./with_private

cmake -S tests -B tests-build -DCMAKE_PREFIX_PATH="$empty/castproof-c" >cmake.log || { cat cmake.log; exit 1; }
cmake --build tests-build >cmake.log 2>&1 || { cat cmake.log; exit 1; }
ctest --test-dir tests-build --output-on-failure --quiet

if [[ -f /usr/include/gtest/gtest.h ]]; then
    # Read to its end, since ctest fails where nothing reads on.
    ctest --test-dir build -N | grep my_cast.cpp >/dev/null
else
    echo "not run: the example with GoogleTest, which cannot be installed here"
fi
