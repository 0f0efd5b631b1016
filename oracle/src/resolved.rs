//! A request with its formats and rules.

use crate::format::CodeKind;
use crate::spec::Record;
use castproof_vectors::{DType, RoundMode};

/// What the rules need to know of a request.
#[derive(Clone)]
pub(crate) struct Resolved {
    pub(crate) from: DType,
    pub(crate) to: DType,
    pub(crate) source: CodeKind,
    pub(crate) target: CodeKind,
    /// What the specification says.
    pub(crate) record: &'static Record,
    pub(crate) saturate: bool,
    pub(crate) round_mode: RoundMode,
    /// The round mode that the request gives, if it concerns the pair.
    pub(crate) given_mode: Option<RoundMode>,
}
