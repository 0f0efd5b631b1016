#!/usr/bin/env bash
# Walks from what a release offers to a first verdict, in each language, as someone without Rust and without this clone:
# a right kernel passes, a wrong one is found. Says how many seconds each walk takes, without what the language itself and
# the runtime need. What cannot be walked here is said in lines "not run: ...".
# Usage: packages/walk.sh DIST [ARGUMENT...]; DIST is a folder that `cargo xtask dist` has filled, the arguments are those of
# the gate of ONNX Runtime, such as `--arrangements none`.
set -euo pipefail
dist=$(realpath "${1:?a folder that cargo xtask dist has filled}")
arguments=("${@:2}")
packages=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
shopt -s nullglob

empty=$(mktemp -d)
trap 'rm -r "$empty"' EXIT
mkdir "$empty/home"
# What stands for another program, as pyenv's does, would look for it in the home folder.
python=$(python3 -c 'import os, sys; print(os.path.dirname(os.path.realpath(sys.executable)))')
path=$python
while read -r -d : folder; do
    [[ -x $folder/cargo || -x $folder/rustc ]] || path+=:$folder
done <<<"$PATH:"
export PATH=$path HOME=$empty/home
# Nothing is fetched but what `before_..` and pip fetch.
export GOFLAGS=-mod=mod GOPROXY=off npm_config_offline=true npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false
unset CARGO_HOME RUSTUP_HOME PYTHONPATH
if command -v cargo rustc rustup; then
    echo "packages/walk.sh: this must run without Rust" >&2
    exit 1
fi

# Walks the walk $1 in a folder of that name, and says how long it took; but not where one of the programs $2... is missing.
walk() {
    local name=$1 program began
    shift
    for program; do
        if ! command -v "$program" >/dev/null; then
            echo "not run: the walk of $name, since $program is missing"
            return
        fi
    done
    mkdir -p "$empty/$name"
    cd "$empty/$name"
    # What it takes before the clock begins.
    ! declare -F "before_$name" >/dev/null || "before_$name"
    began=$EPOCHREALTIME
    "in_$name"
    awk -v name="$name" -v began="$began" -v ended="$EPOCHREALTIME" 'BEGIN { printf "%s: %.1f s\n", name, ended - began }'
}

# Sees that a command fails, and that it says $1.
finds() {
    local due=$1 said
    shift
    if said=$("$@" 2>&1) || ! grep --quiet --fixed-strings -- "$due" <<<"$said"; then
        echo "packages/walk.sh: '$*' should find '$due', but said: $said" >&2
        exit 1
    fi
}

# Types the block $1 of commands of docs/release.md, as it stands, beside the files of the release.
type_block() {
    ln -sf "$dist"/* .
    awk -v block="$1" '/^```sh$/ { count++; inside = count == block; next } /^```$/ { inside = 0 } inside' \
        "$packages/../docs/release.md" > typed
    test -s typed
    bash -eo pipefail typed
}

in_sums() {
    type_block 1
}

in_program() {
    type_block 2 | tail -n 1
    local program=(castproof-*-linux-gnu/castproof)
    "${program[0]}" explain float32 0x43e80000 float8e4m3fn > explained
    grep --quiet 0x7e explained
}

# What the runtime needs, and numpy with it.
before_python() {
    python3 -m venv venv
    venv/bin/pip install --quiet --disable-pip-version-check --require-hashes -r "$packages/../adapters/requirements.txt"
}

in_python() {
    type_block 3 >log
    cat > check.py <<'PYTHON'
import castproof, numpy, sys
clamps = lambda x: numpy.clip(x, -65504, 65504).astype(numpy.float16)
print(castproof.check(clamps if sys.argv[1:] else lambda x: x.astype(numpy.float16), "float32", "float16"))
PYTHON
    venv/bin/python check.py
    finds 'float32 -> float16: ' venv/bin/python check.py wrong
}

in_adapter() {
    ../python/venv/bin/castproof gate --adapter onnxruntime "${arguments[@]}" | tail -n 1
}

in_action() {
    mkdir -p releases temp
    local version
    version=$(sed -n 's/.*  castproof-\([0-9.]*\)\.tgz$/\1/p' "$dist/SHA256SUMS")
    ln -s "$dist" "releases/v$version"
    export RUNNER_TEMP=$PWD/temp GITHUB_OUTPUT=$PWD/output GITHUB_STEP_SUMMARY=$PWD/summary GITHUB_ACTION_PATH=$packages/..
    export TESTEE=builtin LIBRARY='' ADAPTER='' BASELINE='' LEVEL=core ARGUMENTS='--pair float32:float16' BUILD_FROM_SOURCE=false
    RELEASES=file://$PWD/releases VERSION=$version "$packages/../action-install.sh"
    CASTPROOF=$PWD/temp/castproof/bin/castproof "$packages/../action.sh" >log
    head -n 1 summary
}

in_node() {
    echo '{"type": "module"}' > package.json
    type_block 4 >log
    cat > check.js <<'JAVASCRIPT'
import { check } from "castproof";
const toInt8 = (input) => Int8Array.from(input, (x) => Number(BigInt.asIntN(8, x)));
const clamps = (input) => Int8Array.from(input, (x) => Math.max(-128, Math.min(127, Number(x))));
export const said = [JSON.stringify(check(toInt8, "int64", "int8"))];
try {
    check(clamps, "int64", "int8");
} catch (error) {
    said.push(...error.message.split("\n").slice(0, 2));
}
JAVASCRIPT
    node --input-type=module --eval 'import { said } from "./check.js"; console.log(said.join("\n"));' | tee said
    grep --quiet 'clamps: .* codes are wrong' said
}

in_browser() {
    (cd ../node && python3 "$packages/npm/tests/browser.py" check.js) > said
    diff ../node/said said
}

in_c() {
    type_block 5 | tail -n 3
    sed --in-place 's/ + 0x7fff + (bits >> 16 & 1)//' castproof-c/example/my_cast.c
    cmake --build build >log
    finds 'Cast(28) float32 -> bfloat16' ctest --test-dir build --output-on-failure
}

in_go() {
    type_block 6
    go mod init mine 2>log
    local module=github.com/castproof/castproof/packages/go
    go mod edit -require "$module@v0.1.0" -replace "$module=./castproof-go"
    cat > mine_test.go <<'GO'
package mine

import (
	"testing"

	castproof "github.com/castproof/castproof/packages/go"
)

func TestToInt8(t *testing.T) {
	castproof.Check(t, "int32", "int8", func(in, out []byte, n int) {
		for i := 0; i < n; i++ {
			out[i] = in[4*i]
		}
	})
}
GO
    go test .
    sed --in-place 's/= in\[4\*i\]/= in[4*i] \& 0x7f/' mine_test.go
    finds 'Cast(28) int32 -> int8: ' go test .
}

walk sums
walk program
walk python python3
[[ ! -d $empty/python ]] || walk adapter
walk action curl python3
walk node node npm
[[ ! -d $empty/node ]] || walk browser chromium
walk c cmake make cc c++
walk go go
