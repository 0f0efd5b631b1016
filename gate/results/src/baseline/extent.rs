//! How much a run covers.

use crate::Filters;
use castproof_vectors::{DType, Level, Suite};

/// How much a run covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The level of its vectors.
    pub level: Level,
    /// The suites that it asks.
    pub suites: Vec<Suite>,
    /// What its filters leave out, with the operator version in place of the operator set.
    pub filters: Filters,
    /// Are there vectors of every pair of `Cast` that passes the filters?
    pub every_pair: bool,
    /// The pairs that it is limited to; empty: no limit.
    pub named: Vec<(DType, DType)>,
    /// The only version that it asks, without refusals, if the testee is a bare kernel.
    pub kernel: Option<u32>,
    /// Are tensors arranged?
    pub arranged: bool,
}
