//! Blocks of GGUF by Castproof's own implementation.

use super::testee::{Reply, Returned};
use castproof_impl::{GgufDequantizer, GgufQuantizer};
use castproof_vectors::{DequantizeGguf, QuantizeGguf};

/// Decodes blocks.
pub(super) fn decode_gguf(question: &DequantizeGguf) -> Reply<Returned> {
    let decoding = match GgufDequantizer::new(question.kind, question.to) {
        Ok(decoding) => decoding,
        Err(error) => return Reply::Unsupported(error.to_string()),
    };
    let mut bytes = vec![0; question.answer_len()];
    match decoding.run(&question.input.0, &mut bytes) {
        Ok(()) => Reply::Output(Returned { bytes, ..Returned::default() }),
        Err(error) => Reply::Error(error.to_string()),
    }
}

/// Makes blocks.
pub(super) fn make_gguf(question: &QuantizeGguf) -> Reply<Returned> {
    let making = match GgufQuantizer::new(question.kind) {
        Ok(making) => making,
        Err(error) => return Reply::Unsupported(error.to_string()),
    };
    let mut bytes = vec![0; question.answer_len()];
    match making.run(&question.input.0, &mut bytes) {
        Ok(()) => Reply::Output(Returned { bytes, ..Returned::default() }),
        Err(error) => Reply::Error(error.to_string()),
    }
}
