//! Float formats by parameters: which code a number becomes. The formats and the projection are those of the crate
//! `castproof-formats`, their names and records those of `castproof-lookup`; what is read and written of projections is here.

mod results;
mod words;

pub use castproof_lookup::formats::{json, list, named, text};
pub use results::{ProjectionAsked, all, projected};
pub use words::{Input, edition, input, pointed, random_bits, rounding, saturation};
