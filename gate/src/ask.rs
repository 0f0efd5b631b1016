//! `castproof promote` and `castproof bitcast`: one JSON object each.

use anyhow::{Result, anyhow};
use castproof_oracle::{bitcast_shape, clause};
use castproof_vectors::{DType, Operand, System, tensor_len};
use serde_json::json;

/// The dtype to which two operands are promoted, or a refusal; with the clause.
pub fn promote(tensor: DType, with: Operand) -> String {
    let (dtype, clause) = castproof_oracle::promote(tensor, with);
    match dtype {
        Some(dtype) => line(&json!({ "dtype": dtype.name() }), clause),
        None => line(&json!({ "reject": true }), clause),
    }
}

/// What a bitcast makes of a shape, or a refusal; with the clause.
///
/// # Errors
/// If a tensor of this shape fits in no memory.
pub fn bitcast(system: System, from: DType, to: DType, shape: &[u64]) -> Result<String> {
    let (output, clause) = bitcast_shape(system, from, to, shape);
    let Some(output) = output else { return Ok(line(&json!({ "reject": true }), clause)) };
    let bytes = tensor_len(from, shape).map_err(|error| anyhow!(error))?;
    Ok(line(&json!({ "shape": output, "bytes": bytes }), clause))
}

fn line(expect: &serde_json::Value, id: &str) -> String {
    let rule = clause(id).map_or("", |clause| clause.rule);
    // Composed by hand to keep the members in this order.
    format!("{{\"expect\":{expect},\"clause\":\"{id}\",\"rule\":{}}}\n", json!(rule))
}
