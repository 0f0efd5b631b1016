//! A node of ONNX's linear quantisation: a row for each number.

use crate::element::{result, rules};
use castproof_check::words;
use castproof_lookup::linear::{Node, linear};
use castproof_vectors::{DType, NEWEST};
use serde_json::{Value as Json, json};

/// The outputs of `DequantizeLinear`; to every other dtype a node quantises.
const NUMBERS: [DType; 3] = [DType::Float32, DType::Float16, DType::Bfloat16];

/// Returns the dtypes that some node takes or gives.
pub(crate) fn dtypes() -> Vec<&'static str> {
    let takes = |from, to| json((from, to), ["1", ""], "0").is_ok();
    let has = |it: &DType| DType::CAST.iter().any(|&to| takes(*it, to) || takes(to, *it));
    DType::CAST.iter().filter(|it| has(it)).map(|it| it.name()).collect()
}

/// Returns what a node of the newest operator set must make of numbers, which are a line each. The zero point may be empty:
/// it is not given.
pub(crate) fn json(
    pair: (DType, DType),
    [scale, zero]: [&str; 2],
    texts: &str,
) -> Result<Json, String> {
    if texts.is_empty() {
        return Err("no numbers: write some with commas between, like -38.25,1".to_string());
    }
    let (from, to) = pair;
    let node = Node {
        quantizes: !NUMBERS.contains(&to),
        opset: NEWEST,
        from,
        scale: (DType::Float32, scale.to_string()),
        zero_point: (!zero.is_empty()).then(|| zero.to_string()),
        to,
        saturate: true,
        precision: None,
    };
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
        "scale": words::value(DType::Float32, answer.scale),
        "zeroPoint": answer.zero_point.map(|code| words::value(node.quantised(), code)),
        "rows": rows.collect::<Vec<_>>(),
        "rules": rules(answer.due.iter().map(|it| it.rule)),
        "json": answer.json(&node),
    }))
}
