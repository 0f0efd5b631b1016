//! See `castproof_fuzz::check_slices`.
#![no_main]

use castproof_fuzz::{SlicesInput, check_slices, is_worth_keeping, mutate_request};
use libfuzzer_sys::{Corpus, fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|input: SlicesInput<'_>| -> Corpus {
    check_slices(&input);
    match is_worth_keeping(input.request) {
        true => Corpus::Keep,
        false => Corpus::Reject,
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate_request(&mut data[..max_size], size, seed, fuzzer_mutate)
});
