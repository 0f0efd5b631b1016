//! Why tests of a pair fail: which wrong methods reproduce exactly what was observed.

pub mod blocks;
mod methods;
mod model;
mod observation;
pub mod texts;

pub use methods::{diagnose, fingerprint, reproduced};
pub use model::{ABSENT, Cause, Diagnosis, Fingerprint};
pub use observation::{Explained, Observation};
