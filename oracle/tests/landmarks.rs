//! Compares the oracle's formats with the landmark values that were transcribed from the
//! specifications.
#![cfg_attr(
    not(feature = "gmp"),
    allow(
        clippy::cmp_owned,
        clippy::useless_conversion,
        reason = "an operation on GMP's integers is carried out by its conversion"
    )
)]

use castproof_oracle::decode::{decode, is_nan};
use castproof_oracle::format::{CodeKind, kind};
use castproof_oracle::number::{Integer, Rational};
use castproof_oracle::{Value, describe};
use castproof_vectors::{DType, Hex, Landmarks, landmarks};

#[test]
fn values_decode_exactly() {
    for (dtype, kind, landmarks) in all() {
        for (name, (code, text)) in &landmarks.values {
            let expected = Value::Finite {
                negative: text.starts_with('-'),
                magnitude: number(text.trim_start_matches('-')),
            };
            let decoded = decode(&kind, code.value());
            assert_eq!(decoded, Some(expected), "{dtype} {code}, {name}: {text}");
        }
    }
}

#[test]
fn infinities_decode_in_order() {
    for (dtype, kind, landmarks) in all() {
        let signs = [false, true].map(|negative| Value::Infinite { negative });
        let decoded: Vec<Value> =
            landmarks.infinity.iter().filter_map(|code| decode(&kind, code.value())).collect();
        assert_eq!(decoded, signs[..landmarks.infinity.len()], "{dtype}");
        let names: Vec<String> =
            landmarks.infinity.iter().map(|code| describe(dtype, code.value())).collect();
        assert_eq!(names, ["Inf", "-Inf"][..names.len()], "{dtype}");
    }
}

#[test]
fn every_code_is_of_its_class() {
    for (dtype, kind, landmarks) in all() {
        for code in codes(dtype, landmarks) {
            let class = match decode(&kind, code) {
                None => "invalid",
                Some(Value::Nan { .. }) => "NaN",
                Some(Value::Infinite { .. }) => "infinity",
                Some(Value::Finite { .. }) => "finite",
            };
            assert_eq!(class, class_of(landmarks, code), "{dtype} {code:#x}");
            if let CodeKind::Float(format) = &kind {
                assert_eq!(is_nan(format, code), class == "NaN", "{dtype} {code:#x}");
                // The dtypes of at least 16 bits divide their NaN codes by the highest significand bit.
                let highest = code >> (format.significand_bits.max(1) - 1) & 1 == 1;
                let is_quiet = class == "NaN" && highest && dtype.bits() >= 16;
                assert_eq!(landmarks.is_quiet_nan(code), is_quiet, "{dtype} {code:#x}");
            }
        }
    }
}

/// Returns every numeric dtype with the oracle's format and the landmarks.
fn all() -> impl Iterator<Item = (DType, CodeKind, &'static Landmarks)> {
    DType::NUMERIC.iter().map(|&dtype| {
        let landmarks = landmarks(dtype).expect("numeric dtypes have landmarks");
        (dtype, kind(dtype).expect("numeric dtypes have a format"), landmarks)
    })
}

/// Returns all codes of a dtype of up to 16 bits; of a wider dtype the ends of the landmarks'
/// ranges, with their neighbours.
fn codes(dtype: DType, landmarks: &Landmarks) -> Vec<u64> {
    let mask = dtype.code_mask();
    if dtype.bits() <= 16 {
        return (0..=mask).collect();
    }
    let infinities = landmarks.infinity.iter().map(|code| [*code, *code]);
    let ranges = landmarks.nan.iter().chain(&landmarks.quiet_nan).chain(&landmarks.valid);
    let ranges = ranges.copied().chain(infinities);
    let edges = ranges.flatten().map(|code: Hex| code.value());
    edges
        .flat_map(|edge| [edge.wrapping_sub(1) & mask, edge, edge.wrapping_add(1) & mask])
        .collect()
}

fn class_of(landmarks: &Landmarks, code: u64) -> &'static str {
    if !landmarks.is_valid(code) {
        "invalid"
    } else if landmarks.is_nan(code) {
        "NaN"
    } else if landmarks.infinity.iter().any(|infinity| infinity.value() == code) {
        "infinity"
    } else {
        "finite"
    }
}

/// Parses `DECIMAL` or `DECIMAL * 2^EXPONENT` exactly.
fn number(text: &str) -> Rational {
    let (decimal, exponent) = text.split_once(" * 2^").unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().expect("a decimal exponent");
    let (whole, fraction) = decimal.split_once('.').unwrap_or((decimal, ""));
    let digits = format!("{whole}{fraction}");
    let digits = Integer::from_str_radix(&digits, 10).expect("decimal digits");
    let places = fraction.len().try_into().expect("a few places");
    Rational::from((digits, Integer::from(Integer::u_pow_u(10, places)))) << exponent
}
