# shellcheck shell=bash
# Sourced, from the root of the repository, by what compiles for the machines of users:
#     source packages/compile.sh [TARGET]
# It sets `target`, which is TARGET or this machine, and `compiled`, the folder in which cargo puts what it builds.

host=$(rustc --print host-tuple)
target=${1:-$host}
# shellcheck disable=SC2034 # for who sources this
compiled=target/$target/release

# Linux has had this glibc, or a newer one, since 2012 (manylinux2014). Rust's library needs no newer one.
glibc=2.17

if [[ ! -d $(rustc --print target-libdir --target "$target") ]]; then
    rustup target add "$target" >&2
fi

# No file names a folder of this machine: `cargo xtask dist` sees to it. Cargo says where it has the sources of a
# dependency once they are there.
cargo fetch --quiet --locked
flags=("--remap-path-prefix=$PWD=/castproof" "--remap-path-prefix=$(rustc --print sysroot)=/rust")
for folder in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*; do
    flags+=("--remap-path-prefix=$folder=/crates")
done
CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f'; echo "${flags[*]}")
export CARGO_ENCODED_RUSTFLAGS

# Puts maturin on the path, and for Linux makes zig the linker, which links against any glibc, also for other machines.
# cargo-zigbuild translates what rustc says to it. The program, the library and the wheel have the same linker, since cargo
# compiles everything again for another one.
with_tools() {
    local tools=$PWD/target/packages/tools name=${target//-/_} linker
    if ! cmp --quiet packages/requirements.txt "$tools/requirements.txt"; then
        python3 -m venv --clear "$tools"
        "$tools/bin/pip" install --quiet --disable-pip-version-check --require-hashes -r packages/requirements.txt >&2
        cp packages/requirements.txt "$tools"
    fi
    PATH=$tools/bin:$PATH
    [[ "$target" == *-linux-gnu ]] || return 0
    linker=$tools/bin/zig-$target
    # pip puts another folder first on the path, whose Python has no zig.
    printf '#!/bin/sh\nPATH=%s:$PATH exec cargo-zigbuild zig cc -- -g -fno-sanitize=all -target %s-linux-gnu.%s $UNWINDER "$@"\n' \
        "$tools/bin" "${target%%-*}" "$glibc" > "$linker"
    chmod +x "$linker"
    mkdir -p "$tools/zig"
    ln -sf "$tools/bin/cargo-zigbuild" "$tools/zig/ar"
    export "CARGO_TARGET_${name^^}_LINKER=$linker" "CC_$name=$linker" "AR_$name=$tools/zig/ar"
}

# Links libraries with libgcc_s, the unwinder that C++ programs have. zig would link its own into the library, and an
# exception that passes through two unwinders ends the program. zig has no libgcc_s, so a stub with its names stands in
# for it at link time.
with_unwinder_of_gcc() {
    [[ "$target" == *-linux-gnu ]] || return 0
    with_tools
    local name
    UNWINDER=$PWD/target/packages/tools/unwinder/$target/libgcc_s.so.1
    mkdir -p "${UNWINDER%/*}"
    for name in Backtrace DeleteException FindEnclosingFunction ForcedUnwind GetCFA GetDataRelBase GetGR GetIP GetIPInfo \
        GetLanguageSpecificData GetRegionStart GetTextRelBase RaiseException Resume Resume_or_Rethrow SetGR SetIP; do
        echo "void _Unwind_$name(void) {}"
    done > "${UNWINDER%/*}/names.c"
    cargo-zigbuild zig cc -- -target "${target%%-*}-linux-gnu.$glibc" -shared -nostdlib -Wl,-soname,libgcc_s.so.1 \
        -o "$UNWINDER" "${UNWINDER%/*}/names.c"
    export UNWINDER
}

# Runs `cargo build` or `cargo rustc` for the target in release mode: compile build|rustc ARGUMENT...
compile() {
    local command=$1
    shift
    [[ "$target" != *-linux-gnu ]] || with_tools
    cargo "$command" --release --locked --target "$target" "$@"
}

# Fails if the program or library $1 needs a newer glibc than it should.
check_glibc() {
    [[ "$target" == *-linux-gnu ]] || return 0
    local needed
    needed=$(readelf --wide --version-info "$1" | grep --only-matching 'GLIBC_[0-9.]*' | sort --version-sort --unique | tail -n 1)
    if [[ "$(printf 'GLIBC_%s\n' "$glibc" "${needed#GLIBC_}" | sort --version-sort | tail -n 1)" != "GLIBC_$glibc" ]]; then
        echo "$1 needs $needed; it must run with glibc $glibc" >&2
        exit 1
    fi
}
