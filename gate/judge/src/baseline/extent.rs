//! How much a run covers.

use crate::results::Filters;
use castproof_vectors::{Level, Suite};

/// How much a run covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The level of its vectors.
    pub level: Level,
    /// The suites that it asks.
    pub suites: Vec<Suite>,
    /// What it leaves out of `Cast`, with the operator version in place of the operator set.
    pub filters: Filters,
    /// Are there vectors of every pair of `Cast` that passes the filters?
    pub every_pair: bool,
    /// Are tensors arranged?
    pub arranged: bool,
}
