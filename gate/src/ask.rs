//! `castproof promote` and `castproof bitcast`: one JSON object each.

use crate::expect::parse_code;
use anyhow::{Result, anyhow, bail};
use castproof_oracle::bitcast_shape;
use castproof_vectors::{
    AnswerRecord, DType, Hex, Operand, Operands, Question, RuleId, Scalar, System, tensor_len,
};
use serde_json::{Value, json};

/// Returns the dtype to which two operands are promoted, or a refusal, with the rule.
pub fn promote(tensor: DType, with: Operand) -> String {
    let (dtype, rule) = castproof_oracle::promote(tensor, with);
    match dtype {
        Some(dtype) => line(&json!({ "dtype": dtype.name() }), rule),
        None => line(&json!({ "reject": true }), rule),
    }
}

/// Returns the result of promoting one element of each operand, given as codes, or a refusal, with
/// the rule.
///
/// # Errors
/// If a text is not an element of its dtype.
pub fn promote_elements(tensor: DType, with: Operand, codes: [&str; 2]) -> Result<String> {
    let (dtype, refused) = castproof_oracle::promote(tensor, with);
    if dtype.is_none() {
        return Ok(line(&json!({ "reject": true }), refused));
    }
    let elements = [scalar(tensor, codes[0])?, scalar(with.dtype(), codes[1])?];
    let question = Question::Operands(Operands { tensor, with, elements });
    let answer = castproof_oracle::answer(&question, 0).map_err(|error| anyhow!(error))?;
    let record = |record: &AnswerRecord| serde_json::to_value(record);
    let tolerate = answer.tolerate.as_ref().map(record).transpose()?;
    Ok(full_line(&record(&answer.expect)?, tolerate.as_ref(), answer.rule))
}

/// Parses a code, or the two codes of a complex element, like `0x3f800000,0x0`.
fn scalar(dtype: DType, text: &str) -> Result<Scalar> {
    let code = |text: &str, dtype| Ok::<Hex, anyhow::Error>(Hex::new(parse_code(text)?, dtype));
    match (dtype.part(), text.split_once(',')) {
        (None, _) => Ok(Scalar::Real(code(text, dtype)?)),
        (Some(part), Some((real, imaginary))) => {
            Ok(Scalar::Complex([code(real, part)?, code(imaginary, part)?]))
        }
        (Some(_), None) => {
            bail!("'{text}' is not an element of {dtype}; write both parts, like 0x3f800000,0x0")
        }
    }
}

/// Returns the shape that a bitcast gives a tensor, or a refusal, with the rule.
///
/// # Errors
/// If a tensor of this shape fits in no memory.
pub fn bitcast(system: System, from: DType, to: DType, shape: &[u64]) -> Result<String> {
    let (output, rule) = bitcast_shape(system, from, to, shape);
    let Some(output) = output else { return Ok(line(&json!({ "reject": true }), rule)) };
    let bytes = tensor_len(from, shape).map_err(|error| anyhow!(error))?;
    Ok(line(&json!({ "shape": output, "bytes": bytes }), rule))
}

fn line(expect: &Value, rule: RuleId) -> String {
    full_line(expect, None, rule)
}

fn full_line(expect: &Value, tolerate: Option<&Value>, rule: RuleId) -> String {
    let statement = json!(rule.rule().statement);
    let tolerate = tolerate.map_or(String::new(), |it| format!("\"tolerate\":{it},"));
    // Composed by hand to keep the members in this order.
    format!("{{\"expect\":{expect},{tolerate}\"clause\":\"{rule}\",\"rule\":{statement}}}\n")
}
