//! The committed vectors of a pair have a number of every binade, so that a kernel that is wrong in few of them alone
//! contradicts a vector.

use castproof_suites::suite;
use castproof_vectors::{DType, Level, Outcome, Test};
use std::collections::BTreeSet;

/// The newest tests of a pair, without attributes.
fn tests(from: DType, to: DType) -> Vec<Test> {
    let groups = suite(from, to, Level::Core).groups.into_iter();
    let newest = |opsets: &[u32]| opsets.contains(&28);
    let plain = groups.filter(|it| newest(&it.opsets) && it.attributes == Default::default());
    plain.flat_map(|group| group.tests).collect()
}

fn codes(from: DType, to: DType) -> BTreeSet<u64> {
    tests(from, to).iter().filter_map(|test| test.input.as_code()).collect()
}

#[test]
fn every_exponent_field_of_a_float_has_a_test() {
    // Bits of the significand, exponent fields, fields of which one has a test.
    let sources = [
        (DType::Float16, 10, 31, 1),
        (DType::Bfloat16, 7, 255, 1),
        (DType::Float32, 23, 255, 1),
        (DType::Float64, 52, 2047, 8),
    ];
    for (from, bits, fields, step) in sources {
        for to in [DType::Float16, DType::Float8E5M2, DType::Bool, DType::Float64] {
            let magnitudes = u64::MAX >> (65 - from.bits());
            let asked: BTreeSet<u64> =
                codes(from, to).iter().map(|code| ((code & magnitudes) >> bits) / step).collect();
            let missing: Vec<u64> =
                (0..u64::div_ceil(fields, step)).filter(|it| !asked.contains(it)).collect();
            assert!(missing.is_empty(), "{from} to {to}: fields {missing:?} times {step}");
        }
    }
}

#[test]
fn every_length_of_an_integer_has_a_test() {
    for (from, lengths) in [(DType::Int64, 63), (DType::Uint32, 32), (DType::Int16, 15)] {
        for to in [DType::Int8, DType::Float16, DType::Bool] {
            let length = |code: &u64| {
                let signed = (*code << (64 - from.bits())) as i64 >> (64 - from.bits());
                let magnitude = if lengths < from.bits() { signed.unsigned_abs() } else { *code };
                64 - magnitude.leading_zeros()
            };
            let asked: BTreeSet<u32> = codes(from, to).iter().map(length).collect();
            let missing: Vec<u32> = (0..=lengths).filter(|it| !asked.contains(it)).collect();
            assert!(missing.is_empty(), "{from} to {to}: lengths {missing:?}");
        }
    }
}

/// A subnormal result is made by a shift of the significand. Shifts of 64-bit registers count
/// modulo 64, so numbers far below the smallest subnormal get a result that is due elsewhere.
#[test]
fn a_shift_modulo_64_contradicts_a_vector() {
    let shifted = |code: u64| {
        let exponent = ((code >> 23) & 0xff) as u32;
        let significand = (code & 0x7f_ffff) | 1 << 23;
        // 2^-24, the smallest subnormal of float16, has the exponent field 103 in float32.
        let shift = 126u32.wrapping_sub(exponent) % 64;
        significand >> shift
    };
    let is_below = |code: u64| (1..102).contains(&((code >> 23) & 0xff));
    let wrong: Vec<u64> = tests(DType::Float32, DType::Float16)
        .iter()
        .filter(|test| matches!(test.expect.outcome(), Outcome::Code(code) if code & 0x7fff == 0))
        .filter_map(|test| test.input.as_code())
        .filter(|code| is_below(*code) && shifted(*code) != 0)
        .collect();
    assert!(wrong.len() > 10, "{wrong:x?}");
}
