//! Baselines: reviewed files of known failures, `expectations.toml`.
//!
//! An entry says which tests fail, how, and why. A failure that no entry expects is unexpected, and
//! so is a pass that an entry rules out. An entry that matches no failure is stale. All three fail
//! a run, so that the file stays true. Only entries with `share = "any"` may match no failure.

mod entry;
mod extent;
mod file;
mod update;

pub use crate::asked::{Asked, Side};
pub use entry::{BaselineShare, Entry, PairSides, Places};
pub use extent::Extent;
pub use file::{Baseline, NOT_REVIEWED, Watch, lines};
pub use update::{Updated, update};
