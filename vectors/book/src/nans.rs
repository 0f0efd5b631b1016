//! Which NaN codes casts may return, beside codes that are named one by one.

use castproof_vectors::{DType, Formula, Hex, Landmarks, Outcome};

/// Classes of NaN codes, each within the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nans {
    /// None.
    #[default]
    Nothing,
    /// Every quiet one.
    Quiet,
    /// Every one.
    All,
}

impl Nans {
    /// Returns the class that an outcome admits.
    pub(super) fn of(outcome: &Outcome) -> Nans {
        match outcome {
            Outcome::AnyNan => Nans::All,
            Outcome::QuietNan => Nans::Quiet,
            _ => Nans::Nothing,
        }
    }

    /// Returns the outcome that admits the class.
    pub(super) fn outcome(self) -> Option<Outcome> {
        match self {
            Nans::Nothing => None,
            Nans::Quiet => Some(Outcome::QuietNan),
            Nans::All => Some(Outcome::AnyNan),
        }
    }

    /// Returns the codes of a dtype in the class, as inclusive ranges.
    pub(super) fn ranges(self, dtype: &Landmarks) -> &[[Hex; 2]] {
        match self {
            Nans::Nothing => &[],
            Nans::Quiet => &dtype.quiet_nan,
            Nans::All => &dtype.nan,
        }
    }

    /// Does the class hold this code of a dtype?
    pub(super) fn holds(self, dtype: &Landmarks, code: u64) -> bool {
        let within = |[first, last]: &[Hex; 2]| (first.value()..=last.value()).contains(&code);
        self.ranges(dtype).iter().any(within)
    }
}

/// Returns what a formula makes of NaN codes from `first` to `last`. A shift keeps a NaN a NaN. It keeps their
/// order too, so that all results are quiet where those of both ends are.
pub(super) fn of_nans(
    formula: &Formula,
    (first, last): (u64, u64),
    (from, to): (DType, &Landmarks),
) -> Outcome {
    let shift = match formula {
        Formula::Constant(outcome) => return outcome.clone(),
        Formula::Shift(shift) => shift,
    };
    let result = |code| shift.expected(code, (from.bits(), to.dtype.bits()));
    let are_quiet = [first, last].map(result).iter().all(|&code| to.is_quiet_nan(code));
    if are_quiet { Outcome::QuietNan } else { Outcome::AnyNan }
}
