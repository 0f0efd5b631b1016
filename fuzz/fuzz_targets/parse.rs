//! See `castproof_fuzz::check_parse`.
#![no_main]

use castproof_fuzz::{ParseInput, check_parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: ParseInput| check_parse(&input));
