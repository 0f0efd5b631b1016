//! A node of ONNX's linear quantisation: a row for each number.

use crate::element::{result, rules};
use castproof_check::words;
use castproof_lookup::linear::{QuantizationNode, linear};
use castproof_vectors::{DType, NEWEST};
use serde_json::{Value as Json, json};

/// The outputs of `DequantizeLinear`; to every other dtype a node quantises.
const NUMBERS: [DType; 3] = [DType::Float32, DType::Float16, DType::Bfloat16];

/// Returns the dtypes that some node takes or gives.
pub(crate) fn dtypes() -> Vec<&'static str> {
    let takes = |from, to| json((from, to), ["1", "", ""], "0").is_ok();
    let has = |it: &DType| DType::CAST.iter().any(|&to| takes(*it, to) || takes(to, *it));
    DType::CAST.iter().filter(|it| has(it)).map(|it| it.name()).collect()
}

/// Returns the operator sets that have both operators, the newest first.
pub(crate) fn versions() -> Vec<String> {
    let has = |opset: &u32| {
        let options = format!("opset={opset}");
        json((DType::Float32, DType::Int8), ["1", "", &options], "0").is_ok()
    };
    (1..=NEWEST).rev().filter(has).map(|opset| opset.to_string()).collect()
}

/// Returns what a node must make of numbers, which are a line each. The zero point may be empty: it is not given. Options are
/// words like `opset=19`; without them the node is of the newest operator set, its scale is a float32, and it saturates.
pub(crate) fn json(
    pair: (DType, DType),
    [scale, zero, options]: [&str; 3],
    texts: &str,
) -> Result<Json, String> {
    if texts.is_empty() {
        return Err("no numbers: write some with commas between, like -38.25,1".to_string());
    }
    let (from, to) = pair;
    let mut node = QuantizationNode {
        quantizes: !NUMBERS.contains(&to),
        opset: NEWEST,
        from,
        scale: (DType::Float32, scale.to_string()),
        zero_point: (!zero.is_empty()).then(|| zero.to_string()),
        to,
        saturate: true,
        precision: None,
    };
    for word in options.split_whitespace() {
        set(&mut node, word)?;
    }
    let texts: Vec<String> = texts.split('\n').map(str::to_string).collect();
    let answer = linear(&node, &texts).map_err(|it| format!("{it:#}"))?;
    let rows = texts.iter().zip(&answer.inputs).zip(&answer.due).map(|((text, read), due)| {
        let mut row = result(to, due);
        row["rule"] = json!(due.rule.rule().name);
        row["text"] = json!(text.trim());
        row["input"] = json!(words::value(from, read.code));
        row["rounded"] = json!(read.rounded);
        row
    });
    Ok(json!({
        "from": from.name(),
        "to": to.name(),
        "operator": node.name(),
        "opset": node.opset,
        "scale": words::value(node.scale.0, answer.scale),
        "zeroPoint": answer.zero_point.map(|code| words::value(node.quantised(), code)),
        "rows": rows.collect::<Vec<_>>(),
        "rules": rules(answer.due.iter().map(|it| it.rule)),
        "json": answer.json(&node),
    }))
}

/// Sets what an option like `saturate=0` says.
fn set(node: &mut QuantizationNode, option: &str) -> Result<(), String> {
    let (name, value) = option.split_once('=').unwrap_or((option, ""));
    match name {
        "opset" => {
            let problem = || format!("'{value}' is no operator set; it is a number like 19");
            node.opset = value.parse().map_err(|_| problem())?;
        }
        "scale-dtype" => node.scale.0 = DType::named(value)?,
        "saturate" if ["0", "1"].contains(&value) => node.saturate = value == "1",
        "saturate" => return Err(format!("saturate is 0 or 1, not '{value}'")),
        "precision" => node.precision = Some(DType::named(value)?),
        _ => return Err(format!("a node has no option '{name}'")),
    }
    Ok(())
}
