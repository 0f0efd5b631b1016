//! How long an answer may be. It follows from the request.

use super::message::MAX_PAYLOAD;
use castproof_vectors::Question;
use std::fmt;

/// How many bytes an answer may hold. It follows from the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Exactly this many.
    Exactly(usize),
    /// At most this many: texts, or a tensor whose shape is part of the answer.
    AtMost(usize),
}

impl From<usize> for Length {
    fn from(bytes: usize) -> Length {
        Length::Exactly(bytes)
    }
}

impl Length {
    /// Returns the length of `count` strings.
    pub fn of_strings(count: usize) -> Length {
        /// More bytes than any text of a number has.
        const LONGEST: usize = 1 << 16;
        let brackets = "[]".len();
        Length::AtMost(count.saturating_mul(LONGEST).saturating_add(brackets).min(MAX_PAYLOAD))
    }

    /// Returns the length of the answer to a question.
    pub fn of_answer(question: &Question) -> Length {
        match question {
            Question::CastLike(_) | Question::Chain(_) | Question::Promote(_) => Length::Exactly(0),
            Question::Operands(_) => Length::AtMost(2 * LARGEST_ELEMENT),
            Question::ComplexCast(_) => Length::AtMost(LARGEST_ELEMENT),
            Question::QuantizeBlock(block) => Length::Exactly(block.answer_len()),
            Question::QuantizeTensor(tensor) => Length::Exactly(tensor.answer_len()),
            Question::DequantizeBlock(block) => Length::Exactly(block.answer_len()),
            Question::DequantizeGguf(ask) => Length::Exactly(ask.answer_len()),
            Question::QuantizeGguf(ask) => Length::Exactly(ask.answer_len()),
            Question::QuantizeLinear(linear) | Question::DequantizeLinear(linear) => {
                Length::Exactly(linear.answer_len())
            }
            Question::DynamicQuantizeLinear(dynamic) => Length::Exactly(dynamic.answer_len()),
            // How wide a result is, is a fact of its format, which this crate does not know.
            Question::Project(ask) => Length::AtMost(8 * ask.input.codes().len()),
            // How many bytes a layout takes is a fact of it, and a wrong one takes others.
            Question::Pack(ask) | Question::Unpack(ask) => {
                Length::AtMost(ask.most_bytes().min(MAX_PAYLOAD))
            }
            // The same bits; a wrong answer may have one element too many.
            Question::Bitcast(bitcast) => Length::AtMost(bitcast.input.0.len() + LARGEST_ELEMENT),
        }
    }

    pub(super) fn admits(self, bytes: usize) -> bool {
        match self {
            Length::Exactly(due) => bytes == due,
            Length::AtMost(most) => bytes <= most,
        }
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Length::Exactly(due) => write!(f, "{due}"),
            Length::AtMost(most) => write!(f, "at most {most}"),
        }
    }
}

/// Bytes of the largest element, a complex one.
const LARGEST_ELEMENT: usize = 16;
