//! See `castproof_fuzz::check_parse`.
#![no_main]

use castproof_fuzz::{ParseInput, check_parse, is_one_of, mutate_numeral};
use libfuzzer_sys::{Corpus, fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|input: ParseInput| -> Corpus {
    check_parse(&input);
    match is_one_of(16) {
        true => Corpus::Keep,
        false => Corpus::Reject,
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate_numeral(&mut data[..max_size], size, seed, fuzzer_mutate)
});
