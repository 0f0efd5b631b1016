//! A finding: one thing that is wrong, as all reports tell it.
//!
//! Failing tests are many, faults are few. A finding has one cause (or none that is known), one
//! pair or a family of pairs with the same target, and the range of inputs that it touches.

mod model;
mod range;

pub use model::{Example, Finding, Kind};
pub use range::{Range, Spread};
