//! What changed in a runtime from version to version. Each version is asked once for the vectors of `Cast`, and what
//! it answered is kept as a recording. [`Version::of`] judges a recording, [`changes`] compares two of them.

mod changes;
mod file;
mod version;

pub use changes::{Change, ChangeKind, changes};
pub use file::{FORMAT, HistoryFile, VersionRow, table};
pub use version::{Version, VersionAnswers, VersionlessCast, options};
