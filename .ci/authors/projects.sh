#!/usr/bin/env bash
# Small files in the tests of eleven projects: the tests and commands of docs/vendor-projects.md, word for word, with a
# release of the project and with a wrong kernel. No test runs a part of Castproof.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

install() {
    local apt=(apt-get -o DPkg::Lock::Timeout=600 --yes -qq)
    "${apt[@]}" install --no-install-recommends "$1" >/dev/null || {
        "${apt[@]}" update
        "${apt[@]}" install --no-install-recommends "$1" >/dev/null
    }
}
[[ -f /usr/include/gtest/gtest.h ]] || install libgtest-dev
command -v riscv64-linux-gnu-as >/dev/null || install binutils-riscv64-linux-gnu

page=$CLONE/docs/vendor-projects.md
# Writes the files of each section into a folder with its name, and its commands as a file `commands`.
python3 - "$page" <<'PYTHON'
import pathlib
import re
import sys

for section in pathlib.Path(sys.argv[1]).read_text().split("\n## ")[1:]:
    folder = pathlib.Path(section.partition("\n")[0].lower().replace(" ", "-") + "-tests")
    folder.mkdir()
    for language, block in re.findall(r"^```(\w+)\n(.*?)^```", section, re.DOTALL | re.MULTILINE):
        if language == "sh":
            with (folder / "commands").open("a") as commands:
                commands.write(block)
        else:
            (name,) = re.match(r"(?:#|//) (\S+\.\w+)(?:, in \S+)?\n", block).groups()
            (folder / name).write_text(block)
PYTHON
[[ "$(echo *) " == "$(printf '%s-tests ' cubecl flashinfer mlir ncnn onnx-runtime openvino pytorch risc-v-vectors test262 tract triton)" ]] ||
    blame "a project of the page is missing: $(ls)"
mine=$PWD
for folder in *; do
    cd "$mine/$folder"
    passes bash -euxo pipefail commands
done

version=$(python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
packages() { echo "$CLONE/.venvs/$1/lib/$version/site-packages"; }
of_onnxruntime=$CLONE/.venv/lib/$version/site-packages
python=$CLONE/target/packages/python/venv/bin/python
tools=$mine/../tools
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --target "$tools" --require-hashes \
    -r "$CLONE/.ci/authors/requirements.txt"

# Does the page name the version that is installed? $1 is what the page calls it, and $2 a folder of packages.
named() {
    local said
    said=$("$python" -c 'import importlib.metadata, sys
(found,) = importlib.metadata.distributions(name=sys.argv[1], path=[sys.argv[2]])
print(found.version)' "$1" "$2")
    grep --quiet --ignore-case "${3:-$1} $said" "$page" || blame "docs/vendor-projects.md does not name ${3:-$1} $said"
}
named triton "$(packages torch)"
named torch "$(packages torch)" pytorch
named ncnn "$(packages ncnn)"
named openvino "$(packages openvino)"
named jaxlib "$(packages jax)"
named onnxruntime "$of_onnxruntime" "onnx runtime"
named tract "$tools"
named lit "$tools"

# Runs a test of this folder by pytest, with packages of other folders.
pytest() { PYTHONPATH=$1 "$python" -m pytest -q -p no:cacheprovider -W ignore "${@:2}"; }

# Runs a command that must fail with status 1, and say what the first argument is.
fails_saying() {
    fails "${@:2}"
    grep --quiet "$1" said || blame "it must say '$1'"
}

# Runs the test that passes with the release, and then with a wrong kernel, which the end of conftest.py is to be.
with_release_and_planted() {
    passes "$@"
    cat >>conftest.py
    fails_saying AssertionError "$@"
}
# What kernels are that drop the low 13 bits of a float32.
cut='import numpy


def cut(array):
    return (numpy.ascontiguousarray(array).view(numpy.uint32) & 0xFFFFE000).view(numpy.float32)

'

# Three projects stand on PyTorch, which takes three seconds to import: their tests run together, each in its own folder.
cd "$mine"
cat >conftest.py <<'PYTHON'
import pytest


@pytest.fixture(autouse=True)
def in_its_folder(request, monkeypatch):
    monkeypatch.chdir(request.path.parent)


# The tests of Triton have this fixture from its conftest.py.
@pytest.fixture
def device():
    return "cpu"
PYTHON
mkdir flashinfer-tests/flashinfer
cat >flashinfer-tests/flashinfer/utils.py <<'PYTHON'
def get_compute_capability(device):
    return 0, 0
PYTHON
cat >flashinfer-tests/flashinfer/__init__.py <<'PYTHON'
import torch


def mxfp8_quantize(x, is_sf_swizzled_layout):
    blocks = x.reshape(-1, 32)
    scales = torch.ceil(torch.log2(blocks.abs().amax(1, keepdim=True) / 448))
    blocks = planted(blocks / torch.exp2(scales))
    return blocks.to(torch.float8_e4m3fn).reshape(x.shape), (scales + 127).to(torch.uint8)


def planted(blocks):
    return blocks
PYTHON
with_torch() {
    TRITON_INTERPRET=1 pytest "$(packages torch):$tools:$mine/flashinfer-tests" --import-mode=importlib \
        triton-tests/test_cast_vectors.py flashinfer-tests/test_mxfp8_vectors.py pytorch-tests/test_cast_vectors.py
}
passes with_torch
cat >triton-tests/conftest.py <<PYTHON
import triton.runtime.interpreter as interpreter
$cut
right = interpreter.InterpreterBuilder.cast_impl


def wrong(self, source, target):
    if source.data.dtype == numpy.float32:
        source = interpreter.TensorHandle(cut(source.data), source.dtype)
    return right(self, source, target)


interpreter.InterpreterBuilder.cast_impl = wrong
PYTHON
cat >flashinfer-tests/conftest.py <<'PYTHON'
import flashinfer
import torch

flashinfer.planted = lambda blocks: (blocks.view(torch.int32) & ~0xFFFFF).view(torch.float32)
PYTHON
cat >pytorch-tests/conftest.py <<PYTHON
import torch
$cut
right = torch.Tensor.to


def wrong(self, *arguments, **options):
    if arguments[0] is torch.float16:
        self = torch.from_numpy(cut(self.numpy()))
    return right(self, *arguments, **options)


torch.Tensor.to = wrong
PYTHON
fails_saying AssertionError with_torch
for name in triton-tests/test_cast_vectors.py flashinfer-tests/test_mxfp8_vectors.py pytorch-tests/test_cast_vectors.py; do
    grep --quiet "^FAILED $name" said || blame "$name passes with a wrong kernel"
done
echo "not run: the kernels of FlashInfer, which need a GPU and CUDA"

cd "$mine/ncnn-tests"
echo "$cut" >conftest.py
with_release_and_planted pytest "$(packages ncnn)" test_cast_vectors.py <<'PYTHON'
import ncnn

ncnn.cast_float32_to_float16 = lambda mat, options: ncnn.Mat(cut(mat).astype(numpy.float16))
PYTHON

cd "$mine/openvino-tests"
wheel=$(packages openvino)/openvino
with_googletest() {
    g++ -std=c++17 -O0 -Wall -Wextra -Werror -isystem "$wheel/include" "$@" convert_vectors_test.cpp -o convert_vectors_test \
        "$wheel"/libs/libopenvino.so.* -Wl,-rpath,"$wheel/libs" -Wl,--allow-shlib-undefined -lgtest -lgtest_main -lpthread || return 3
    ./convert_vectors_test
}
cat >planted.hpp <<'CPP'
#include <openvino/op/constant.hpp>
#include <openvino/op/convert.hpp>
#include <openvino/op/multiply.hpp>
namespace ov::op::v0 {
struct Planted : Convert {
    Planted(const Output<Node>& x, const element::Type& type)
        : Convert(std::make_shared<v1::Multiply>(x, Constant::create(element::f32, {1}, {1.0009765625f})), type) {}
};
}  // namespace ov::op::v0
#define Convert Planted
CPP
passes with_googletest
fails_saying ', expected ' with_googletest -include planted.hpp

cd "$mine/tract-tests"
echo "$cut" >conftest.py
with_release_and_planted pytest "$tools:$of_onnxruntime" test_node_txt.py <<'PYTHON'
import tract

right = tract.Runnable.run
tract.Runnable.run = lambda self, inputs: right(self, [cut(array) for array in inputs])
PYTHON

cd "$mine/onnx-runtime-tests"
echo "$cut" >conftest.py
# A filter that also names tests that pass is found.
mkdir wide
sed 's/(saturate0|round_modedown)_//' onnx_backend_test_series_filters.jsonc >wide/onnx_backend_test_series_filters.jsonc
ln -s "$PWD/cast" "$PWD/onnx_backend_cast_series.py" wide
(cd wide && fails_saying 'Unexpected success' pytest "$of_onnxruntime" onnx_backend_cast_series.py)
with_release_and_planted pytest "$of_onnxruntime" onnx_backend_cast_series.py <<'PYTHON'
import onnxruntime

right = onnxruntime.InferenceSession.run


def wrong(self, names, feeds, *rest):
    return right(self, names, {name: cut(array) for name, array in feeds.items()}, *rest)


onnxruntime.InferenceSession.run = wrong
PYTHON

cd "$mine/cubecl-tests"
passes rustfmt --check --edition 2024 cast_vectors.rs
echo "not run: the runtime tests of cubecl, which need a GPU, or a build of its CPU runtime with LLVM"

cd "$mine/mlir-tests"
mkdir bin
cat >bin/mlir-opt <<PYTHON
#!$CLONE/.venvs/jax/bin/python
# The pass of mlir-opt, by the MLIR of jaxlib. PLANTED is the op that takes the place of arith.sitofp.
import os
import sys

from jax._src.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir, passmanager

with make_ir_context(), open(sys.argv[1]) as text:
    module = ir.Module.parse(text.read().replace("arith.sitofp", os.environ.get("PLANTED", "arith.sitofp")))
    passmanager.PassManager.parse("builtin.module(canonicalize)").run(module.operation)
    print(module)
PYTHON
chmod +x bin/mlir-opt
cat >lit.cfg.py <<'PYTHON'
import os

import lit.formats

config.name = "MLIR"
config.test_format = lit.formats.ShTest()
config.suffixes = [".mlir"]
config.environment = dict(os.environ)
PYTHON
with_lit() { PATH=$PWD/bin:$(packages torch)/triton:$PATH PYTHONPATH=$tools PYTHONDONTWRITEBYTECODE=1 "$python" -c 'from lit.main import main; main()' -v .; }
passes with_lit
grep --quiet "Passed *: 1" said || blame "lit must find one test"
PLANTED=arith.uitofp fails_saying 'error: CHECK-NEXT' with_lit

cd "$mine/risc-v-vectors-tests"
with_qemu() {
    for part in data "$1"; do
        riscv64-linux-gnu-as -march=rv64gcv "$part.S" -o "$part.o" || return 3
    done
    # Nobody sets gp, by which a relaxed program finds its data.
    riscv64-linux-gnu-ld --no-relax data.o "$1.o" -o "$1" || return 3
    qemu-riscv64 -cpu rv64,v=true "$1"
}
sed 's/vfncvt\.f\.f\.w/vfncvt.rod.f.f.w/' vfncvt.S >planted.S
if command -v qemu-riscv64 >/dev/null; then
    passes with_qemu vfncvt
    fails with_qemu planted
else
    echo "not run: vectors of RISC-V, which ./setup.sh --machines installs an emulator for"
fi

cd "$mine/test262-tests"
# What a harness of test262 does with a test, and the part of its assert.js that this test has.
with_node() {
    {
        cat "$@"
        echo 'var assert = { sameValue: (got, due, text) => { if (!Object.is(got, due)) throw [text, got, "not", due].join(" "); } };'
        cat castConversionValues.js cast-conversion-values.js
    } >whole.js
    node whole.js
}
echo 'class Wider extends Float64Array { static get name() { return "Float32Array"; } } globalThis.Float32Array = Wider;' >wide-float32.js
echo 'class Wider extends Float64Array { static get name() { return "Int32Array"; } } globalThis.Int32Array = Wider;' >wide-int32.js
passes with_node
fails_saying '^Float32Array of .* not ' with_node wide-float32.js
fails_saying '^Int32Array of .* not ' with_node wide-int32.js

cd "$mine"
lines_written ./*/{test_*.py,*_test.cpp,*.txt,*.jsonc,*_series.py,gen_*.py,vfncvt.S,cast_*.rs,cast-*.js}
