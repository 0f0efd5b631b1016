//! MindSpore's implicit promotion: the dtype of an operation, and the casts of its operands.

mod operands;
mod rule;

pub use operands::Operands;
pub use rule::{promote, promote_number};
