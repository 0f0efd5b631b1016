//! What a run found out, and the results file `castproof-results/1` that keeps it.
//!
//! How findings are gathered from results is not known here.

mod file;
mod model;
mod rows;
mod usage;
mod varying;

pub use file::{FORMAT, Filters, ResultsFile};
pub use model::{
    Arranged, Cell, Deviation, FAILURES_PER_GROUP, Failure, Misplaced, Remark, RemarkKey, Results,
    SuiteRun, Touched,
};
pub use usage::{EntryKey, Surprise, SurpriseKey, Usage};
pub use varying::Varying;
