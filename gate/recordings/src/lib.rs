//! Recordings: what a runtime answered to all questions of a run, kept as a file, and answered from it.
//!
//! A recording holds differences. The module `predict` says what a testee would answer that casts as
//! Castproof does, or as one of the profiles, and learns while it is told otherwise; only what it does
//! not foresee is written. Questions are not written either: of each part of a run the file holds how
//! many there were and a digest of them, so that the answers of a part count only if the same
//! questions were asked in the same order.

mod asked;
mod bytes;
mod difference;
mod file;
mod learnt;
mod predict;
mod record;
mod replay;
mod trace;

pub use file::{About, FORMAT, Header, NamedTestee, Recording};
pub use record::{RecordedTestee as RecordingTestee, Recorder};
pub use replay::{Heard, Lacking, Replaying};
