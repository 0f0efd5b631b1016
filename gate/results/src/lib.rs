//! What a run found out: how tests are keyed, what came of them, the results file
//! `castproof-results/1`, and baselines of known failures.
//!
//! Nothing here knows what is due, nor how findings are gathered: crates that only show or compare
//! results import no wrong method.
#![deny(unsafe_code)]

pub mod asked;
pub mod baseline;
pub mod diagnosis;
mod file;
pub mod finding;
mod model;
pub mod place;
pub mod recognition;
mod rows;
pub mod standing;
mod usage;
mod varying;

pub use file::{FORMAT, Filters, ResultsFile};
pub use model::{
    Arranged, Cell, Deviation, FAILURES_PER_GROUP, Failure, Misplaced, Remark, RemarkKey, Results,
    SuiteRun, Touched,
};
pub use usage::{EntryKey, Surprise, SurpriseKey, Usage};
pub use varying::Varying;
