//! Linear quantisation by Castproof's own implementation.

use super::testee::{Reply, Returned};
use castproof_impl::{LinearNode, dynamic_quantize};
use castproof_vectors::{DynamicLinear, Linear, pack};

/// Runs `QuantizeLinear` or `DequantizeLinear`.
pub(super) fn linear(question: &Linear, is_quantised: bool) -> Reply<Returned> {
    reply(ran(question, is_quantised))
}

fn ran(question: &Linear, is_quantised: bool) -> Result<Vec<u8>, String> {
    let codes = question.codes(if is_quantised { question.to } else { question.from })?;
    let axis = question.axis.unwrap_or(1);
    let node = LinearNode::new([question.from, question.scale, question.to])
        .placed((&question.shape, &question.scale_shape), axis, question.block_size.unwrap_or(0))
        .saturate(question.saturate.unwrap_or(true))
        .precision(question.precision);
    let inputs = (&codes.input[..], &codes.scales[..], codes.zero_points.as_deref());
    let mut output = vec![0; codes.input.len()];
    let run = if is_quantised { LinearNode::quantize } else { LinearNode::dequantize };
    run(&node, inputs, &mut output).map_err(|error| error.to_string())?;
    pack(question.to, &output)
}

/// Runs `DynamicQuantizeLinear`.
pub(super) fn dynamic_quantize_linear(question: &DynamicLinear) -> Reply<Returned> {
    let run = || {
        let numbers: Vec<f32> =
            question.codes()?.iter().map(|&code| f32::from_bits(code as u32)).collect();
        let mut elements = vec![0; numbers.len()];
        let (scale, zero_point) =
            dynamic_quantize(&numbers, &mut elements).map_err(|error| error.to_string())?;
        Ok([&scale.to_le_bytes()[..], &[zero_point], &elements].concat())
    };
    reply(run())
}

fn reply(ran: Result<Vec<u8>, String>) -> Reply<Returned> {
    match ran {
        Ok(bytes) => Reply::Output(Returned { bytes, ..Returned::default() }),
        Err(error) => Reply::Error(error),
    }
}
