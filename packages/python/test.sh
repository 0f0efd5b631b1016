#!/usr/bin/env bash
# Builds the wheel, installs it in an environment without Castproof, and runs there what the documents
# say, mypy, and the tests; then those of arrays with the oldest versions of numpy and ml_dtypes; then builds
# the package from the clone as pip does. What cannot be run here is said in lines "not run: ...".
# No argument.
source "$(dirname "${BASH_SOURCE[0]}")/../common.sh" python docs/python.md

# Makes an environment with the pinned packages of $2.
environment() {
    python3 -m venv --clear "$1"
    "$1/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r "$2"
}

# Installs the wheel in the environment $1, with nothing but it and what is there, and runs its tests
# with the other arguments.
tested() {
    local venv=$1
    shift
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links "$work/wheels" castproof
    (cd "$empty" && "$venv/bin/python" -m pytest --quiet -p no:cacheprovider --rootdir tests "$@" tests)
}

cp gate/tests/kernels/right.c "$empty/tests"
packages/python/build.sh >/dev/null
weigh "$work"/wheels/*.whl 12000000
environment "$work/venv" packages/python/requirements.txt

# torch is a large download. Where the environment of its adapter is whole, its packages are found after
# all others.
version=$(python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
torch=$PWD/.venvs/torch/lib/$version/site-packages
if [[ -d "$torch/torch" && -f .venvs/torch/requirements.txt ]]; then
    echo "$torch" > "$work/venv/lib/$version/site-packages/torch-of-the-adapter.pth"
    tested "$work/venv"
else
    tested "$work/venv" -m "not torch"
    echo "not run: the Python package with tensors of torch, which ./setup.sh --adapters torch installs"
fi
mypy=("$work/venv/bin/mypy" --cache-dir "$work/mypy")
settings=$PWD/packages/python/pyproject.toml
(cd "$empty" && "${mypy[@]}" --config-file "$settings" -p castproof)
"${mypy[@]}" --strict "$empty/tests"

environment "$work/venv-oldest" packages/python/requirements-oldest.txt
# Those in which arrays go in and come out. What a wrong function is told, and what the program does, depends on no numpy.
tested "$work/venv-oldest" -m "not torch" -k "test_cast or test_expect or right_kernel or ml_dtypes or codes_in"

# As docs/python.md says, with the pinned maturin. What the wheel needed is built.
PATH="$work/venv/bin:$PATH" "$work/venv/bin/pip" install --quiet --disable-pip-version-check \
    --no-build-isolation --no-deps --no-index --force-reinstall ./packages/python
(cd "$empty" && "$work/venv/bin/castproof" --version)
