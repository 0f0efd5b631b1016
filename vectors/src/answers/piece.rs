//! Pieces: the answer of a cast over a run of source codes, with the rules that decide it.

use super::expand::Shift;
use super::outcome::{Expectation, Outcome};
use crate::{DType, RuleId};

/// A run of source codes with one formula, one way to tolerate and one set of rules.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// The first code.
    pub first: u64,
    /// The last code, not below the first.
    pub last: u64,
    /// What is expected of each code.
    pub formula: Formula,
    /// What is tolerated of each code.
    pub tolerate: Tolerate,
    /// The rules that decide.
    pub rules: Rules,
}

/// What is expected of every code of a piece.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// The same outcome.
    Constant(Outcome),
    /// A code that follows the source's significand.
    Shift(Shift),
}

/// What is tolerated of the codes of a piece.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Tolerate {
    /// The same for each code: nothing beyond what is expected, or this outcome.
    Uniform(Option<Outcome>),
    /// The results of other ways to convert a number, if they are not the expected one.
    Practice(Practice),
    /// Nothing. Of a code whose dropped bits are not all 0, any result is expected.
    AnyIfInexact,
}

/// The other ways to convert a number that are tolerated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Practice {
    /// Dropped bits are cut off.
    pub truncated: bool,
    /// A tie is rounded to the other neighbour.
    pub tie: bool,
    /// The result is zero with the sign of the expected float.
    pub flushed: bool,
    /// This many bits are rounded away first, the others after them.
    pub twice: Option<u32>,
}

/// The rules that decide the codes of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// The rule of every code that the other two do not cover.
    pub rule: RuleId,
    /// The rule of codes whose dropped bits are not all 0.
    pub inexact: Option<RuleId>,
    /// The rule of codes for which [`Practice::twice`] gives another result.
    pub twice: Option<RuleId>,
}

/// Neighbouring pieces with one formula and one tolerated outcome; their rules and practice may
/// differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The first code.
    pub first: u64,
    /// The last code, not below the first.
    pub last: u64,
    /// What is expected of each code.
    pub formula: Formula,
    /// The outcome that is tolerated of each code, if there is one.
    pub tolerate: Option<Outcome>,
}

impl Formula {
    /// Returns what is expected of a code in a cast from `from` to `to`.
    pub fn expect(&self, from: DType, to: DType, code: u64) -> Outcome {
        match self {
            Formula::Constant(outcome) => outcome.clone(),
            Formula::Shift(shift) => Outcome::Code(shift.expected(code, (from.bits(), to.bits()))),
        }
    }
}

impl Piece {
    /// Is `got` the recommended result for a code of the piece? `false` for pieces that allow
    /// several results.
    pub fn recommends(&self, from: DType, to: DType, code: u64, got: u64) -> bool {
        match &self.formula {
            Formula::Constant(outcome) => *outcome == Outcome::Code(got),
            Formula::Shift(shift) => {
                !self.is_open_at(from, code)
                    && shift.expected(code, (from.bits(), to.bits())) == got
            }
        }
    }

    /// Is every result of a code of the piece right?
    pub fn is_open_at(&self, from: DType, code: u64) -> bool {
        match &self.formula {
            Formula::Constant(outcome) => *outcome == Outcome::Any,
            Formula::Shift(shift) => {
                self.tolerate == Tolerate::AnyIfInexact && !shift.is_exact(code, from.bits())
            }
        }
    }

    /// Returns what a cast from `from` to `to` must make of a code of the piece.
    pub fn expectation(&self, from: DType, to: DType, code: u64) -> Expectation {
        let expect = self.formula.expect(from, to, code);
        let Rules { rule, inexact, twice } = self.rules;
        let (Formula::Shift(shift), Outcome::Code(expected)) = (&self.formula, &expect) else {
            return Expectation { expect, tolerate: self.uniform(), rule };
        };
        let widths = (from.bits(), to.bits());
        let inexact = inexact.filter(|_| !shift.is_exact(code, from.bits()));
        let rule = inexact.unwrap_or(rule);
        if self.is_open_at(from, code) {
            return Expectation { expect: Outcome::Any, tolerate: None, rule };
        }
        let Tolerate::Practice(practice) = self.tolerate else {
            return Expectation { expect, tolerate: self.uniform(), rule };
        };
        let other = |code: u64| Some(code).filter(|code| code != expected);
        let truncated = practice.truncated.then(|| shift.truncated(code, widths)).and_then(other);
        let tie = practice.tie.then(|| shift.across_tie(code, widths)).flatten();
        let zero = practice.flushed.then(|| expected & 1 << (to.bits() - 1)).and_then(other);
        let again = practice.twice.map(|first| shift.twice(code, first, widths)).and_then(other);
        let rule = again.and(twice).unwrap_or(rule);
        let codes: Vec<u64> = [truncated, tie, zero, again].into_iter().flatten().collect();
        let tolerate = (!codes.is_empty()).then(|| Outcome::one_of(codes));
        Expectation { expect, tolerate, rule }
    }

    fn uniform(&self) -> Option<Outcome> {
        match &self.tolerate {
            Tolerate::Uniform(outcome) => outcome.clone(),
            Tolerate::Practice(_) | Tolerate::AnyIfInexact => None,
        }
    }

    /// Do two neighbouring pieces agree in everything but their codes?
    pub fn agrees(&self, next: &Piece) -> bool {
        (&self.formula, &self.tolerate, self.rules) == (&next.formula, &next.tolerate, next.rules)
    }
}

/// Returns the piece of a code; `pieces` are all those of a request.
///
/// # Panics
/// If the pieces do not cover the code. The pieces of a request cover every code of its source.
pub fn piece_of(pieces: &[Piece], code: u64) -> &Piece {
    &pieces[pieces.partition_point(|piece| piece.last < code)]
}

/// Returns the stretches of a request's pieces.
pub fn stretches(pieces: &[Piece]) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for piece in pieces {
        let (formula, tolerate) = (&piece.formula, piece.uniform());
        match stretches.last_mut() {
            Some(before) if before.formula == *formula && before.tolerate == tolerate => {
                before.last = piece.last;
            }
            _ => {
                let Piece { first, last, .. } = *piece;
                stretches.push(Stretch { first, last, formula: formula.clone(), tolerate });
            }
        }
    }
    stretches
}
