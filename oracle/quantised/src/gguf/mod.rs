//! Blocks of GGUF: what the bytes of ggml's quantised types stand for.
//!
//! [`decode_block`] reads a block by the formula of its type, exactly, and rounds each number once.
//! The formulas stand in `formula.rs` in the order of the types, each beside its fields; `fields.rs` says
//! where bits lie. [`encode_block`] makes a block as ggml's reference quantisers do: `encode.rs` and `fp4.rs` take their steps,
//! and `packing.rs` says where bits go.

pub mod arithmetic;
mod encode;
mod fields;
mod formula;
mod fp4;
mod machine;
mod packing;

use crate::error::QuestionError;
use crate::linear::rounded;
use castproof_oracle::format::{FLOAT32, float_format};
use castproof_oracle::overflow::Nearest;
use castproof_oracle::{Value, encode as codes};
use castproof_vectors::{
    Bytes, DType, DequantizeGguf, GgufBlocks, GgufType, Outcome, QuantizeGguf, RuleId, rule,
};
pub use encode::{GGUF_MADE, encode_block, float16};
use fields::Block;
pub use machine::{GgufMachine, float32};
pub use packing::Packed;

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
        Value::Infinite { negative } => Outcome::Code(codes::infinity(&format, negative)),
        Value::Finite { negative, magnitude } => {
            let nearest = Nearest::new(&magnitude, &format);
            Outcome::Code(match nearest.overflows {
                true => codes::infinity(&format, negative),
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

/// The machines whose blocks are tolerated beside those of the default one.
const TOLERATED: [GgufMachine; 3] = [
    GgufMachine { fuses: true, rounds_logarithms: false },
    GgufMachine { fuses: false, rounds_logarithms: true },
    GgufMachine { fuses: true, rounds_logarithms: true },
];

/// Returns the blocks that the numbers of a question become, the further readings that are tolerated, and the rule that
/// decides most.
///
/// # Errors
/// As [`encode_block`].
pub fn quantise_gguf(
    question: &QuantizeGguf,
) -> Result<(GgufBlocks, Vec<GgufBlocks>, RuleId), QuestionError> {
    let numbers = question.blocks().map_err(QuestionError)?;
    let all = |machine| {
        let blocks = numbers.iter().map(|codes| encode_block(question.kind, codes, machine));
        Ok(joined(&blocks.collect::<Result<Vec<GgufBlocks>, QuestionError>>()?))
    };
    let due: GgufBlocks = all(GgufMachine::default())?;
    let mut readings: Vec<GgufBlocks> = Vec::new();
    for machine in TOLERATED {
        let reading = all(machine)?;
        if reading != due && !readings.contains(&reading) {
            readings.push(reading);
        }
    }
    let is_special = |codes: &Vec<u64>| {
        let infinity = 0x7f80_0000;
        let largest = codes.iter().map(|code| code & 0x7fff_ffff).max().unwrap_or(0);
        largest == 0 || largest >= infinity
    };
    let rule = match question.kind {
        _ if due.open.is_some() || numbers.iter().any(is_special) => rule::GG_17,
        GgufType::MXFP4 => rule::GG_13,
        _ if !readings.is_empty() => rule::GG_16,
        GgufType::Q4_1 | GgufType::Q5_1 => rule::GG_11,
        GgufType::Q8_0 => rule::GG_12,
        GgufType::NVFP4 => rule::GG_14,
        _ => rule::GG_10,
    };
    Ok((due, readings, rule))
}

/// One block after the other.
fn joined(blocks: &[GgufBlocks]) -> GgufBlocks {
    let bytes = |it: &GgufBlocks| it.blocks.0.clone();
    let open = |it: &GgufBlocks| match &it.open {
        Some(open) => open.0.clone(),
        None => vec![0; it.blocks.0.len()],
    };
    let is_open = blocks.iter().any(|it| it.open.is_some());
    GgufBlocks {
        blocks: Bytes(blocks.iter().flat_map(bytes).collect()),
        open: is_open.then(|| Bytes(blocks.iter().flat_map(open).collect())),
    }
}
