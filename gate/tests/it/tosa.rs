//! TOSA's accuracy: other results than the nearest float that pass, and those that do not.

use crate::profiles::{Changed, run_of, without_arrangements};
use castproof::gate::Options;
use castproof::testee::builtin::Builtin;
use castproof_vectors::{DType, Profile};
use std::collections::BTreeSet;

type Change = fn((DType, DType), u64, u64) -> u64;

const TO_BFLOAT16: (DType, DType) = (DType::Float32, DType::Bfloat16);
const TO_FLOAT32: (DType, DType) = (DType::Int32, DType::Float32);
const TO_INT8: (DType, DType) = (DType::Float32, DType::Int8);

/// The magnitude of a float32, which is no NaN and no infinity.
fn magnitude(code: u64) -> Option<u64> {
    Some(code & 0x7fff_ffff).filter(|&magnitude| magnitude < 0x7f80_0000)
}

/// What TOSA's accuracy allows passes, and what it does not fails by its rule. Strictly, only the nearest float is
/// right.
#[test]
fn tosa_has_an_accuracy_and_no_more() {
    let toward_zero: Change = |pair, code, right| match magnitude(code) {
        Some(_) if pair == TO_BFLOAT16 => code >> 16,
        _ => right,
    };
    let flushed: Change = |pair, code, right| match magnitude(code) {
        Some(..0x80_0000) if pair == TO_BFLOAT16 => code >> 31 << 15,
        _ => right,
    };
    let flushed_too_far: Change = |pair, code, right| match magnitude(code) {
        Some(..0x100_0000) if pair == TO_BFLOAT16 => code >> 31 << 15,
        _ => right,
    };
    let away_from_zero: Change = |pair, code, right| match magnitude(code) {
        Some(_) if pair == TO_BFLOAT16 => (code + 0xffff) >> 16,
        _ => right,
    };
    let ties_to_other: Change = |pair, code, right| {
        let (exact, nearest) = (f64::from(code as u32 as i32), f32::from_bits(right as u32));
        let rest = exact - f64::from(nearest);
        let other = if rest > 0.0 { nearest.next_up() } else { nearest.next_down() };
        let is_tie = rest != 0.0 && f64::from(other) - exact == rest;
        if pair == TO_FLOAT32 && is_tie { other.to_bits().into() } else { right }
    };
    let integers_toward_zero: Change = |pair, code, right| {
        let (exact, nearest) = (f64::from(code as u32 as i32), f32::from_bits(right as u32));
        let is_beyond = f64::from(nearest).abs() > exact.abs();
        if pair == TO_FLOAT32 && is_beyond { right - 1 } else { right }
    };
    let fraction_dropped: Change = |pair, code, right| match f32::from_bits(code as u32) {
        value if pair == TO_INT8 && !value.is_nan() => value as i8 as u8 as u64,
        _ => right,
    };
    let nan_is_seven: Change = |pair, code, right| match f32::from_bits(code as u32).is_nan() {
        true if pair == TO_INT8 => 7,
        _ => right,
    };
    let gated = |change: Change, strict| {
        let options = Options { strict, ..without_arrangements() };
        run_of(Profile::TosaCast, &mut Changed { builtin: Builtin::new(), change }, options)
    };
    for change in [toward_zero, flushed, ties_to_other] {
        assert!(gated(change, false).passed);
        assert!(!gated(change, true).passed);
    }
    assert!(gated(nan_is_seven, true).passed);
    for (change, rules) in [
        (flushed_too_far, &["TO-08", "TO-09"][..]),
        // Beyond the largest number, away from zero is infinity, which is right.
        (away_from_zero, &["TO-09", "TO-11"]),
        (integers_toward_zero, &["TO-06"]),
        (fraction_dropped, &["TO-01"]),
    ] {
        let file = gated(change, false);
        let found: BTreeSet<&str> =
            file.results.failures.iter().map(|test| test.clause.as_str()).collect();
        assert!(!file.passed, "{rules:?}");
        assert_eq!(found, rules.iter().copied().collect());
    }
}
