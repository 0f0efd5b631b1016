#!/usr/bin/env bash
# Small files in the tests of other projects: the tests and commands of docs/vendor.md, word for word, with a right kernel
# and with one that drops the low half of the code. No test runs a part of Castproof.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[[ -f /usr/include/gtest/gtest.h ]] || {
    apt-get -o DPkg::Lock::Timeout=600 --yes -qq install --no-install-recommends libgtest-dev >/dev/null
}
export GOFLAGS=-mod=mod GOPROXY=off CGO_ENABLED=0
# Writes the tests, whose first line names them, and prints the commands.
python3 - "$CLONE/docs/vendor.md" >commands <<'PYTHON'
import pathlib
import re
import sys

page = pathlib.Path(sys.argv[1]).read_text()
for language, block in re.findall(r"^```(\w+)\n(.*?)^```", page, re.DOTALL | re.MULTILINE):
    first = block.splitlines()[0]
    if language == "sh":
        print(block, end="")
    elif named := re.match(r"(?:#|//|/\*) (\S+\.\w+)(?: \*/)?$", first):
        pathlib.Path(named[1]).write_text(block)
PYTHON
passes bash -euxo pipefail commands
[[ $(echo test_cast.* cast* CMakeLists.txt) == "test_cast.c test_cast.cpp test_cast.py test_cast.rs cast.test.mjs cast_test.go castvectors CMakeLists.txt" ]] ||
    blame "a test of the page is missing: $(ls)"

# $1 is added before the low half goes; without it, the code is cut off.
kernel() {
    cat >kernel.h <<C
#include <stdint.h>
static inline uint16_t to_bfloat16(uint32_t x) {
    if ((x & 0x7fffffff) > 0x7f800000) return 0x7fc0;
    return (uint16_t)((x + ${1:-0}) >> 16);
}
C
    cat >kernel.py <<PYTHON
import numpy

def to_bfloat16(array):
    x = array.view(numpy.uint32).astype(numpy.uint64)
    return numpy.where(numpy.isnan(array), 0x7FC0, (x + (${1:-0})) >> 16).astype(numpy.uint16)
PYTHON
    cat >kernel.rs <<RUST
pub fn to_bfloat16(number: f32) -> u16 {
    let x = number.to_bits();
    if number.is_nan() { 0x7fc0 } else { ((x + (${1:-0})) >> 16) as u16 }
}
RUST
    cat >kernel.mjs <<JS
export const toBfloat16 = (array) =>
    Uint16Array.from(new Uint32Array(array.buffer), (x, place) => (Number.isNaN(array[place]) ? 0x7fc0 : (x + (${1:-0})) >>> 16));
JS
    cat >kernel.go <<GO
package mine

func toBfloat16(x uint32) uint16 {
	if x&0x7fffffff > 0x7f800000 {
		return 0x7fc0
	}
	return uint16((x + ${1:-0}) >> 16)
}
GO
}
go mod init mine 2>/dev/null
python=$CLONE/target/packages/python/venv/bin/python
with_pytest() { "$python" -m pytest -q -p no:cacheprovider test_cast.py; }
# A test that does not compile ends with status 3, which is no failing test.
with_ctest() {
    { cmake -S . -B build -DCMAKE_C_FLAGS="-Wall -Wextra -Werror" && cmake --build build; } || return 3
    ctest --test-dir build --output-on-failure || return 1
}
with_googletest() {
    g++ -std=c++17 -O2 -Wall -Wextra -Werror test_cast.cpp -o test_cast -lgtest -lgtest_main -lpthread || return 3
    ./test_cast
}
with_rust() {
    rustc --edition 2021 --test -Dwarnings test_cast.rs -o test_cast_rust || return 3
    ./test_cast_rust || return 1
}
with_node() { node --test cast.test.mjs; }
with_go() { go vet . && go test -count=1 .; }
for test in with_pytest with_ctest with_googletest with_rust with_node with_go; do
    kernel '0x7fff + ((x >> 16) & 1)'
    passes "$test"
    kernel
    fails "$test"
    grep --quiet --ignore-case 'expected' said || blame "$test: it must say what is expected"
done

# A file of another day: its digest is its own, and one answer is another one.
castproof vectors export --format csv --from float32 --to bfloat16 |
    sed '0,/^0x/s/^0x\(........\),.*/0x\1,0x1234,0x1234,0x1234,0x1234,0x1234/' >old.csv
digest=$(grep '^0x' old.csv | sha256sum | cut -d' ' -f1)
sed -i "s/\(lines of CSV: \).*/\1$digest/" old.csv
fails castproof vectors export --check old.csv
grep --quiet ': was 0x1234 (.*, is 0x' said || blame "it must name the value, what it was and what it is"
sed -i '0,/0x1234/s/0x1234/0x1235/' old.csv
fails_with 2 castproof vectors export --check old.csv
lines_written test_cast.* cast.test.mjs cast_test.go CMakeLists.txt
