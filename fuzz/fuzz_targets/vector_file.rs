//! See `castproof_fuzz::check_vector_file`.
#![no_main]

use castproof_fuzz::{VectorFileInput, check_vector_file, is_one_of, mutate_file};
use libfuzzer_sys::{Corpus, fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|input: VectorFileInput<'_>| -> Corpus {
    check_vector_file(&input);
    match is_one_of(8) {
        true => Corpus::Keep,
        false => Corpus::Reject,
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate_file(&mut data[..max_size], size, seed, fuzzer_mutate)
});
