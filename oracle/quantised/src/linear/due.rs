//! What several readings allow together.

use castproof_oracle::decode::is_nan;
use castproof_oracle::format::{CodeKind, FloatFormat, NanEncoding};
use castproof_vectors::{Outcome, RuleId};

/// Outcomes of the readings that are right, and of those that are tolerated.
pub(super) struct Due {
    pub(super) expect: Vec<Outcome>,
    pub(super) tolerate: Vec<Outcome>,
    pub(super) rule: RuleId,
}

impl Due {
    pub(super) fn new(outcome: Outcome, rule: RuleId) -> Due {
        Due { expect: vec![outcome], tolerate: vec![], rule }
    }

    /// The same, and what another reading allows.
    pub(super) fn and(mut self, other: Due) -> Due {
        self.expect.extend(other.expect);
        self.tolerate.extend(other.tolerate);
        self.rule = self.rule.max(other.rule);
        self
    }

    /// The same, and what a tolerated reading allows.
    pub(super) fn tolerating(mut self, other: Due) -> Due {
        self.tolerate.extend(other.expect);
        self.tolerate.extend(other.tolerate);
        self
    }
}

/// One outcome that allows what any of these allows.
pub(super) fn any_of(outcomes: &[Outcome], to: &CodeKind) -> Outcome {
    let first = &outcomes[0];
    if outcomes.iter().all(|outcome| outcome == first) {
        return first.clone();
    }
    if outcomes.contains(&Outcome::Any) {
        return Outcome::Any;
    }
    let mut codes = Vec::new();
    for outcome in outcomes {
        match (outcome, to) {
            (Outcome::Code(code), _) => codes.push(*code),
            (Outcome::AnyNan, CodeKind::Float(format)) => codes.extend(nans(format)),
            (other, _) => unreachable!("no reading gives {other:?}"),
        }
    }
    Outcome::one_of(codes)
}

/// Every NaN of a format of at most 8 bits.
fn nans(format: &FloatFormat) -> impl Iterator<Item = u64> {
    assert!(format.magnitude_bits() < 8, "readings agree on NaN of wider floats");
    let format = *format;
    (0..256).filter(move |&code| is_nan(&format, code))
}

/// Has the format a NaN?
pub(super) fn has_nan(format: &FloatFormat) -> bool {
    format.nan != NanEncoding::None
}
