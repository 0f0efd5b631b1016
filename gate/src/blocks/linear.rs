//! One node of ONNX's linear quantisation with a scale for all its numbers.

use anyhow::{Error, Result, anyhow};
use castproof_check::words;
use castproof_lookup::linear::{self, QuantizationNode};
use castproof_lookup::outcome::said;
use std::fmt::Write as _;

/// A node of `QuantizeLinear` or `DequantizeLinear`.
#[derive(Clone, Debug)]
pub struct NodeAsked {
    /// The node.
    pub node: QuantizationNode,
    /// One JSON object for each element.
    pub json: bool,
}

/// Returns a line for each element: what the node must make of it. A number that the input dtype does not hold is rounded
/// to nearest even.
///
/// # Errors
/// If a text is no element, or the version has no such node.
pub fn linear(asked: &NodeAsked, texts: &[String]) -> Result<String> {
    let node = &asked.node;
    let answer = linear::linear(node, texts).map_err(by_option)?;
    if asked.json {
        return Ok(answer.json(node));
    }
    let zero = answer.zero_point.map(|code| words::value(node.quantised(), code));
    let zero = zero.map(|zero| format!(", zero point {zero}")).unwrap_or_default();
    let scale = words::value(node.scale.0, answer.scale);
    let mut text = String::new();
    let head = format!("{} at opset {}: {} -> {}", node.name(), node.opset, node.from, node.to);
    writeln!(text, "{head}, scale {scale}{zero}")?;
    for ((written, read), due) in texts.iter().zip(&answer.inputs).zip(&answer.due) {
        let near = format!(", the nearest to {}", written.trim());
        let near = if read.rounded { near } else { String::new() };
        let input = words::value(node.from, read.code);
        writeln!(text, "{input}{near} -> {} [{}]", said(node.to, due), due.rule)?;
    }
    Ok(text)
}

/// Names the option that an error is about.
fn by_option(error: Error) -> Error {
    let option = match error.to_string().as_str() {
        linear::OF_SCALE => "--scale",
        linear::OF_ZERO_POINT => "--zero-point",
        _ => return error,
    };
    anyhow!("{option}: {}", error.root_cause())
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::DType;

    fn node(quantizes: bool, (from, to): (DType, DType), scale: &str) -> NodeAsked {
        let node = QuantizationNode {
            quantizes,
            opset: 25,
            from,
            scale: (DType::Float32, scale.into()),
            zero_point: None,
            to,
            saturate: true,
            precision: None,
        };
        NodeAsked { node, json: false }
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
        let mut node = node(false, (DType::Int8, DType::Float32), "0.5");
        node.node.zero_point = Some("3".into());
        let text = linear(&node, &["-5".into()]).expect("a node");
        assert!(text.contains("0xfb (-5) -> 0xc0800000 (-4)"), "{text}");
    }

    #[test]
    fn what_cannot_be_asked_is_said() {
        let pair = (DType::Float32, DType::Int8);
        let said = linear(&node(true, pair, "x"), &["1".into()]).expect_err("wrong");
        assert!(format!("{said:#}").starts_with("--scale: 'x' is neither"), "{said:#}");
        let mut node = node(true, pair, "1");
        node.node.opset = 9;
        let said = linear(&node, &["1".into()]).expect_err("wrong").to_string();
        assert!(said.starts_with("QuantizeLinear: "), "{said}");
    }
}
