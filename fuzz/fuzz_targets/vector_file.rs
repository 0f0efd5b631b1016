//! See `castproof_fuzz::check_vector_file`.
#![no_main]

use castproof_fuzz::{VectorFileInput, check_vector_file};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: VectorFileInput<'_>| check_vector_file(&input));
