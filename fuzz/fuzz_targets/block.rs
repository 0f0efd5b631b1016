//! See `castproof_fuzz::check_block`.
#![no_main]

use castproof_fuzz::{BlockInput, check_block};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: BlockInput| check_block(&input));
