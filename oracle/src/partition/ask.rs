//! The request whose codes are divided into pieces.

use crate::cast::{Caster, CodeError};
use crate::class::Class;
use crate::format::{CodeKind, kind};
use crate::round::MagnitudeRounding;
use crate::spec::{FloatToInteger, Kept, Narrowed};
use castproof_vectors::{Formula, Piece, Request, Rules, Tolerate};

/// A request made ready.
pub(super) struct Ask {
    pub(super) caster: Caster,
    pub(super) request: Request,
    pub(super) source: CodeKind,
    pub(super) target: CodeKind,
}

impl Ask {
    /// Looks up the specification and the formats.
    ///
    /// # Errors
    /// As [`Caster::new`]; also if a dtype is not numeric.
    pub(super) fn new(request: &Request) -> Result<Ask, CodeError> {
        let caster = Caster::new(request)?;
        let numeric = |dtype| kind(dtype).ok_or(CodeError::NotNumeric(dtype));
        let (source, target) = (numeric(request.from)?, numeric(request.to)?);
        Ok(Ask { caster, request: *request, source, target })
    }

    /// The rules of a float to an integer.
    pub(super) fn integers(&self) -> &FloatToInteger {
        let Request { from, to, attributes, .. } = self.request;
        let record = self.caster.record();
        record.integers((from, to), record.concerning((from, to), attributes).round_mode)
    }

    /// How the magnitude of a number of this sign is rounded to an integer. Integers need no
    /// rounding.
    pub(super) fn integer_rounding(&self, negative: bool) -> MagnitudeRounding {
        match self.source {
            CodeKind::Float(_) => self.integers().rounding[usize::from(negative)],
            _ => MagnitudeRounding::TowardZero,
        }
    }

    /// Do all integers that the target does not have, above or below, have one answer?
    pub(super) fn clamps(&self) -> bool {
        let wide = |dtype| Class::of(dtype) == Class::Integer;
        let record = self.caster.record();
        let (narrowed, _) = record.integer_to_integer.beyond;
        let is_wide = wide(self.request.from) && wide(self.request.to);
        is_wide && narrowed == Narrowed::NearestEnd || record.only_exact.is_some()
    }

    /// Do the answers follow the source's significand? If not, there are so few answers that each
    /// gets its own piece.
    pub(super) fn shifts(&self) -> bool {
        let narrow = self.request.to.bits() <= 8;
        let wraps = match (&self.source, &self.target) {
            (CodeKind::Integer(_), CodeKind::Integer(_)) => true,
            (CodeKind::Float(_), CodeKind::Integer(_)) => self.integers().kept.0 != Kept::Target,
            _ => false,
        };
        wraps || !narrow
    }

    /// The piece of these codes, all of which have the answer of the first.
    pub(super) fn constant(&self, first: u64, last: u64) -> Piece {
        let answer = self.caster.cast(first).expect("codes of the source");
        let rules = Rules { rule: answer.rule, inexact: None, twice: None };
        let formula = Formula::Constant(answer.expect);
        Piece { first, last, formula, tolerate: Tolerate::Uniform(answer.tolerate), rules }
    }
}
