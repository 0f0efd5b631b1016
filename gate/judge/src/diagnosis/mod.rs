//! Why tests of a pair fail: which wrong methods reproduce exactly what was observed.

pub mod blocks;
pub mod gguf;
pub mod linear;
mod methods;
mod model;
mod observation;
pub mod projections;
pub mod texts;

/// The cause of a failing test of an element that comes out otherwise at other places of a tensor. The finding of that
/// place holds it.
pub const BY_PLACE: &str = "depends on the place in the tensor";

/// The cause of such a test whose element was right when the same tensor was sent again.
pub const ONCE: &str = "right when the same tensor was sent again";

pub use methods::{diagnose, fingerprint, reproduced};
pub use model::{ABSENT, Cause, Diagnosis, Fingerprint};
pub use observation::{Explained, Observation};
