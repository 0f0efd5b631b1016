#!/bin/bash -eu
# Builds every fuzz target into $OUT, with a seed corpus: its regressions, and of casts an input for
# every pair and a dictionary, both from the book. The image runs this.

cd "$SRC/castproof"

cargo fuzz build -O --debug-assertions

# The seeds are no target, so nothing of it is instrumented.
seeds=$(mktemp --directory)
env --unset=RUSTFLAGS cargo run --package castproof-fuzz --example seeds -- "$seeds"
cp "$seeds"/*.dict "$OUT/"

# Not `cargo fuzz list`: for a coverage report the image's `cargo` turns every `fuzz` into a build.
for source in fuzz/fuzz_targets/*.rs; do
    target=$(basename "$source" .rs)
    cp "fuzz/target/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
    rm -f "$OUT/${target}_seed_corpus.zip"
    zip --quiet --junk-paths "$OUT/${target}_seed_corpus.zip" "fuzz/regressions/$target"/*
    if [ -d "$seeds/$target" ]; then
        (cd "$seeds/$target" && zip --quiet "$OUT/${target}_seed_corpus.zip" ./*)
    fi
done
