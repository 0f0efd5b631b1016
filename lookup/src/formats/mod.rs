//! Float formats by parameters: their names as people type them, and what one is. The formats are those of the crate
//! `castproof-formats`.

mod names;
mod record;
mod texts;

pub use names::named;
pub use record::{json, list, text};
pub use texts::{DRAFT, code_text, code_value};
