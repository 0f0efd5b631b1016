//! The rows of a book: which requests share an answer.

use castproof_vectors::{Attributes, RuleId, Spec};
use std::sync::Arc;

/// Requests of a pair that share an answer.
pub(super) struct Row {
    pub(super) kind: Arc<Kind>,
    /// The answer, counted from 0.
    pub(super) answer: usize,
}

/// What rows of many pairs have in common: each of the specs with each of the sets of attributes.
pub(super) struct Kind {
    pub(super) specs: Vec<Spec>,
    pub(super) attributes: Vec<Attributes>,
    /// The rule that replaces the rules of the pieces.
    pub(super) rule: Option<RuleId>,
}
