//! `castproof promote` and `castproof bitcast`: one JSON object each.

use crate::element::scalar;
use anyhow::{Result, anyhow};
use castproof_oracle::bitcast_shape;
use castproof_vectors::{
    AnswerRecord, DType, Operand, Operands, Question, RuleId, System, tensor_len,
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

/// Returns the result of promoting one element of each operand, given as codes or numbers, or a refusal, with
/// the rule. `nearest`: numbers that a dtype does not hold are rounded.
///
/// # Errors
/// If a text is not an element of its dtype.
pub fn promote_elements(
    tensor: DType,
    with: Operand,
    codes: [&str; 2],
    nearest: bool,
) -> Result<String> {
    let (dtype, refused) = castproof_oracle::promote(tensor, with);
    if dtype.is_none() {
        return Ok(line(&json!({ "reject": true }), refused));
    }
    let elements = [scalar(tensor, codes[0], nearest)?, scalar(with.dtype(), codes[1], nearest)?];
    let question = Question::Operands(Operands { tensor, with, elements });
    let answer = castproof_suites::answer(&question, 0).map_err(|error| anyhow!(error))?;
    let record = |record: &AnswerRecord| serde_json::to_value(record);
    let tolerate = answer.tolerate.as_ref().map(record).transpose()?;
    Ok(full_line(&record(&answer.expect)?, tolerate.as_ref(), answer.rule))
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
