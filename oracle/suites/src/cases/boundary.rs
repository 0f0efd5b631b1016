//! The numbers at which a target's answer changes.

use super::flag::Flag;
use castproof_oracle::decode;
use castproof_oracle::format::{CodeKind, FloatFormat, IntegerFormat};
use castproof_oracle::number::Rational;

/// A magnitude at which something happens.
pub(crate) struct Boundary {
    pub(crate) at: Rational,
    pub(crate) flag: Flag,
    /// Are the codes beside it of interest, or only the code on it?
    pub(crate) neighbours: bool,
}

/// Returns the boundaries of a target, as magnitudes. Targets of up to `whole` bits give all of
/// them; wider targets give the first, the middle and the last of every binade. If the target holds
/// every number of the source exactly, only the boundaries of its range remain.
pub(crate) fn boundaries(source: &CodeKind, target: &CodeKind, whole: u32) -> Vec<Boundary> {
    let mut boundaries = Boundaries { boundaries: Vec::new(), reach: reach(source) };
    match (source, target) {
        (_, CodeKind::Bool) => boundaries.on(Rational::from((1, 2)), Flag::TargetValue),
        (CodeKind::Float(_), CodeKind::Integer(format)) => integers(&mut boundaries, format, whole),
        (_, CodeKind::Integer(_)) => {}
        (_, CodeKind::Float(format)) if !format.has_subnormals() => powers(&mut boundaries, format),
        (_, CodeKind::Float(format)) => {
            floats(&mut boundaries, format, whole, holds(format, source));
        }
    }
    boundaries.boundaries
}

struct Boundaries {
    boundaries: Vec<Boundary>,
    /// Smallest and largest magnitude of the source other than zero.
    reach: (Rational, Rational),
}

impl Boundaries {
    fn on(&mut self, at: Rational, flag: Flag) {
        self.boundaries.push(Boundary { at, flag, neighbours: false });
    }

    /// Leaves out boundaries far outside the source's reach, because they all map to the same
    /// codes.
    fn beside(&mut self, at: Rational, flag: Flag) {
        let (smallest, largest) = &self.reach;
        if Rational::from(&at << 2u32) >= *smallest && Rational::from(&at >> 2u32) <= *largest {
            self.boundaries.push(Boundary { at, flag, neighbours: true });
        }
    }
}

fn reach(source: &CodeKind) -> (Rational, Rational) {
    match source {
        CodeKind::Bool => (Rational::from(1), Rational::from(1)),
        CodeKind::Integer(format) => {
            (Rational::from(1), Rational::from(1) << format.magnitude_bits())
        }
        CodeKind::Float(format) => {
            let smallest = u64::from(format.has_subnormals());
            (decode::finite(format, smallest), decode::finite(format, format.largest_code()))
        }
    }
}

/// Does the target hold every number of the source exactly?
fn holds(target: &FloatFormat, source: &CodeKind) -> bool {
    let largest = decode::finite(target, target.largest_code());
    let (smallest_of_source, largest_of_source) = reach(source);
    let precision = match source {
        CodeKind::Bool => 1,
        CodeKind::Integer(format) => format.magnitude_bits(),
        CodeKind::Float(format) => format.significand_bits + 1,
    };
    precision <= target.significand_bits + 1
        && largest_of_source <= largest
        && smallest_of_source >= decode::finite(target, 1)
}

/// Ties, values and the overflow threshold of a float target.
fn floats(boundaries: &mut Boundaries, format: &FloatFormat, whole: u32, exact: bool) {
    let largest = format.largest_code();
    let all = format.magnitude_bits() < whole;
    let mut neighbours_at = |code: u64| {
        let (low, high) = (value(format, code), value(format, code + 1));
        let tie = Rational::from(&low + &high) >> 1u32;
        let flag = if code == largest { Flag::Overflow } else { Flag::Tie };
        boundaries.on(low, Flag::TargetValue);
        if !exact || code == largest {
            boundaries.beside(tie, flag);
        }
    };
    if all {
        (0..=largest).for_each(neighbours_at);
        boundaries.beside(value(format, largest + 1), Flag::Overflow);
        return;
    }
    neighbours_at(0);
    for bit in 0..format.significand_bits {
        binade(1 << bit, 1 << bit, largest, &mut neighbours_at);
    }
    let hidden = 1u64 << format.significand_bits;
    let mut first = hidden;
    while first <= largest {
        binade(first, hidden, largest, &mut neighbours_at);
        first += hidden;
    }
    neighbours_at(largest);
    boundaries.beside(value(format, largest), Flag::Overflow);
    boundaries.beside(value(format, largest + 1), Flag::Overflow);
}

/// The first, the middle and the last pair of neighbours in a binade of `size` codes.
fn binade(first: u64, size: u64, largest: u64, visit: &mut impl FnMut(u64)) {
    for code in [first, first + size / 2, first + size - 1] {
        if code < largest {
            visit(code);
        }
    }
}

/// Returns the number of a code. The code after the largest gives the number that would come next.
pub(super) fn value(format: &FloatFormat, code: u64) -> Rational {
    if code <= format.largest_code() {
        return decode::finite(format, code);
    }
    let (below, last) = (decode::finite(format, code - 2), decode::finite(format, code - 1));
    Rational::from(&last << 1u32) - below
}

/// float8e8m0: the powers of two, their midpoints, and one step beyond both ends.
fn powers(boundaries: &mut Boundaries, format: &FloatFormat) {
    for exponent in format.min_exponent() - 1..=format.bias + 1 {
        let power = Rational::from(1) << exponent;
        let midpoint = Rational::from(&power * 3u32) >> 1u32;
        let inside = (format.min_exponent()..format.bias).contains(&exponent);
        boundaries.beside(power, if inside { Flag::PowerOfTwo } else { Flag::Overflow });
        boundaries.beside(midpoint, if inside { Flag::Tie } else { Flag::Overflow });
    }
}

/// Integers and the halves between them.
fn integers(boundaries: &mut Boundaries, format: &IntegerFormat, whole: u32) {
    let limit = Rational::from(1) << format.magnitude_bits();
    let half = Rational::from((1, 2));
    let mut at = |integer: Rational| {
        let flag = if integer >= Rational::from(&limit - 2) { Flag::Overflow } else { Flag::Tie };
        boundaries.beside(Rational::from(&integer + &half), flag);
        boundaries.beside(integer, Flag::Integral);
    };
    if format.bits <= whole {
        for integer in 0..=(1u32 << format.magnitude_bits()) + 2 {
            at(Rational::from(integer));
        }
        return;
    }
    for exponent in 0..=format.bits {
        let power = Rational::from(1) << exponent;
        for integer in [
            Rational::from(&power - 2),
            Rational::from(&power - 1),
            power.clone(),
            Rational::from(&power + 1),
            (Rational::from(&power * 3u32) >> 1u32).floor(),
        ] {
            if integer >= 0 {
                at(integer);
            }
        }
    }
}
