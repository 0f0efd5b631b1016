//! Wide targets, and integers from integers: pieces that follow the source's significand.

use super::arm::{Arm, Stride};
use super::ask::Ask;
use super::settle;
use crate::decode;
use crate::format::{CodeKind, FLOAT32, FloatFormat, IntegerFormat};
use crate::number::Rational;
use crate::overflow::unit_of_largest;
use crate::round::MagnitudeRounding;
use crate::rules::wider_than_float32;
use castproof_vectors::{Formula, Piece, Shift};

/// A stretch of magnitudes, from the end of the stretch before up to `end`, over which the target
/// counts in equal steps: the code of a magnitude is `base` plus the number of its quanta.
struct Stretch {
    /// The first magnitude beyond; `None` if there is no end.
    end: Option<Rational>,
    /// `None` if all have the same answer.
    steps: Option<Steps>,
}

struct Steps {
    base: u64,
    quantum: i32,
    /// The exponent of the stretch's magnitudes, where they are all of one binade.
    exponent: i32,
    rounding: MagnitudeRounding,
    subtract: bool,
}

impl Steps {
    fn is_nearest(&self) -> bool {
        self.rounding == MagnitudeRounding::NearestEven
    }

    fn is_away(&self) -> bool {
        self.rounding == MagnitudeRounding::AwayFromZero
    }
}

/// Cuts the arm where the target's steps or the source's change.
pub(super) fn pieces(ask: &Ask, arm: &Arm, pieces: &mut Vec<Piece>) {
    let mut next = Some(arm.ends.0);
    let cuts = cuts(ask, arm);
    for stretch in stretches(ask, arm.negative) {
        let Some(first) = next else { return };
        next = stretch.end.and_then(|end| arm.at_least(&end)).map(|index| index.max(first));
        let last = match next {
            Some(next) if next == first => continue,
            Some(next) => next - 1,
            None => arm.ends.1,
        };
        match stretch.steps {
            Some(steps) => {
                let run = Run { first, last, cuts: &cuts };
                stepwise(ask, arm, &run, &steps, pieces);
            }
            None => beyond(ask, arm, &Run { first, last, cuts: &cuts }, pieces),
        }
    }
}

/// The pieces beyond the last stretch that counts. The first magnitude may be a tie, which has an answer of
/// its own.
fn beyond(ask: &Ask, arm: &Arm, run: &Run, pieces: &mut Vec<Piece>) {
    let mut starts = vec![run.first, run.first + 1];
    starts.extend(run.cuts.iter().copied().filter(|&cut| cut > run.first + 1));
    starts.retain(|&start| start <= run.last);
    for (position, &first) in starts.iter().enumerate() {
        let last = starts.get(position + 1).map_or(run.last, |next| next - 1);
        let (first, last) = arm.range(first, last);
        pieces.push(ask.constant(first, last));
    }
}

fn stretches(ask: &Ask, negative: bool) -> Vec<Stretch> {
    match (&ask.source, &ask.target) {
        (source, CodeKind::Integer(format)) => {
            let rounding = ask.integer_rounding(negative);
            let end = match source {
                CodeKind::Float(_) => last_kept(ask, format, negative),
                _ if ask.clamps() => Some(largest_integer(format, negative) + 1u32),
                _ => None,
            };
            let steps = Steps { base: 0, quantum: 0, exponent: 0, rounding, subtract: negative };
            let kept = Stretch { end, steps: Some(steps) };
            let beyond = kept.end.is_some().then_some(Stretch { end: None, steps: None });
            [kept].into_iter().chain(beyond).collect()
        }
        (_, CodeKind::Float(format)) => binades(format, negative),
        (_, CodeKind::Bool) => unreachable!("bool has few enough answers"),
    }
}

/// Returns the binades of a wide float, the first together with the subnormals, up to the tie
/// between the largest number and the one that would come next. From that tie on the answer is
/// infinity.
fn binades(format: &FloatFormat, negative: bool) -> Vec<Stretch> {
    let sign = if negative { format.sign_bit() } else { 0 };
    let hidden = 1u64 << format.significand_bits;
    let largest = format.largest_code();
    let half = Rational::from(1) << (format.quantum(format.bias) - 1);
    let overflow = decode::finite(format, largest) + half;
    let mut stretches = Vec::new();
    for field in 1..=largest >> format.significand_bits {
        let exponent = format.min_exponent() + (field - 1) as i32;
        let next = Rational::from(1) << (exponent + 1);
        // The counted significand includes the leading bit; the code does not.
        let base = sign + (field - 1) * hidden;
        let quantum = format.quantum(exponent);
        let rounding = MagnitudeRounding::NearestEven;
        let steps = Steps { base, quantum, exponent, rounding, subtract: false };
        stretches.push(Stretch { end: Some(next.min(overflow.clone())), steps: Some(steps) });
    }
    stretches.push(Stretch { end: None, steps: None });
    stretches
}

/// Returns the first magnitude beyond the integers whose low bits are kept. Rounded towards zero, a
/// magnitude is one of them until the next integer is none; to nearest, until the tie before it; away
/// from zero, up to the last of them, which [`beyond`] gives a piece of its own.
fn last_kept(ask: &Ask, format: &IntegerFormat, negative: bool) -> Option<Rational> {
    let (smallest, largest) = ask.integers().kept.0.range(format)?;
    let last = Rational::from(if negative { -smallest } else { largest });
    Some(match ask.integer_rounding(negative) {
        MagnitudeRounding::NearestEven | MagnitudeRounding::NearestAway => {
            last + Rational::from((1, 2))
        }
        MagnitudeRounding::TowardZero => last + 1u32,
        MagnitudeRounding::AwayFromZero => last,
    })
}

/// The largest magnitude of an integer of this sign.
fn largest_integer(format: &IntegerFormat, negative: bool) -> Rational {
    match (negative, format.signed) {
        (true, false) => Rational::new(),
        (true, true) => Rational::from(1) << format.magnitude_bits(),
        (false, _) => (Rational::from(1) << format.magnitude_bits()) - 1,
    }
}

/// Returns indices from which another rule may decide, though the answers continue in the same way:
/// above zero, above the target's largest number, and where the next integer would come.
fn cuts(ask: &Ask, arm: &Arm) -> Vec<u64> {
    let largest = match &ask.target {
        CodeKind::Bool => Rational::from(1),
        CodeKind::Integer(format) => largest_integer(format, arm.negative),
        CodeKind::Float(format) => decode::finite(format, format.largest_code()),
    };
    let mut cuts: Vec<u64> =
        [&Rational::new(), &largest].into_iter().filter_map(|x| arm.above(x)).collect();
    match (&ask.source, &ask.target) {
        (CodeKind::Float(_), CodeKind::Integer(_)) => cuts.extend(arm.at_least(&(largest + 1u32))),
        (source, CodeKind::Float(target)) if ask.caster.record().accuracy.is_some() => {
            cuts.extend(accuracy_cuts(arm, source, target));
        }
        _ => {}
    }
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

/// Returns indices from which other results may be tolerated beside the nearest float: where the numbers of
/// a format are no longer subnormal, half a unit below the largest number, and a unit above it.
fn accuracy_cuts(arm: &Arm, source: &CodeKind, target: &FloatFormat) -> Vec<u64> {
    let largest = decode::finite(target, target.largest_code());
    let unit = unit_of_largest(target);
    let smallest = |format: &FloatFormat| Rational::from(1) << format.min_exponent();
    let mut cuts: Vec<u64> = arm.at_least(&smallest(target)).into_iter().collect();
    if let CodeKind::Float(source) = source {
        cuts.extend(arm.at_least(&smallest(source)));
    }
    cuts.extend(arm.above(&(&largest - Rational::from(&unit >> 1u32))));
    cuts.extend(arm.at_least(&(largest + unit)));
    cuts
}

/// Indices of one stretch.
struct Run<'a> {
    first: u64,
    last: u64,
    cuts: &'a [u64],
}

/// The pieces of a run: at least one for each stride of the source.
fn stepwise(ask: &Ask, arm: &Arm, run: &Run, steps: &Steps, pieces: &mut Vec<Piece>) {
    let mut next = Some(run.first);
    while let Some(index) = next {
        let stride = arm.stride(index);
        let end = stride.last.min(run.last);
        let shift = steps.quantum - stride.quantum;
        let lost = -shift >= ask.request.to.bits() as i32;
        // Rounded away from zero, what is cut off to 0 is 1, but zero; a cut is behind zero.
        let is_same = lost || vanishes(end.wrapping_sub(stride.origin), shift, steps.is_nearest());
        let formula =
            (!is_same).then(|| Formula::Shift(canonical(ask, arm, &stride, shift, steps)));
        let through = dropped_by_float32(ask, &stride, steps).filter(|&bits| bits < shift);
        let mut start = index;
        for cut in run.cuts.iter().copied().filter(|cut| (index + 1..=end).contains(cut)) {
            pieces.push(settle::piece(ask, arm.range(start, cut - 1), formula.as_ref(), through));
            start = cut;
        }
        pieces.push(settle::piece(ask, arm.range(start, end), formula.as_ref(), through));
        next = (end < run.last).then(|| end + 1);
    }
}

/// Returns how many bits of a stride's distances a rounding to float32 drops, if any.
fn dropped_by_float32(ask: &Ask, stride: &Stride, steps: &Steps) -> Option<i32> {
    if !wider_than_float32(&ask.source) {
        return None;
    }
    let exponent = match &ask.source {
        CodeKind::Float(format) => stride.quantum + format.significand_bits as i32,
        _ => steps.exponent,
    };
    let dropped = FLOAT32.quantum(exponent.max(FLOAT32.min_exponent())) - stride.quantum;
    Some(dropped).filter(|&dropped| dropped > 0)
}

/// Is the count 0 up to this distance?
fn vanishes(distance: u64, shift: i32, nearest: bool) -> bool {
    let kept = shift - i32::from(nearest);
    distance == 0 || kept > 63 || (kept >= 0 && distance >> kept == 0)
}

/// Returns the one form of a shift, so that equal shifts compare equal. Exact steps are measured
/// from code 0, others from the smallest origin that leaves the dropped bits unchanged. Steps away
/// from zero are measured from the first one that is not below the stride, back.
fn canonical(ask: &Ask, arm: &Arm, stride: &Stride, shift: i32, steps: &Steps) -> Shift {
    let mask = ask.request.from.code_mask();
    let origin = arm.code(stride.origin);
    let subtract = steps.subtract;
    let against = |base: u64, count: u64, back: bool| {
        if back { base.wrapping_sub(count) } else { base.wrapping_add(count) }
    };
    let (origin, base, descending, subtract) = if shift > 0 && steps.is_away() {
        let count = (stride.last.wrapping_sub(stride.origin)).div_ceil(1 << shift);
        let top = arm.code(stride.origin.wrapping_add(count << shift));
        (top & mask, against(steps.base, count, subtract), !arm.descending, !subtract)
    } else if shift <= 0 {
        // base + (c - origin) * 2^k is (base - origin * 2^k) + c * 2^k.
        let falling = subtract != arm.descending;
        (0, against(steps.base, origin << -shift, !falling), false, falling)
    } else if arm.descending {
        (origin & mask, steps.base, true, subtract)
    } else {
        let smallest = origin & ((1 << shift) - 1);
        (smallest, against(steps.base, (origin - smallest) >> shift, !subtract), false, subtract)
    };
    let base = base & ask.request.to.code_mask();
    let nearest = steps.is_nearest() && shift > 0;
    Shift { origin, descending, bits: shift, nearest, base, subtract }
}
