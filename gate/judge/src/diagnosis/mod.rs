//! Why tests of a pair fail: which wrong methods reproduce exactly what was observed.

pub mod blocks;
pub mod gguf;
pub mod layouts;
pub mod linear;
mod methods;
mod observation;
pub mod projections;
pub mod texts;

pub use methods::{diagnose, fingerprint, reproduced};
pub use observation::{Explained, Observation};
