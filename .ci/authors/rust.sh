#!/usr/bin/env bash
# A function in Rust, checked in the crate's own `cargo test`: README, "Your own kernel".
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cargo new --quiet --lib --vcs none mine
cd mine
cat >>Cargo.toml <<TOML

[dev-dependencies]
castproof-check = "0.1"

# Until it is published.
[patch.crates-io]
castproof-check = { path = "$CLONE/check" }
castproof-vectors = { path = "$CLONE/vectors" }
castproof-impl = { path = "$CLONE/impl" }
TOML
kernel() {
    cat >src/lib.rs <<RUST
/// The code of bfloat16 nearest to an integer, ties to even.
pub fn my_kernel(x: u16) -> u16 {
    let bits = f32::from(x).to_bits();
    ((bits + $1) >> 16) as u16
}

#[test]
fn my_cast() {
    use castproof_check::{check, DType};
    check(DType::Uint16, DType::Bfloat16, |x: u16| my_kernel(x)).unwrap();
}
RUST
}
# The dependencies are those of the clone, so that nothing else is built.
cp "$CLONE/Cargo.lock" .
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$CLONE/target}"

kernel '0x7fff + (bits >> 16 & 1)'
passes cargo test --quiet

kernel 0
status=0
cargo test --quiet >said 2>&1 || status=$?
((status == 101)) || blame "the test must fail, not end with $status"
(($(grep --count 'codes are wrong' said) == 1)) || blame "it must have one finding"
grep --quiet 'uint16 -> bfloat16: .* codes are wrong: .*rounded toward zero' said || blame "the first line names the cast and the cause"
lines_written Cargo.toml src/lib.rs
