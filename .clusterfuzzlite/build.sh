#!/bin/bash -eu
# Builds every fuzz target into $OUT, with its regressions as seed corpus. The image runs this.

cd "$SRC/castproof"

# The image's flags instrument C code. The only C code here is GMP and BLAKE3, which are not under
# test, and the oracle would be slower for it.
unset CFLAGS

cargo fuzz build -O --debug-assertions

# Not `cargo fuzz list`: for a coverage report the image's `cargo` turns every `fuzz` into a build.
for source in fuzz/fuzz_targets/*.rs; do
    target=$(basename "$source" .rs)
    cp "fuzz/target/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
    rm -f "$OUT/${target}_seed_corpus.zip"
    zip --quiet --junk-paths "$OUT/${target}_seed_corpus.zip" "fuzz/regressions/$target"/*
done
