//! See `castproof_fuzz::check_packed`.
#![no_main]

use castproof_fuzz::{PackedInput, check_packed};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: PackedInput<'_>| check_packed(&input));
