//! See `castproof_fuzz::check_print`.
#![no_main]

use castproof_fuzz::{PrintInput, check_print, mutate_code};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|input: PrintInput| check_print(&input));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate_code(&mut data[..max_size], size, seed, fuzzer_mutate)
});
