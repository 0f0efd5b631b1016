//! What chains of any length say of a specification and of a result.

use anyhow::{Result, anyhow};
use castproof_check::words;
use castproof_oracle::Caster;
use castproof_vectors::{DType, Expectation, Request, Spec};

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
