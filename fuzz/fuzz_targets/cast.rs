//! See `castproof_fuzz::check_cast`.
#![no_main]

use castproof_fuzz::{CastInput, check_cast};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: CastInput| check_cast(&input));
