//! One node of ONNX's linear quantisation with a scale for all its numbers.

use crate::element::{self, ElementRead};
use anyhow::{Context as _, Result, anyhow, bail};
use castproof_quantised::linear::{LinearTensor, dequantize_linear, quantize_linear};
use castproof_vectors::{DType, Expectation, NEWEST, OutcomeRecord};
use serde_json::json;

/// The first words of an error about the scale, and about the zero point.
pub const OF_SCALE: &str = "scale";
/// As [`OF_SCALE`].
pub const OF_ZERO_POINT: &str = "zero point";

/// A node of `QuantizeLinear` or `DequantizeLinear`.
#[derive(Clone, Debug)]
pub struct QuantizationNode {
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
}

/// What a node must make of numbers.
#[derive(Clone, Debug)]
pub struct NodeResults {
    /// The code of the scale.
    pub scale: u64,
    /// The code of the zero point, if one is given.
    pub zero_point: Option<u64>,
    /// The inputs.
    pub inputs: Vec<ElementRead>,
    /// What is due of each.
    pub due: Vec<Expectation>,
}

impl QuantizationNode {
    /// Returns the name of the operator.
    pub fn name(&self) -> &'static str {
        if self.quantizes { "QuantizeLinear" } else { "DequantizeLinear" }
    }

    /// Returns the dtype of the quantised side, which the zero point has too.
    pub fn quantised(&self) -> DType {
        if self.quantizes { self.to } else { self.from }
    }
}

/// Returns what the node must make of numbers. A number that the input dtype of `QuantizeLinear` does not hold is rounded to
/// nearest even.
///
/// # Errors
/// If a text is no element, or the version has no such node.
pub fn linear(node: &QuantizationNode, texts: &[String]) -> Result<NodeResults> {
    if texts.is_empty() {
        bail!("no elements: write castproof quantize-linear --scale 0.3 --to int8 -38.25");
    }
    if node.opset > NEWEST {
        bail!("opset {} is not known; the newest known is {NEWEST}", node.opset);
    }
    let (dtype, scale) = &node.scale;
    let scale = element::element(*dtype, scale, true).context(OF_SCALE)?.code;
    let quantised = node.quantised();
    let zero = node.zero_point.as_ref();
    let zero = zero.map(|text| element::element(quantised, text, false)).transpose();
    let zero = zero.context(OF_ZERO_POINT)?.map(|it| it.code);
    let read = |text: &String| element::element(node.from, text, node.quantizes);
    let inputs: Vec<ElementRead> = texts.iter().map(read).collect::<Result<_>>()?;
    let codes: Vec<u64> = inputs.iter().map(|it| it.code).collect();
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
    let due = due.map_err(|error| anyhow!("{}: {error}", node.name()))?;
    Ok(NodeResults { scale, zero_point: zero, inputs, due })
}

impl NodeResults {
    /// Returns one JSON object for each element, a line each.
    pub fn json(&self, node: &QuantizationNode) -> String {
        let mut text = String::new();
        for (read, due) in self.inputs.iter().zip(&self.due) {
            json_line(&mut text, node, read.code, due);
        }
        text
    }
}

fn json_line(text: &mut String, node: &QuantizationNode, code: u64, due: &Expectation) {
    let record = |outcome| OutcomeRecord::new(outcome, node.to);
    let mut object = json!({
        "input": node.from.hex(code),
        "expect": record(&due.expect),
        "clause": due.rule.to_string(),
    });
    if let Some(tolerate) = &due.tolerate {
        object["tolerate"] = json!(record(tolerate));
    }
    text.push_str(&object.to_string());
    text.push('\n');
}
