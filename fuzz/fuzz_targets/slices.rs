//! See `castproof_fuzz::check_slices`.
#![no_main]

use castproof_fuzz::{SlicesInput, check_slices, mutate_request};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|input: SlicesInput| check_slices(&input));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate_request(&mut data[..max_size], size, seed, fuzzer_mutate)
});
