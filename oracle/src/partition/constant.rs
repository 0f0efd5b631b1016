//! Targets of at most eight bits: a piece for each stretch with one answer.

use super::arm::Arm;
use super::ask::Ask;
use crate::decode;
use crate::format::{CodeKind, FLOAT32, FloatFormat, IntegerFormat};
use crate::number::Rational;
use crate::round::{self, MagnitudeRounding};
use crate::rules::wider_than_float32;
use castproof_vectors::Piece;
use std::collections::BTreeSet;

/// Cuts the arm at every magnitude where the answer can change, and asks once between two cuts.
pub(super) fn pieces(ask: &Ask, arm: &Arm, pieces: &mut Vec<Piece>) {
    let mut starts = BTreeSet::from([arm.ends.0]);
    for x in changes(ask) {
        // The answer on the magnitude itself may differ from the answers on either side.
        starts.extend(arm.at_least(&x));
        starts.extend(arm.above(&x));
    }
    let starts: Vec<u64> = starts.into_iter().collect();
    for (position, &first) in starts.iter().enumerate() {
        let last = starts.get(position + 1).map_or(arm.ends.1, |next| next - 1);
        let (first, last) = arm.range(first, last);
        pieces.push(ask.constant(first, last));
    }
}

/// Returns magnitudes at which the answer can change. Between two neighbours it is the same.
fn changes(ask: &Ask) -> BTreeSet<Rational> {
    let mut changes = BTreeSet::from([Rational::new()]);
    match &ask.target {
        CodeKind::Bool => {}
        CodeKind::Integer(format) => integers(format, &mut changes),
        CodeKind::Float(format) => floats(format, &mut changes),
    }
    if wider_than_float32(&ask.source) {
        through_float32(&mut changes);
    }
    if let (CodeKind::Float(source), Some(_)) = (&ask.source, ask.caster.record().accuracy) {
        // Below it numbers are subnormal.
        changes.insert(Rational::from(1) << source.min_exponent());
    }
    changes
}

/// The integers up to one beyond the range, and the halves between them.
fn integers(format: &IntegerFormat, changes: &mut BTreeSet<Rational>) {
    for twice in 0..=2 * ((1u32 << format.magnitude_bits()) + 1) {
        changes.insert(Rational::from((twice, 2)));
    }
}

/// Adds the numbers of the target, the one that would come after the largest, and the midpoints. A
/// format without zero has one more number below its smallest.
fn floats(format: &FloatFormat, changes: &mut BTreeSet<Rational>) {
    let mut numbers: Vec<Rational> =
        (0..=format.largest_code()).map(|code| decode::finite(format, code)).collect();
    let last = numbers.len() - 1;
    let next = match format.has_subnormals() {
        true => Rational::from(&numbers[last] << 1u32) - &numbers[last - 1],
        false => Rational::from(&numbers[last] << 1u32),
    };
    numbers.push(next);
    if !format.has_subnormals() {
        numbers.insert(0, Rational::from(&numbers[0] >> 1u32));
    }
    for pair in numbers.windows(2) {
        changes.insert(Rational::from(&pair[0] + &pair[1]) >> 1u32);
    }
    changes.extend(numbers);
}

/// Some rules tolerate a rounding to float32 first. This rounding moves a number across a change,
/// or onto it, if at most half a unit of float32 lies between. It moves to infinity a number half a
/// unit beyond the largest float32.
fn through_float32(changes: &mut BTreeSet<Rational>) {
    let largest = decode::finite(&FLOAT32, FLOAT32.largest_code());
    let mut more = vec![largest + (Rational::from(1) << (FLOAT32.quantum(FLOAT32.bias) - 1))];
    for x in changes.iter() {
        for rounding in [MagnitudeRounding::TowardZero, MagnitudeRounding::AwayFromZero] {
            let held = round::to_format(x, &FLOAT32, rounding);
            // Below a power of two the unit is half as large.
            for half in [held.quantum - 1, held.quantum - 2] {
                let half = Rational::from(1) << half;
                more.push(held.number() - &half);
                more.push(held.number() + &half);
            }
        }
    }
    changes.extend(more.into_iter().filter(|x| *x >= 0));
}
