//! See `castproof_fuzz::check_slices`.
#![no_main]

use castproof_fuzz::{SlicesInput, check_slices};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: SlicesInput<'_>| check_slices(&input));
