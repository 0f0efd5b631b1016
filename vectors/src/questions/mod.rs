//! Questions that are not one element of a cast, and what answers them.

mod block;
mod chain;
mod decoding;
mod gguf;
mod laid_out;
mod layout;
mod linear;
mod projection;
pub(crate) mod question;
mod tensor;

pub use block::{BlockAnswer, BlockChoice, ElementCodes, QuantizeBlock};
pub use chain::{CastChain, check_operators};
pub use decoding::{DequantizeBlock, NumberCodes, NumbersAnswer};
pub use gguf::{DequantizeGguf, GgufBlocks, GgufReadings, QuantizeGguf};
pub use laid_out::{LaidOut, LaidOutAnswer, codes_of};
pub use layout::BlockLayout;
pub use linear::{DynamicAnswer, DynamicLinear, Linear, LinearAnswer, LinearCodes, packed};
pub use projection::{DueCodes, FormatCodes, Project, ProjectedAnswer};
pub use question::{
    AnswerRecord, Bitcast, CastLike, ComplexAnswer, ComplexCast, DTypeAnswer, ElementAnswer,
    Operands, OperandsAnswer, Promote, Question, Scalar, TensorAnswer,
};
pub use tensor::{QuantizeTensor, TensorOfBlocks};
