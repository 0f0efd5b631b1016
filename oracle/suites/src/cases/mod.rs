//! The choice of cases: which codes of a source are worth asking about a target.
//!
//! The choice starts from the target: every boundary at which the target's answer changes is mapped
//! into the source, as the code on it and the codes beside it. The source's own landmarks and a
//! share drawn at random from a fixed seed are added.

mod binade;
mod boundary;
mod chosen;
mod codes;
mod flag;
mod pieces;
mod text;

pub(crate) use binade::missing_binades;
pub(crate) use chosen::{Chosen, chosen};
pub use codes::{Cases, cases};
pub use flag::Flag;
pub(crate) use pieces::telling;
