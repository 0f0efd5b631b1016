//! Blocks of GGUF: what the bytes of ggml's quantised types stand for.
//!
//! [`decode_block`] reads a block by the formula of its type, exactly, and rounds each number once.
//! The formulas stand in `formula.rs` in the order of the types, each beside its fields; `fields.rs` says
//! where bits lie.

mod arithmetic;
mod fields;
mod formula;

use crate::error::QuestionError;
use crate::linear::rounded;
use castproof_oracle::format::{FLOAT32, float_format};
use castproof_oracle::overflow::Nearest;
use castproof_oracle::{Value, encode};
use castproof_vectors::{DType, DequantizeGguf, GgufType, Outcome, RuleId, rule};
use fields::Block;

/// The dtypes of numbers.
pub const GGUF_NUMBERS: [DType; 3] = [DType::Float32, DType::Bfloat16, DType::Float16];

/// Returns the numbers that a block stands for, as `to`. What is a NaN is any NaN.
///
/// # Errors
/// If the bytes are no block of the type, or no numbers of `to` are made.
pub fn decode_block(
    kind: GgufType,
    to: DType,
    bytes: &[u8],
) -> Result<Vec<Outcome>, QuestionError> {
    let record = kind.record();
    if bytes.len() != record.bytes {
        let (len, size) = (bytes.len(), record.bytes);
        return Err(QuestionError(format!("{len} bytes are no block of {kind}, which has {size}")));
    }
    if !GGUF_NUMBERS.contains(&to) {
        let known: Vec<&str> = GGUF_NUMBERS.iter().map(|dtype| dtype.name()).collect();
        let known = known.join(", ");
        return Err(QuestionError(format!("{kind} makes no numbers of {to}; known are {known}")));
    }
    Ok((0..record.elements).map(|place| number(to, &exact(kind, bytes, place))).collect())
}

/// Returns the exact value of the element at `place` of a block.
///
/// # Panics
/// If the bytes are no block of the type.
pub fn exact(kind: GgufType, bytes: &[u8], place: usize) -> Value {
    formula::value(kind, &Block(bytes), place)
}

/// Returns an exact value as a number of `to`: the float32 nearest to it, which another dtype rounds once more (GG-03).
///
/// # Panics
/// If `to` is none of [`GGUF_NUMBERS`].
pub fn number(to: DType, exact: &Value) -> Outcome {
    let format = float_format(to).expect("numbers are floats");
    match rounded(exact, &FLOAT32) {
        Value::Nan { .. } => Outcome::AnyNan,
        Value::Infinite { negative } => Outcome::Code(encode::infinity(&format, negative)),
        Value::Finite { negative, magnitude } => {
            let nearest = Nearest::new(&magnitude, &format);
            Outcome::Code(match nearest.overflows {
                true => encode::infinity(&format, negative),
                false => nearest.clamped(&format, negative),
            })
        }
    }
}

/// Returns the numbers of all blocks of a question, and the rule that decides most.
///
/// # Errors
/// As [`decode_block`].
pub fn dequantise_gguf(question: &DequantizeGguf) -> Result<(Vec<Outcome>, RuleId), QuestionError> {
    let DequantizeGguf { kind, to, .. } = *question;
    let mut numbers = Vec::new();
    for block in question.blocks().map_err(QuestionError)? {
        numbers.extend(decode_block(kind, to, block)?);
    }
    let is_special = |number: &Outcome| match number {
        Outcome::Code(code) => {
            let format = float_format(to).expect("numbers are floats");
            code & format.magnitude_mask() == format.top_binade()
        }
        _ => true,
    };
    let rule = match kind {
        GgufType::MXFP4 => rule::GG_06,
        GgufType::NVFP4 => rule::GG_07,
        _ if numbers.iter().any(is_special) => rule::GG_02,
        _ if to != DType::Float32 => rule::GG_03,
        GgufType::Q3_K => rule::GG_04,
        GgufType::Q4_K | GgufType::Q5_K => rule::GG_05,
        _ => rule::GG_01,
    };
    Ok((numbers, rule))
}
