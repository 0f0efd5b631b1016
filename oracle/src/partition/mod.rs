//! Every code at once: a request's answers over the whole code space, as a few pieces.
//!
//! Walked in the order of the codes, the answer of a cast is regular for long stretches: it is
//! the same, or it is the source's significand shifted. Where one stretch ends follows from the
//! target's numbers, midpoints and limits, which are computed exactly here and mapped back into
//! the source. Nothing is sampled, so the pieces say of 2^32 codes what [`cast`](crate::cast)
//! says of one; the tests hold each to the other.

mod arm;
mod constant;
mod shifted;

use crate::cast::{Caster, CodeError};
use crate::format::{Kind, kind};
use arm::{Arm, arms};
use castproof_vectors::{DType, Outcome, Request};

/// A run of source codes with one rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The first code.
    pub first: u64,
    /// The last code, not below the first.
    pub last: u64,
    /// What is expected of them.
    pub rule: Rule,
    /// What is tolerated of them.
    pub tolerate: Tolerate,
}

/// What is expected of every code of a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The same outcome.
    Constant(Outcome),
    /// The distance from `origin`, shifted, added to `base` or taken from it; only the bits of
    /// the target's width count. With c for the code and d for the distance:
    ///
    /// d = c - origin (or origin - c where `descending`), in the bits of the source's width;
    /// q = d >> shift, rounded as `nearest` says; or d << -shift if `shift` is negative;
    /// result = base + q (or base - q where `subtract`).
    Shift {
        /// From where distances are measured; need not be a code of the piece.
        origin: u64,
        /// Do distances grow towards smaller codes?
        descending: bool,
        /// Bits to drop, or to append where it is negative; from -63 to 63.
        shift: i32,
        /// Are dropped bits rounded to nearest, a tie to the even result? Else they are cut off.
        nearest: bool,
        /// The result at distance 0.
        base: u64,
        /// Do results fall with the distance?
        subtract: bool,
    },
}

/// What is tolerated of the codes of a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tolerate {
    /// The same for each: nothing beyond what is expected, or this outcome.
    Uniform(Option<Outcome>),
    /// It differs from code to code: ask [`cast`](crate::cast).
    ByCode,
}

/// The pieces of a request: ascending, without gap or overlap, from code 0 to the last code of
/// the source. Neighbours differ in their rule or in what they tolerate.
///
/// # Errors
/// As [`cast`](crate::cast), the code aside.
pub fn partition(request: &Request) -> Result<Vec<Piece>, CodeError> {
    let caster = Caster::new(request)?;
    let numeric = |dtype| kind(dtype).ok_or(CodeError::NotNumeric(dtype));
    let (source, target) = (numeric(request.from)?, numeric(request.to)?);
    if caster.is_refused() {
        let rule = Rule::Constant(Outcome::Reject);
        let tolerate = Tolerate::Uniform(None);
        return Ok(vec![Piece { first: 0, last: request.from.code_mask(), rule, tolerate }]);
    }
    let ask = Ask { caster, request: *request, source, target };
    let mut pieces = Vec::new();
    let arms = arms(&source);
    for arm in &arms {
        if ask.shifts() {
            shifted::pieces(&ask, arm, &mut pieces);
        } else {
            constant::pieces(&ask, arm, &mut pieces);
        }
    }
    specials(&ask, &arms, &mut pieces);
    pieces.sort_by_key(|piece| piece.first);
    Ok(merged(pieces))
}

/// A request made ready.
struct Ask {
    caster: Caster,
    request: Request,
    source: Kind,
    target: Kind,
}

impl Ask {
    /// Do the answers follow the source's significand? Else there are few enough of them to give
    /// each its piece.
    fn shifts(&self) -> bool {
        let narrow = self.request.to.bits() <= 8;
        let integers = |kind: &Kind| matches!(kind, Kind::Integer(_));
        let wraps = integers(&self.source) && integers(&self.target);
        wraps || !narrow
    }

    /// The piece of these codes, all of which have the answer of the first.
    fn constant(&self, first: u64, last: u64) -> Piece {
        let answer = self.caster.cast(first).expect("codes of the source");
        let tolerate = Tolerate::Uniform(answer.tolerate);
        Piece { first, last, rule: Rule::Constant(answer.expect), tolerate }
    }
}

/// The codes of no arm: infinities, NaN, bool bytes above 1. Each run of them has one answer,
/// except that NaN codes cast to their own dtype stay what they are.
fn specials(ask: &Ask, arms: &[Arm], pieces: &mut Vec<Piece>) {
    let mut ranges: Vec<(u64, u64)> = arms.iter().map(Arm::codes).collect();
    ranges.sort_unstable();
    let mask = ask.request.from.code_mask();
    let mut next = Some(0);
    let mut left = Vec::new();
    for (first, last) in ranges {
        if let Some(from) = next.filter(|&from| from < first) {
            left.push((from, first - 1));
        }
        next = last.checked_add(1).filter(|&next| next <= mask);
    }
    left.extend(next.map(|from| (from, mask)));
    for (first, last) in left {
        // An infinity is the first code of its run, where there is one.
        pieces.push(same(ask, first, first));
        if first < last {
            pieces.push(same(ask, first + 1, last));
        }
    }
}

/// Codes with one answer, or that stay what they are.
fn same(ask: &Ask, first: u64, last: u64) -> Piece {
    let piece = ask.constant(first, last);
    let unchanged = first < last && piece.rule == Rule::Constant(Outcome::Code(first));
    if unchanged { Piece { rule: UNCHANGED, ..piece } } else { piece }
}

/// The rule of codes that stay what they are.
const UNCHANGED: Rule = Rule::Shift {
    origin: 0,
    descending: false,
    shift: 0,
    nearest: false,
    base: 0,
    subtract: false,
};

/// Joins neighbours of one rule.
fn merged(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut merged: Vec<Piece> = Vec::new();
    for piece in pieces {
        match merged.last_mut() {
            Some(last) if last.rule == piece.rule && last.tolerate == piece.tolerate => {
                last.last = piece.last;
            }
            _ => merged.push(piece),
        }
    }
    merged
}

impl Piece {
    /// What is expected of one code of the piece, in a cast from `from` to `to`.
    pub fn expect(&self, from: DType, to: DType, code: u64) -> Outcome {
        match &self.rule {
            Rule::Constant(outcome) => outcome.clone(),
            Rule::Shift { origin, descending, shift, nearest, base, subtract } => {
                let (from_code, to_code) =
                    if *descending { (code, *origin) } else { (*origin, code) };
                let distance = to_code.wrapping_sub(from_code) & from.code_mask();
                let count = shifted::shift(distance, *shift, nearest.then_some(*base));
                let result =
                    if *subtract { base.wrapping_sub(count) } else { base.wrapping_add(count) };
                Outcome::Code(result & to.code_mask())
            }
        }
    }
}
