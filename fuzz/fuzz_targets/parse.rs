//! See `castproof_fuzz::check_parse`.
#![no_main]

use castproof_fuzz::{ParseInput, check_parse, mutate_numeral};
use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|input: ParseInput| check_parse(&input));

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate_numeral(&mut data[..max_size], size, seed, fuzzer_mutate)
});
