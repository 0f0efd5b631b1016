//! What chains of any length say of a specification and of a result.

use anyhow::{Result, anyhow};
use castproof_check::words;
use castproof_oracle::Caster;
use castproof_vectors::{DType, Expectation, Outcome, Request, Spec, landmarks};

/// Returns the specification as the title of a chain names it.
pub(super) fn title(spec: Spec) -> Result<String> {
    Ok(match spec.version().map_err(|error| anyhow!(error))? {
        Some(version) => format!("Cast({version})"),
        None => spec.to_string(),
    })
}

pub(super) fn is_refused(request: &Request) -> bool {
    Caster::new(request).is_ok_and(|caster| caster.is_refused())
}

/// Writes a result with its rule.
pub(super) fn said(to: DType, due: &Expectation) -> String {
    format!("{} [{}]", words::outcome(to, &due.expect), due.rule)
}

/// Returns a code that stands for an outcome; `None` if the outcome is not one of codes.
pub(super) fn representative(dtype: DType, outcome: &Outcome) -> Option<u64> {
    match outcome {
        Outcome::Code(code) => Some(*code),
        Outcome::OneOf(codes) => codes.first().copied(),
        Outcome::AnyNan => Some(landmarks(dtype)?.nan.first()?[0].value()),
        Outcome::Any | Outcome::Reject | Outcome::Text(_) => None,
    }
}
