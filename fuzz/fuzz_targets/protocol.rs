//! See `castproof_fuzz::check_protocol`.
#![no_main]

use castproof_fuzz::{ProtocolInput, check_protocol, is_one_of, mutate_messages};
use libfuzzer_sys::{Corpus, fuzz_mutator, fuzz_target, fuzzer_mutate};

fuzz_target!(|input: ProtocolInput<'_>| -> Corpus {
    check_protocol(&input);
    match is_one_of(8) {
        true => Corpus::Keep,
        false => Corpus::Reject,
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate_messages(&mut data[..max_size], size, seed, fuzzer_mutate)
});
