//! Wide targets, and integers from integers: pieces that follow the source's significand.

use super::arm::{Arm, Stride};
use super::{Ask, Piece, Rule, Tolerate};
use crate::decode;
use crate::format::{FloatFormat, Kind};
use castproof_vectors::Outcome;
use rug::Rational;

/// A stretch of magnitudes, from that of the stretch before up to `end`, over which the target
/// counts in equal steps: the code of a magnitude is `base` and as many as it has quanta.
struct Stretch {
    /// The first magnitude beyond; `None` if there is no end.
    end: Option<Rational>,
    /// `None`: the same answer for each.
    steps: Option<Steps>,
}

struct Steps {
    base: u64,
    quantum: i32,
    nearest: bool,
    subtract: bool,
}

/// Cuts the arm where the target's steps or the source's change.
pub(super) fn pieces(ask: &Ask, arm: &Arm, pieces: &mut Vec<Piece>) {
    let mut next = Some(arm.ends.0);
    for stretch in stretches(ask, arm.negative) {
        let Some(first) = next else { return };
        next = stretch.end.and_then(|end| arm.at_least(&end)).map(|index| index.max(first));
        let last = match next {
            Some(next) if next == first => continue,
            Some(next) => next - 1,
            None => arm.ends.1,
        };
        match stretch.steps {
            Some(steps) => stepwise(ask, arm, (first, last), &steps, pieces),
            None => {
                let (first, last) = arm.range(first, last);
                pieces.push(ask.constant(first, last));
            }
        }
    }
}

fn stretches(ask: &Ask, negative: bool) -> Vec<Stretch> {
    match (&ask.source, &ask.target) {
        (Kind::Float(_), Kind::Integer(format)) => {
            // Beyond the range nothing is defined. Towards zero, a magnitude is in range until
            // the next integer is out of it.
            let largest = match (negative, format.signed) {
                (true, false) => Rational::new(),
                (true, true) => Rational::from(1) << format.magnitude_bits(),
                (false, _) => (Rational::from(1) << format.magnitude_bits()) - 1,
            };
            let steps = Steps { base: 0, quantum: 0, nearest: false, subtract: negative };
            vec![
                Stretch { end: Some(largest + 1), steps: Some(steps) },
                Stretch { end: None, steps: None },
            ]
        }
        (_, Kind::Integer(_)) => {
            let steps = Steps { base: 0, quantum: 0, nearest: false, subtract: negative };
            vec![Stretch { end: None, steps: Some(steps) }]
        }
        (_, Kind::Float(format)) => binades(format, negative),
        (_, Kind::Bool) => unreachable!("bool has few enough answers"),
    }
}

/// The binades of a wide float, the first together with the subnormals, up to the tie between
/// the largest number and what would come next; from there on infinity.
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
        // The significand that is counted holds the leading bit, the code does not.
        let base = sign + (field - 1) * hidden;
        let steps =
            Steps { base, quantum: format.quantum(exponent), nearest: true, subtract: false };
        stretches.push(Stretch { end: Some(next.min(overflow.clone())), steps: Some(steps) });
    }
    stretches.push(Stretch { end: None, steps: None });
    stretches
}

/// The pieces of the indices from `first` to `last`: one for each stride of the source.
fn stepwise(
    ask: &Ask,
    arm: &Arm,
    (first, last): (u64, u64),
    steps: &Steps,
    pieces: &mut Vec<Piece>,
) {
    let mut next = Some(first);
    while let Some(index) = next {
        let stride = arm.stride(index);
        let end = stride.last.min(last);
        let shift = steps.quantum - stride.quantum;
        let rule = if vanishes(end.wrapping_sub(stride.origin), shift, steps.nearest) {
            Rule::Constant(Outcome::Code(steps.base & ask.request.to.code_mask()))
        } else {
            canonical(ask, arm, &stride, shift, steps)
        };
        let (low, high) = arm.range(index, end);
        pieces.push(Piece { first: low, last: high, rule, tolerate: Tolerate::ByCode });
        next = (end < last).then(|| end + 1);
    }
}

/// Is the count 0 up to this distance?
fn vanishes(distance: u64, shift: i32, nearest: bool) -> bool {
    let kept = shift - i32::from(nearest);
    distance == 0 || kept > 63 || (kept >= 0 && distance >> kept == 0)
}

/// One way to write a rule, so that equal ones are seen to be equal: exact steps are measured
/// from code 0, others from the smallest origin that leaves the dropped bits as they are.
fn canonical(ask: &Ask, arm: &Arm, stride: &Stride, shift: i32, steps: &Steps) -> Rule {
    let mask = ask.request.from.code_mask();
    let origin = arm.code(stride.origin);
    let subtract = steps.subtract;
    let against = |base: u64, count: u64, back: bool| {
        if back { base.wrapping_sub(count) } else { base.wrapping_add(count) }
    };
    let (origin, base, descending, subtract) = if shift <= 0 {
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
    Rule::Shift { origin, descending, shift, nearest: steps.nearest && shift > 0, base, subtract }
}

/// The count of a distance: see [`Rule::Shift`]. `nearest` holds the base, whose lowest bit
/// decides which result is the even one.
pub(super) fn shift(distance: u64, shift: i32, nearest: Option<u64>) -> u64 {
    if shift <= 0 {
        return distance << -shift;
    }
    let count = distance >> shift;
    let Some(base) = nearest else { return count };
    let (dropped, half) = (distance & ((1 << shift) - 1), 1 << (shift - 1));
    let odd = base.wrapping_add(count) & 1 == 1;
    count + u64::from(dropped > half || (dropped == half && odd))
}
