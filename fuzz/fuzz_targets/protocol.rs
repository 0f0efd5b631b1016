//! See `castproof_fuzz::check_protocol`.
#![no_main]

use castproof_fuzz::{ProtocolInput, check_protocol};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: ProtocolInput<'_>| check_protocol(&input));
