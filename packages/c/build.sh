#!/usr/bin/env bash
# Builds the archive for C and C++: headers, both libraries, the CMake package, the file of pkg-config and
# the example; for this machine or for TARGET.
# Usage: packages/c/build.sh [FOLDER [TARGET]]; without FOLDER into target/packages/c. Prints where the archive is.
set -euo pipefail
out=$(realpath -m "${1:-"$(dirname "${BASH_SOURCE[0]}")/../../target/packages/c"}")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source packages/archive.sh
source packages/compile.sh "${2:-}"

with_unwinder_of_gcc
said=$(compile rustc --package castproof-c --features with-program -- --print native-static-libs 2>&1 | tee >(cat >&2))
system=$(sed -n 's/^note: native-static-libs: //p' <<<"$said")
if [[ -z "$system" ]]; then
    echo "packages/c/build.sh: the compiler does not say what the library needs" >&2
    exit 1
fi

# Writes the file $1 with what is known here.
filled() {
    sed -e "s/@VERSION@/$version/g" -e "s/@MINOR@/${version%.*}/g" -e "s/@SYSTEM@/$system/g" "$1"
}

folder=$out/castproof-c
rm -rf "$folder"
mkdir -p "$folder"/{include,lib/cmake/castproof,lib/pkgconfig}
cp gate/include/castproof.h packages/c/include/castproof.hpp "$folder/include"
case "$target" in
    *-apple-*)
        cp "$compiled/libcastproof_c.dylib" "$folder/lib/libcastproof.dylib"
        install_name_tool -id @rpath/libcastproof.dylib "$folder/lib/libcastproof.dylib"
        ;;
    *)
        check_glibc "$compiled/libcastproof_c.so"
        if [[ "$target" == *-linux-gnu ]] && ! grep libgcc_s.so.1 <(readelf --dynamic "$compiled/libcastproof_c.so") >/dev/null; then
            echo "packages/c/build.sh: the library does not unwind by libgcc_s.so.1; remove $compiled/libcastproof_c.so and build again" >&2
            exit 1
        fi
        cp "$compiled/libcastproof_c.so" "$folder/lib/libcastproof.so"
        ;;
esac
cp "$compiled/libcastproof_c.a" "$folder/lib/libcastproof.a"
# That of Rust, since `strip` knows only objects of this machine. Its libraries are the compiler's.
rust=$(rustc --print sysroot)/lib
LD_LIBRARY_PATH=$rust DYLD_FALLBACK_LIBRARY_PATH=$rust \
    "$rust/rustlib/$host/bin/rust-objcopy" --strip-debug "$folder/lib/libcastproof.a"
for name in castproof-config castproof-config-version; do
    filled "packages/c/cmake/$name.cmake.in" > "$folder/lib/cmake/castproof/$name.cmake"
done
filled packages/c/castproof.pc.in > "$folder/lib/pkgconfig/castproof.pc"
cp -r packages/c/example packages/c/README.md LICENSE-APACHE LICENSE-MIT "$folder"

archive "$out" castproof-c "castproof-c-$version-$target.tar.gz"
