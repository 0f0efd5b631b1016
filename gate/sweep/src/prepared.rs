//! A request that is ready to be swept.

use super::coverage::{Coverage, Run, Word};
use anyhow::{Context, Result};
use castproof_judge::answers;
use castproof_oracle::Caster;
use castproof_vectors::{
    Formula, Landmarks, Outcome, Piece, Request, Stretch, Tolerate, landmarks, stretches,
};
use std::borrow::Cow;

/// A request that is ready to be swept; shared by all threads.
pub(super) struct Prepared {
    pub(super) request: Request,
    /// The expected result of every code.
    pub(super) pieces: Vec<Piece>,
    /// Is a piece open for some of its codes and not for others?
    pub(super) is_open_in_part: bool,
    /// The stretches that are swept.
    pub(super) stretches: Vec<Stretch>,
    pub(super) coverage: Coverage,
    pub(super) caster: Caster,
    pub(super) target: &'static Landmarks,
}

impl Prepared {
    /// Derives the pieces and the coverage.
    ///
    /// # Errors
    /// If the request is not numeric.
    pub(super) fn new(request: &Request) -> Result<Prepared> {
        let pieces = (answers::chosen().pieces)(request)?;
        let stretches = stretches(&pieces);
        Ok(Prepared {
            request: *request,
            coverage: Coverage::new(request, &stretches),
            stretches,
            is_open_in_part: pieces.iter().any(|it| it.tolerate == Tolerate::AnyIfInexact),
            pieces,
            caster: Caster::new(request)?,
            target: landmarks(request.to)
                .with_context(|| format!("{} is not numeric", request.to))?,
        })
    }

    /// Returns the codes to ask for: 0 in place of those that must be refused, which would refuse the whole
    /// tensor. The vectors ask for them one by one.
    pub(super) fn asked<'a, W: Word>(&self, codes: &'a [W], runs: &[Run]) -> Cow<'a, [W]> {
        let mut asked = Cow::Borrowed(codes);
        for &Run { stretch, start, end } in runs {
            if self.stretches[stretch].formula == Formula::Constant(Outcome::Reject) {
                asked.to_mut()[start..end].fill(W::default());
            }
        }
        asked
    }
}
