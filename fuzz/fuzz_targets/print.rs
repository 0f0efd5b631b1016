//! See `castproof_fuzz::check_print`.
#![no_main]

use castproof_fuzz::{PrintInput, check_print, is_one_of, mutate_code};
use libfuzzer_sys::{Corpus, fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|input: PrintInput| -> Corpus {
    check_print(&input);
    match is_one_of(16) {
        true => Corpus::Keep,
        false => Corpus::Reject,
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate_code(&mut data[..max_size], size, seed, fuzzer_mutate)
});
