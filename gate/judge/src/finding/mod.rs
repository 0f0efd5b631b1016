//! A finding: one thing that is wrong, as all reports tell it.
//!
//! Failing tests are many, faults are few. A finding has one cause (or none that is known), one
//! pair or a family of pairs with the same target, and the range of inputs that it touches.

mod computed;
pub mod failing;
mod gather;
mod key;
mod model;
mod range;
mod rank;
pub mod touch;

pub use gather::{DRAWN, findings};
pub use model::{Example, Finding, Kind};
pub use range::{Range, Spread};
