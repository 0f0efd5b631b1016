//! The codes of a numeric pair.

use super::Flag;
use super::boundary::{Boundary, boundaries};
use castproof_oracle::Line;
use castproof_oracle::decode::decode;
use castproof_oracle::format::{CodeKind, FloatFormat, NanEncoding, kind};
use castproof_oracle::number::Rational;
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
    let mut choice = Choice { cases: Cases::new(), line: Line::new(source), source };
    let whole = if level == Level::Full { 16 } else { 8 };
    if from.bits() <= whole {
        for code in 0..=from.code_mask() {
            choice.add(code, Flag::EveryCode);
        }
    }
    match source {
        CodeKind::Float(format) => float_landmarks(&mut choice, &format),
        CodeKind::Integer(_) | CodeKind::Bool => integer_landmarks(&mut choice),
    }
    if from != to {
        for boundary in boundaries(&source, &target, whole) {
            around(&mut choice, &boundary);
        }
    }
    integer_limits(&mut choice);
    if from.bits() > whole {
        random(&mut choice, from, to);
    }
    choice.cases
}

struct Choice {
    cases: Cases,
    line: Line,
    source: CodeKind,
}

impl Choice {
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
fn around(choice: &mut Choice, boundary: &Boundary) {
    for number in [boundary.at.clone(), Rational::from(-&boundary.at)] {
        if !boundary.neighbours {
            choice.add_number(&number, boundary.flag);
            continue;
        }
        let floor = choice.line.floor(&number);
        let on = choice.line.number(floor).as_ref() == Some(&number);
        let (below, above) = if on { (floor - 1, floor + 1) } else { (floor, floor + 1) };
        let (inner, outer) = if number < 0 { (above, below) } else { (below, above) };
        if on {
            choice.add_ordinal(floor, boundary.flag);
        }
        choice.add_ordinal(inner, boundary.flag.inside());
        choice.add_ordinal(outer, boundary.flag.outside());
    }
}

/// Zeros, infinities, NaNs, the ends of the subnormal and normal range, the ends of every binade.
fn float_landmarks(choice: &mut Choice, format: &FloatFormat) {
    let hidden = 1u64 << format.significand_bits;
    for sign in [0, format.sign_bit()] {
        choice.add(sign, if sign == 0 { Flag::Zero } else { Flag::NegativeZero });
        if format.infinities {
            choice.add(format.top_binade() | sign, Flag::Infinity);
        }
        for (nan, flag) in nans(format) {
            choice.add(nan | sign, flag);
        }
        for code in [1, hidden - 1, hidden, format.largest_code()] {
            choice.add(code | sign, Flag::RangeEnd);
        }
        let mut first = hidden;
        while first < format.largest_code() {
            let last = (first | (hidden - 1)).min(format.largest_code());
            choice.add(first | sign, Flag::PowerOfTwo);
            choice.add(last | sign, Flag::BinadeEnd);
            first += hidden;
        }
        // The binades of subnormal numbers; the first holds one number.
        for bit in 0..format.significand_bits {
            choice.add(1 << bit | sign, Flag::PowerOfTwo);
            choice.add(((2 << bit) - 1) | sign, Flag::BinadeEnd);
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
fn integer_landmarks(choice: &mut Choice) {
    let (first, last) = choice.line.ends();
    for step in 0..=2 {
        choice.add_ordinal(first + step, Flag::RangeEnd);
        choice.add_ordinal(last - step, Flag::RangeEnd);
    }
    choice.add_ordinal(0, Flag::Zero);
}

/// Powers of two with the integers beside them: where integers of some width end.
fn integer_limits(choice: &mut Choice) {
    for power in 0..=64 {
        for step in -1..=1 {
            let number = (Rational::from(1) << power) + step;
            choice.add_number(&number, Flag::IntegerLimit);
            choice.add_number(&-number, Flag::IntegerLimit);
        }
    }
}

/// A fixed share: uniform codes, and for integers also uniform magnitudes.
fn random(choice: &mut Choice, from: DType, to: DType) {
    for index in 0..RANDOM_CODES {
        let digest = sha256_hex(format!("castproof random {from} {to} {index}").as_bytes());
        let word = |at: usize| u64::from_str_radix(&digest[at..at + 16], 16).expect("hex digits");
        let code = word(0) & from.code_mask();
        choice.add(code, Flag::Random);
        if matches!(choice.source, CodeKind::Integer(_)) {
            let width = word(16) % u64::from(from.bits());
            choice.add(code >> width, Flag::Random);
        }
    }
}
