//! See `castproof_fuzz::check_bitcast`.
#![no_main]

use castproof_fuzz::{BitcastInput, check_bitcast};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: BitcastInput| check_bitcast(&input));
