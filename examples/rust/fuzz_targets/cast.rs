//! Run it with `cargo +nightly fuzz run --fuzz-dir examples/rust --features libfuzzer cast`.
#![no_main]

use castproof_check::{DType, fuzz};
use fuzzed_kernel::all_to_bfloat16;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    fuzz::check_slices(input, DType::Float32, DType::Bfloat16, all_to_bfloat16).unwrap();
});
