//! Linear quantisation: the oracle against a second way, which was written apart from it, and against
//! values that the onnx package has or that were run.

mod second;
mod values;

use castproof_quantised::linear::{LinearTensor, dequantize_linear, quantize_linear};
use castproof_vectors::{DType, Expectation};

/// One scale and at most one zero point for all elements.
struct One {
    opset: u32,
    dtypes: [DType; 3],
    scale: u64,
    zero_point: Option<u64>,
    precision: Option<DType>,
    saturate: bool,
}

impl One {
    fn of(opset: u32, dtypes: [DType; 3], scale: u64, zero_point: Option<u64>) -> One {
        One { opset, dtypes, scale, zero_point, precision: None, saturate: true }
    }

    fn ask(
        &self,
        input: &[u64],
        way: impl Fn(&LinearTensor) -> Vec<Expectation>,
    ) -> Vec<Expectation> {
        let zero_points = self.zero_point.map(|code| [code]);
        way(&LinearTensor {
            opset: self.opset,
            dtypes: self.dtypes,
            shape: &[input.len() as u64],
            scale_shape: &[],
            axis: 1,
            block_size: 0,
            saturate: self.saturate,
            precision: self.precision,
            input,
            scales: &[self.scale],
            zero_points: zero_points.as_ref().map(|codes| &codes[..]),
        })
    }

    fn quantised(&self, input: &[u64]) -> Vec<Expectation> {
        self.ask(input, |tensor| quantize_linear(tensor).expect("a question"))
    }

    fn dequantised(&self, input: &[u64]) -> Vec<Expectation> {
        self.ask(input, |tensor| dequantize_linear(tensor).expect("a question"))
    }
}
