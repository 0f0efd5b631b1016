//! A test for each pair: `cargo test`, or nextest.

use castproof_rust_crates::Crates;

fn main() {
    castproof::harness::main(Crates::new)
}
