#!/usr/bin/env bash
# Installs what building and running Castproof needs beyond Rust. See --help.
set -euo pipefail

usage() {
    cat <<'TEXT'
Usage: ./setup.sh [--tests] [--fuzz] [--machines] [--adapters NAME,...] [--clusters]
                  [--help]

Installs what Castproof needs beyond Rust; safe to run again, and quick when
nothing is missing. Always:
  .venv with the pinned Python packages of the adapters onnxruntime,
  onnx-reference and numpy-ml-dtypes (Python 3.11 or newer)
And with
  --tests     what the tests need: gcc, Node and Go (apt-get on Debian and
              Ubuntu, with sudo where needed; elsewhere it says what to install)
  --fuzz      cargo-fuzz; it needs a nightly Rust toolchain
  --machines  what .ci/machines needs: qemu-user, cross compilers and Node (apt-get),
              the standard libraries of other targets and a nightly toolchain with
              Miri (rustup)
  --adapters  the runtimes of these adapters, which are large downloads: jax,
              openvino, torch, tensorflow, mindspore, ncnn, mlx, pyarrow, duckdb, datafusion, polars, iree,
              paddle, tinygrad, tract, opencv, gguf, wgpu (Python, into .venvs; tinygrad with clang and wgpu with
              lavapipe, by apt-get), torchao,
              triton-interpreter (into the environment of torch), cuda-host (NVIDIA's headers, into .venvs), tosa-reference
              (TOSA's reference model, into .venvs),
              onnxruntime-web, js-float16 (npm, into their folders), burn, candle (crates, into target/tensors)
  --clusters  .venv-clusters, with which clusters/ is run and tested
Rust itself must be there already. Nothing is written outside this folder,
except by apt-get, rustup and `cargo install`.
TEXT
}

main() {
    local adapters='' clusters='' fuzz='' machines='' tests=''
    while (($# > 0)); do
        case "$1" in
            --adapters)
                [[ -n "${2:-}" ]] || { echo "setup.sh: --adapters needs names; try --help" >&2; exit 2; }
                adapters=$2
                shift
                ;;
            --clusters) clusters=yes ;;
            --fuzz) fuzz=yes ;;
            --machines) machines=yes ;;
            --tests) tests=yes ;;
            -h | --help) usage; exit 0 ;;
            *) echo "setup.sh: unknown argument '$1'; try --help" >&2; exit 2 ;;
        esac
        shift
    done
    cd "$(dirname "${BASH_SOURCE[0]}")"
    log=$(mktemp) under_way=
    trap 'rm -f "$log"' EXIT

    command -v cargo >/dev/null ||
        die "cargo is missing: install Rust with rustup, then run this again"
    [[ -z "$tests" ]] || test_tools
    environment "Python packages" adapters/requirements.txt .venv
    [[ -z "$clusters" ]] ||
        environment "packages of clusters" clusters/requirements.txt .venv-clusters
    [[ -z "$fuzz" ]] || cargo_fuzz
    [[ -z "$machines" ]] || other_machines
    local name
    for name in ${adapters//,/ }; do
        adapter "$name"
    done
}

# Installs what an adapter needs: a Python environment of its own or of another adapter, packages of npm, or crates.
adapter() {
    local folder=adapters/$1 owner
    owner=$(sed -n 's|^venv = "\.venvs/\(.*\)"$|\1|p' "$folder/adapter.toml" 2>/dev/null) || true
    if [[ -f "$folder/package.json" ]]; then
        step "adapter $1"
        command -v npm >/dev/null || install_packages nodejs npm
        npm ci --no-audit --no-fund --prefix "$folder" >"$log" 2>&1 ||
            fail "could not install $folder (is there a network?)"
        done_
    elif [[ "$1" == burn || "$1" == candle ]]; then
        step "adapter $1"
        cargo build --manifest-path "$folder/Cargo.toml" --workspace --locked --target-dir target/tensors >"$log" 2>&1 ||
            fail "could not compile $folder"
        done_
    elif [[ -n "$owner" ]]; then
        [[ "$1" != tinygrad ]] || compiler_of_kernels
        [[ "$1" != wgpu ]] || vulkan_on_a_processor
        environment "adapter $1" "adapters/$owner/requirements.txt" ".venvs/$owner"
    elif [[ -f "$folder/adapter.toml" ]]; then
        skipped "adapter $1" "it needs nothing of its own"
    else
        die "there is no adapter '$1'"
    fi
}

# Installs clang, which compiles the kernels of tinygrad: 15 or newer, because 14 has no bfloat16. A distribution may have
# several, each with its version in the name, beside an older `clang`.
compiler_of_kernels() {
    local number
    for number in {15..30}; do
        command -v "clang-$number" >/dev/null && return
    done
    (($(version_of_clang) < 15)) || return 0
    step "clang"
    install_packages clang
    if (($(version_of_clang) < 15)); then
        number=$(apt-cache search --names-only '^clang-[0-9]+$' | sed 's/^clang-\([0-9]*\) .*/\1/' | sort -n | awk '$1 >= 15 { print; exit }')
        [[ -n "$number" ]] || die "tinygrad needs clang 15 or newer; apt-get has clang $(version_of_clang)"
        install_packages "clang-$number"
    fi
    done_
}

# Prints the major version of the program `clang`; 0 if there is none.
version_of_clang() {
    { clang --version 2>/dev/null || echo "clang version 0"; } | sed -n 's/.*clang version \([0-9]*\).*/\1/p'
}

# Installs lavapipe, by which wgpu runs shaders on a processor.
vulkan_on_a_processor() {
    compgen -G '/usr/share/vulkan/icd.d/lvp_icd*.json' >/dev/null && return
    step "lavapipe"
    install_packages mesa-vulkan-drivers
    done_
}

# Installs the programs that the tests run.
test_tools() {
    local tool missing=()
    for tool in gcc g++ node go; do
        command -v "$tool" >/dev/null && continue
        case "$tool" in
            gcc) missing+=(gcc libc6-dev) ;; # gcc alone comes without the C library's headers
            go) missing+=(golang-go) ;;
            node) missing+=(nodejs) ;;
            *) missing+=("$tool") ;;
        esac
    done
    if ((${#missing[@]} == 0)); then
        skipped "gcc, g++, node, go" "already there"
        return
    fi
    step "${missing[*]}"
    install_packages "${missing[@]}"
    done_
}

# Makes the Python environment $3 hold exactly the pinned packages of $2.
environment() {
    local name=$1 requirements=$2 venv=$3 stamp=$3/requirements.txt
    # The stamp is a copy of the installed requirements. It is written last.
    if cmp -s "$requirements" "$stamp" && "$venv/bin/python" -c "" 2>/dev/null; then
        skipped "$name" "$venv is up to date"
        return
    fi
    step "$name"
    # The pip of .venv fills the other environments. To make one takes 5 s with a pip of its own, and 0.2 s without.
    local pip=("$venv/bin/python" -m pip) options=()
    [[ "$venv" == .venv ]] || { pip=(.venv/bin/python -m pip --python "$venv/bin/python") options=(--without-pip); }
    if ! "${pip[@]}" --version >/dev/null 2>&1; then
        find_python
        mkdir -p "$(dirname "$venv")"
        "$python" -m venv --clear "${options[@]}" "$venv" >"$log" 2>&1 || fail "could not create $venv"
    fi
    rm -f "$stamp"
    # Not compiled: Python compiles a module when it is imported first, and most modules of these packages never are.
    "${pip[@]}" install --quiet --disable-pip-version-check --no-input --no-compile \
        --require-hashes -r "$requirements" >"$log" 2>&1 ||
        fail "could not install $requirements (is there a network?)"
    cp "$requirements" "$stamp"
    done_
}

# Sets `python` to an interpreter of at least 3.11 that can make a venv.
find_python() {
    command -v python3 >/dev/null || install_packages python3 python3-venv
    local candidate version
    for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
        "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
        python=$candidate
        "$python" -c "import ensurepip, venv" 2>/dev/null && return
        version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        install_packages "python$version-venv"
        return
    done
    version=$(python3 --version 2>&1) || true
    die "found $version, but 3.11 or newer is needed: install it with its venv package"
}

cargo_fuzz() {
    local version=0.13.2
    if [[ "$(cargo fuzz --version 2>/dev/null)" == "cargo-fuzz $version" ]]; then
        skipped "cargo-fuzz" "$version is there"
    elif ! rustup toolchain list 2>/dev/null | grep nightly >/dev/null; then
        die "fuzzing needs a nightly toolchain: run 'rustup toolchain install nightly', then this again"
    else
        step "cargo-fuzz $version"
        # It only starts other programs, so its own speed does not matter.
        cargo install cargo-fuzz --version "$version" --locked --debug >"$log" 2>&1 ||
            fail "could not install cargo-fuzz (is there a network?)"
        done_
    fi
}

# Installs what runs programs of other machines, and what builds them.
other_machines() {
    local tool missing=()
    for tool in qemu-aarch64 qemu-s390x aarch64-linux-gnu-gcc s390x-linux-gnu-gcc i686-linux-gnu-gcc node; do
        command -v "$tool" >/dev/null && continue
        case "$tool" in
            qemu-*) missing+=(qemu-user) ;;
            aarch64-*) missing+=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross) ;;
            s390x-*) missing+=(gcc-s390x-linux-gnu libc6-dev-s390x-cross) ;;
            i686-*) missing+=(gcc-i686-linux-gnu libc6-dev-i386-cross) ;;
            node) missing+=(nodejs) ;;
        esac
    done
    if ((${#missing[@]} == 0)); then
        skipped "qemu-user, cross compilers, node" "already there"
    else
        step "${missing[*]}"
        install_packages "${missing[@]}"
        done_
    fi
    command -v rustup >/dev/null || die "rustup is missing: install Rust with rustup, then run this again"
    step "standard libraries of other targets, and Miri"
    rustup target add aarch64-unknown-linux-gnu s390x-unknown-linux-gnu i686-unknown-linux-gnu \
        wasm32-wasip1 >"$log" 2>&1 || fail "rustup could not add the targets (is there a network?)"
    rustup toolchain list | grep nightly >/dev/null ||
        rustup toolchain install nightly --profile minimal >"$log" 2>&1 ||
        fail "rustup could not install a nightly toolchain (is there a network?)"
    rustup component add miri rust-src --toolchain nightly >"$log" 2>&1 ||
        fail "rustup could not add Miri to the nightly toolchain"
    done_
}

# Installs Debian packages, or says what is missing and ends.
install_packages() {
    command -v apt-get >/dev/null ||
        die "missing: $*; install with your package manager, then run this again"
    local as_root=()
    if ((EUID != 0)); then
        command -v sudo >/dev/null || die "missing: $*; as root, run: apt-get install $*"
        as_root=(sudo)
        [[ -t 0 ]] || as_root=(sudo -n) # nobody can type a password
    fi
    # Another program may be installing packages.
    local wait=(-o DPkg::Lock::Timeout=600)
    "${as_root[@]}" apt-get "${wait[@]}" update >"$log" 2>&1 || fail "apt-get update failed"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get "${wait[@]}" install --yes --no-install-recommends "$@" >"$log" 2>&1 </dev/null ||
        fail "apt-get could not install $*"
}

# A step prints its name, works, and ends the line with `done_` or with `die`.
step() { under_way=yes; printf 'setup: %s: ' "$1"; }
done_() { under_way=; echo "done"; }
skipped() { echo "setup: $1: skipped ($2)"; }

# Ends with a reason in one line; `fail` adds the last line that the failed command wrote.
die() {
    [[ -z "$under_way" ]] || echo "failed"
    echo "setup.sh: $1" >&2
    exit 1
}
fail() { die "$1: $(grep -v '^[[:space:]]*$' "$log" | tail -n 1)"; }

main "$@"
