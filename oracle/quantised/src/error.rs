//! Questions that nothing answers.

use std::fmt;

/// A question that no specification answers, in one line: a dtype, an attribute or a shape that it does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionError(pub(crate) String);

impl fmt::Display for QuestionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for QuestionError {}
