//! How findings are gathered from results.

mod computed;
pub mod failing;
mod gather;
mod key;
mod rank;
pub mod touch;

pub use gather::{DRAWN, findings};
