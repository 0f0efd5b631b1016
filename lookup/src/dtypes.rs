//! `castproof dtypes`: every dtype with its facts, and what it is called elsewhere.

use anyhow::{Result, anyhow};
use castproof_oracle::{Held, Value, exact, held, read};
use castproof_vectors::{DType, DTypeClass, Operator, OtherNames, Owner, type_set, versions};
use serde_json::{Value as Json, json};
use std::fmt::Write as _;

/// Returns the dtypes, a block each: its facts, then its other names, an owner a line.
///
/// # Errors
/// If writing to memory fails.
pub fn text(dtypes: &[DType]) -> Result<String> {
    let mut text = String::new();
    for (index, &dtype) in dtypes.iter().enumerate() {
        let between = if index > 0 { "\n" } else { "" };
        writeln!(text, "{between}{dtype}: {}", facts(dtype))?;
        let other = dtype.other_names();
        if let Some(number) = other.onnx {
            writeln!(text, "  ONNX's number {number}")?;
        }
        for (owner, names) in by_owner(other) {
            writeln!(text, "  {}: {}", owner.name(), names.join(", "))?;
        }
    }
    Ok(text)
}

/// Returns the dtypes as one JSON array, with a line end.
///
/// # Errors
/// If there is no memory for it.
pub fn json(dtypes: &[DType]) -> Result<String> {
    let dtypes: Vec<Json> = dtypes.iter().map(|&dtype| record(dtype)).collect();
    Ok(serde_json::to_string_pretty(&dtypes).map_err(|error| anyhow!(error))? + "\n")
}

/// Returns a dtype as a JSON object.
pub fn record(dtype: DType) -> Json {
    let other = dtype.other_names();
    let names =
        by_owner(other).into_iter().map(|(owner, names)| (owner.name().into(), json!(names)));
    let mut record = json!({
        "name": dtype.name(),
        "bits": dtype.bits(),
        "class": class(dtype),
        "since": since(dtype),
        "onnx": other.onnx,
        "otherNames": names.collect::<serde_json::Map<String, Json>>(),
    });
    if dtype.is_numeric() {
        record["smallest"] = json!(end(dtype, "-1e390"));
        record["largest"] = json!(end(dtype, "1e390"));
        record["infinity"] = json!(has(dtype, "inf"));
        record["nan"] = json!(has(dtype, "nan"));
        record["negativeZero"] = json!(has(dtype, "-0.0"));
    }
    record
}

/// Returns `8 bits, float from -448 to 448, NaN, negative zero, no infinity; Cast-19 and later`.
fn facts(dtype: DType) -> String {
    let mut facts = match dtype.bits() {
        0 => class(dtype).to_string(),
        bits => format!("{bits} bits, {}", class(dtype)),
    };
    if dtype.is_numeric() {
        facts += &format!(" from {} to {}", end(dtype, "-1e390"), end(dtype, "1e390"));
    }
    if dtype.is_float() {
        for (text, name) in [("inf", "infinity"), ("nan", "NaN"), ("-0.0", "negative zero")] {
            let no = if has(dtype, text) { "" } else { "no " };
            facts += &format!(", {no}{name}");
        }
    }
    match since(dtype) {
        Some(version) => facts + &format!("; Cast-{version} and later"),
        None => facts + "; no version of Cast",
    }
}

fn class(dtype: DType) -> &'static str {
    match dtype.class() {
        DTypeClass::Bool => "truth value",
        DTypeClass::Integer { .. } => "integer",
        DTypeClass::Float => "float",
        DTypeClass::PowerOfTwo => "power of two",
        DTypeClass::String => "text",
        DTypeClass::Complex { .. } => "complex number",
        DTypeClass::Quantized { .. } => "quantized integer",
    }
}

/// Returns the first version of Cast that has the dtype.
fn since(dtype: DType) -> Option<u32> {
    let has = |version: &&u32| type_set(Operator::Cast, **version).contains(&dtype);
    versions(Operator::Cast).iter().find(has).copied()
}

/// Does the dtype have what this text stands for?
fn has(dtype: DType, text: &str) -> bool {
    let value: Option<Value> = read(text);
    matches!(value.and_then(|it| held(dtype, &it)), Some(Held::Exactly(_)))
}

/// Returns the number of the dtype that is nearest to one far beyond its ends.
fn end(dtype: DType, far: &str) -> String {
    match read(far).and_then(|value| held(dtype, &value)) {
        Some(Held::Between { below, above, .. }) => {
            below.or(above).and_then(|code| exact(dtype, code)).unwrap_or_default()
        }
        _ => String::new(),
    }
}

/// Returns the names of each owner, in the order of the table.
fn by_owner(other: &OtherNames) -> Vec<(Owner, Vec<&'static str>)> {
    let mut owners: Vec<(Owner, Vec<&'static str>)> = Vec::new();
    for (owner, name) in other.of(&[]) {
        match owners.last_mut().filter(|(last, _)| *last == owner) {
            Some((_, names)) => names.push(name),
            None => owners.push((owner, vec![name])),
        }
    }
    owners
}
