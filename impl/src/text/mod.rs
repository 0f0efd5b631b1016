//! Casts from and to string.

mod numeral;
mod read;
mod write;

pub use read::FromText;
pub use write::{Texts, ToText};
