//! See `castproof_fuzz::check_promote`.
#![no_main]

use castproof_fuzz::{PromoteInput, check_promote};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: PromoteInput| check_promote(&input));
