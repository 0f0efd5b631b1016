//! One node of ONNX's linear quantisation with a scale for all its numbers.

use crate::element;
use anyhow::{Context as _, Result, anyhow, bail};
use castproof_check::words;
use castproof_lookup::outcome::said;
use castproof_oracle::linear::{LinearTensor, dequantize_linear, quantize_linear};
use castproof_vectors::{DType, Expectation, OutcomeRecord};
use serde_json::json;
use std::fmt::Write as _;

/// A node of `QuantizeLinear` or `DequantizeLinear`.
#[derive(Clone, Debug)]
pub struct LinearNode {
    /// Is it `QuantizeLinear`?
    pub quantizes: bool,
    /// The operator set.
    pub opset: u32,
    /// Dtype of the input.
    pub from: DType,
    /// Dtype of the scale, and the scale: a code, or a number, which is rounded to nearest even.
    pub scale: (DType, String),
    /// The zero point; `None`: it is not given.
    pub zero_point: Option<String>,
    /// Dtype of the output.
    pub to: DType,
    /// The attribute `saturate`.
    pub saturate: bool,
    /// The attribute `precision`.
    pub precision: Option<DType>,
    /// One JSON object for each element.
    pub json: bool,
}

/// Returns a line for each element: what the node must make of it. A number that the input dtype does not hold is rounded
/// to nearest even.
///
/// # Errors
/// If a text is no element, or the version has no such node.
pub fn linear(node: &LinearNode, texts: &[String]) -> Result<String> {
    let name = if node.quantizes { "QuantizeLinear" } else { "DequantizeLinear" };
    if texts.is_empty() {
        bail!("no elements: write castproof quantize-linear --scale 0.3 --to int8 -38.25");
    }
    let (dtype, scale) = &node.scale;
    let scale = element::element(*dtype, scale, true).context("--scale")?.code;
    let quantised = if node.quantizes { node.to } else { node.from };
    let zero = node.zero_point.as_ref();
    let zero = zero.map(|text| element::element(quantised, text, false)).transpose();
    let zero = zero.context("--zero-point")?.map(|it| it.code);
    let read = |text: &String| element::element(node.from, text, node.quantizes);
    let elements: Vec<element::Read> = texts.iter().map(read).collect::<Result<_>>()?;
    let codes: Vec<u64> = elements.iter().map(|it| it.code).collect();
    let zeros = zero.map(|code| [code]);
    let tensor = LinearTensor {
        opset: node.opset,
        dtypes: [node.from, *dtype, node.to],
        shape: &[codes.len() as u64],
        scale_shape: &[],
        axis: 1,
        block_size: 0,
        saturate: node.saturate,
        precision: node.precision,
        input: &codes,
        scales: &[scale],
        zero_points: zeros.as_ref().map(|it| &it[..]),
    };
    let due = if node.quantizes { quantize_linear(&tensor) } else { dequantize_linear(&tensor) };
    let due = due.map_err(|error| anyhow!("{name}: {error}"))?;
    let mut text = String::new();
    if !node.json {
        let zero = zero.map(|code| format!(", zero point {}", words::value(quantised, code)));
        let scale = words::value(*dtype, scale);
        let head = format!("{name} at opset {}: {} -> {}", node.opset, node.from, node.to);
        writeln!(text, "{head}, scale {scale}{}", zero.unwrap_or_default())?;
    }
    for ((written, read), due) in texts.iter().zip(&elements).zip(&due) {
        if node.json {
            json_line(&mut text, node, read.code, due)?;
            continue;
        }
        let near = format!(", the nearest to {}", written.trim());
        let near = if read.rounded { near } else { String::new() };
        let input = words::value(node.from, read.code);
        writeln!(text, "{input}{near} -> {} [{}]", said(node.to, due), due.rule)?;
    }
    Ok(text)
}

fn json_line(text: &mut String, node: &LinearNode, code: u64, due: &Expectation) -> Result<()> {
    let record = |outcome| OutcomeRecord::new(outcome, node.to);
    let mut object = json!({
        "input": node.from.hex(code),
        "expect": record(&due.expect),
        "clause": due.rule.to_string(),
    });
    if let Some(tolerate) = &due.tolerate {
        object["tolerate"] = json!(record(tolerate));
    }
    writeln!(text, "{object}")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(quantizes: bool, (from, to): (DType, DType), scale: &str) -> LinearNode {
        LinearNode {
            quantizes,
            opset: 25,
            from,
            scale: (DType::Float32, scale.into()),
            zero_point: None,
            to,
            saturate: true,
            precision: None,
            json: false,
        }
    }

    /// The quotient by the float32 nearest to 0.3 is -127.49999; the product with the rounded reciprocal is -127.5, which
    /// becomes -128.
    #[test]
    fn a_quotient_is_no_product() {
        let node = node(true, (DType::Float32, DType::Int8), "0.3");
        let text = linear(&node, &["-38.25".into()]).expect("a node");
        assert!(text.contains("-> 0x81 (-127)"), "{text}");
    }

    #[test]
    fn numbers_come_back() {
        let node = LinearNode {
            zero_point: Some("3".into()),
            ..node(false, (DType::Int8, DType::Float32), "0.5")
        };
        let text = linear(&node, &["-5".into()]).expect("a node");
        assert!(text.contains("0xfb (-5) -> 0xc0800000 (-4)"), "{text}");
    }

    #[test]
    fn what_cannot_be_asked_is_said() {
        let pair = (DType::Float32, DType::Int8);
        let said = linear(&node(true, pair, "x"), &["1".into()]).expect_err("wrong");
        assert!(format!("{said:#}").starts_with("--scale: 'x' is neither"), "{said:#}");
        let node = LinearNode { opset: 9, ..node(true, pair, "1") };
        let said = linear(&node, &["1".into()]).expect_err("wrong").to_string();
        assert!(said.starts_with("QuantizeLinear: "), "{said}");
    }
}
