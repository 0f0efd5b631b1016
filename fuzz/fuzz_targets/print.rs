//! See `castproof_fuzz::check_print`.
#![no_main]

use castproof_fuzz::{PrintInput, check_print};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: PrintInput| check_print(&input));
