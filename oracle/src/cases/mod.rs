//! The choice of cases: which codes of a source are worth asking about a target.
//!
//! The choice starts from the target: every boundary at which the target's answer changes is mapped
//! into the source, as the code on it and the codes beside it. The source's own landmarks and a
//! share drawn at random from a fixed seed are added.

mod boundary;
mod flag;
mod line;
mod pieces;
mod text;

pub use flag::Flag;
pub(crate) use line::Line;
pub(crate) use pieces::telling;
pub(crate) use text::texts;

use crate::decode::decode;
use crate::format::{FloatFormat, Kind, NanEncoding, kind};
use crate::number::Rational;
use boundary::{Boundary, boundaries};
use castproof_vectors::{DType, Level, sha256_hex};
use std::collections::{BTreeMap, BTreeSet};

/// Codes to ask about, each with the reasons.
pub type Cases = BTreeMap<u64, BTreeSet<Flag>>;

/// Codes drawn at random for each pair.
const RANDOM_CODES: u64 = 256;

/// Returns the cases of a numeric pair. [`Level::Core`] and [`Level::Standard`] give the same cases
/// here; the suite selects those of level core.
pub fn cases(from: DType, to: DType, level: Level) -> Cases {
    let (Some(source), Some(target)) = (kind(from), kind(to)) else { return Cases::new() };
    let mut chosen = Chosen { cases: Cases::new(), line: Line::new(source), source };
    let whole = if level == Level::Full { 16 } else { 8 };
    if from.bits() <= whole {
        for code in 0..=from.code_mask() {
            chosen.add(code, Flag::EveryCode);
        }
    }
    match source {
        Kind::Float(format) => float_landmarks(&mut chosen, &format),
        Kind::Integer(_) | Kind::Bool => integer_landmarks(&mut chosen),
    }
    if from != to {
        for boundary in boundaries(&source, &target, whole) {
            around(&mut chosen, &boundary);
        }
    }
    integer_limits(&mut chosen);
    if from.bits() > whole {
        random(&mut chosen, from, to);
    }
    chosen.cases
}

struct Chosen {
    cases: Cases,
    line: Line,
    source: Kind,
}

impl Chosen {
    /// Adds a code, unless it has no value (a bool byte of 2).
    fn add(&mut self, code: u64, flag: Flag) {
        if decode(&self.source, code).is_some() {
            self.cases.entry(code).or_default().insert(flag);
        }
    }

    fn add_ordinal(&mut self, ordinal: i128, flag: Flag) {
        if let Some(code) = self.line.code(ordinal) {
            self.add(code, flag);
        }
    }

    /// Adds the source's code of exactly this number, if there is one.
    fn add_number(&mut self, number: &Rational, flag: Flag) {
        let ordinal = self.line.floor(number);
        if self.line.number(ordinal).as_ref() == Some(number) {
            self.add_ordinal(ordinal, flag);
        }
    }
}

/// The codes on a boundary and beside it, on both sides of zero.
fn around(chosen: &mut Chosen, boundary: &Boundary) {
    for number in [boundary.at.clone(), Rational::from(-&boundary.at)] {
        if !boundary.neighbours {
            chosen.add_number(&number, boundary.flag);
            continue;
        }
        let floor = chosen.line.floor(&number);
        let on = chosen.line.number(floor).as_ref() == Some(&number);
        let (below, above) = if on { (floor - 1, floor + 1) } else { (floor, floor + 1) };
        let (inner, outer) = if number < 0 { (above, below) } else { (below, above) };
        if on {
            chosen.add_ordinal(floor, boundary.flag);
        }
        chosen.add_ordinal(inner, boundary.flag.inside());
        chosen.add_ordinal(outer, boundary.flag.outside());
    }
}

/// Zeros, infinities, NaNs, the ends of the subnormal and normal range, the ends of every binade.
fn float_landmarks(chosen: &mut Chosen, format: &FloatFormat) {
    let hidden = 1u64 << format.significand_bits;
    for sign in [0, format.sign_bit()] {
        chosen.add(sign, if sign == 0 { Flag::Zero } else { Flag::NegativeZero });
        if format.infinities {
            chosen.add(format.top_binade() | sign, Flag::Infinity);
        }
        for (nan, flag) in nans(format) {
            chosen.add(nan | sign, flag);
        }
        for code in [1, hidden - 1, hidden, format.largest_code()] {
            chosen.add(code | sign, Flag::RangeEnd);
        }
        let mut first = hidden;
        while first < format.largest_code() {
            let last = (first | (hidden - 1)).min(format.largest_code());
            chosen.add(first | sign, Flag::PowerOfTwo);
            chosen.add(last | sign, Flag::BinadeEnd);
            first += hidden;
        }
        // The binades of subnormal numbers; the first holds one number.
        for bit in 0..format.significand_bits {
            chosen.add(1 << bit | sign, Flag::PowerOfTwo);
            chosen.add(((2 << bit) - 1) | sign, Flag::BinadeEnd);
        }
    }
}

/// NaN codes without sign: quiet and signalling where the format has both.
fn nans(format: &FloatFormat) -> Vec<(u64, Flag)> {
    let (top, all) = (format.top_binade(), format.magnitude_mask());
    match format.nan {
        NanEncoding::None | NanEncoding::NegativeZero => vec![],
        NanEncoding::AllOnes => vec![(all, Flag::Nan)],
        NanEncoding::TopBinade => {
            let quiet = 1 << (format.significand_bits - 1);
            let signalling = Flag::SignallingNan;
            vec![
                (top | quiet, Flag::Nan),
                (all, Flag::Nan),
                (top | 1, signalling),
                (top | (quiet - 1), signalling),
            ]
        }
    }
}

/// The ends of the range, and small numbers.
fn integer_landmarks(chosen: &mut Chosen) {
    let (first, last) = chosen.line.ends();
    for step in 0..=2 {
        chosen.add_ordinal(first + step, Flag::RangeEnd);
        chosen.add_ordinal(last - step, Flag::RangeEnd);
    }
    chosen.add_ordinal(0, Flag::Zero);
}

/// Powers of two with the integers beside them: where integers of some width end.
fn integer_limits(chosen: &mut Chosen) {
    for power in 0..=64 {
        for step in -1..=1 {
            let number = (Rational::from(1) << power) + step;
            chosen.add_number(&number, Flag::IntegerLimit);
            chosen.add_number(&-number, Flag::IntegerLimit);
        }
    }
}

/// A fixed share: uniform codes, and for integers also uniform magnitudes.
fn random(chosen: &mut Chosen, from: DType, to: DType) {
    for index in 0..RANDOM_CODES {
        let digest = sha256_hex(format!("castproof random {from} {to} {index}").as_bytes());
        let word = |at: usize| u64::from_str_radix(&digest[at..at + 16], 16).expect("hex digits");
        let code = word(0) & from.code_mask();
        chosen.add(code, Flag::Random);
        if matches!(chosen.source, Kind::Integer(_)) {
            let width = word(16) % u64::from(from.bits());
            chosen.add(code >> width, Flag::Random);
        }
    }
}
