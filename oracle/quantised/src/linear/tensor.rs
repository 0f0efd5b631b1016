//! A node of linear quantisation with its inputs, and which scale belongs to which element.

use crate::error::QuestionError;
use castproof_vectors::{DType, element_count};

/// One node of ONNX `QuantizeLinear` or `DequantizeLinear` with its inputs, as codes.
#[derive(Clone, Debug)]
pub struct LinearTensor<'a> {
    /// The operator set.
    pub opset: u32,
    /// Dtypes of the input, of the scales and of the output.
    pub dtypes: [DType; 3],
    /// Sizes of the input.
    pub shape: &'a [u64],
    /// Sizes of the scales and of the zero points: none for one scale, one for a scale along the axis,
    /// as many as the input has for blocks.
    pub scale_shape: &'a [u64],
    /// The attribute `axis`; 1 if it is not given.
    pub axis: i64,
    /// The attribute `block_size`; 0 if it is not given.
    pub block_size: u64,
    /// The attribute `saturate`; true if it is not given.
    pub saturate: bool,
    /// The attribute `precision`, where it is given.
    pub precision: Option<DType>,
    /// The elements.
    pub input: &'a [u64],
    /// The scales.
    pub scales: &'a [u64],
    /// The zero points, where they are given, of the dtype on the quantised side.
    pub zero_points: Option<&'a [u64]>,
}

/// How the scales lie over a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grain {
    /// One scale for all.
    Tensor,
    /// A scale for each place along one axis.
    Axis(usize),
    /// A scale for so many places along one axis, and for each place along the others.
    Blocks { axis: usize, size: u64 },
}

impl LinearTensor<'_> {
    /// Reads the shapes. `zero_point` is the dtype of the zero points.
    ///
    /// # Errors
    /// If inputs and shapes differ in length, a code is too wide, or the shape of the scales fits no
    /// granularity, or fits two.
    pub(super) fn grain(&self, zero_point: DType) -> Result<Grain, QuestionError> {
        let [from, scale, _] = self.dtypes;
        let zero_points = self.zero_points.map(|codes| (codes, zero_point, self.scale_shape));
        let inputs = [(self.input, from, self.shape), (self.scales, scale, self.scale_shape)];
        for (codes, dtype, shape) in inputs.into_iter().chain(zero_points) {
            if element_count(shape) != Ok(codes.len()) {
                return Err(QuestionError(format!(
                    "shape {shape:?} does not hold {} codes",
                    codes.len()
                )));
            }
            if let Some(code) = codes.iter().find(|&&code| code & !dtype.code_mask() != 0) {
                return Err(QuestionError(format!("{code:#x} does not fit the bits of {dtype}")));
            }
        }
        let LinearTensor { opset, shape, scale_shape, .. } = self;
        let wrong = |what| Err(QuestionError(format!("scales of shape {scale_shape:?}: {what}")));
        if scale_shape.is_empty() {
            return Ok(Grain::Tensor);
        }
        let rank = shape.len() as i64;
        if !(-rank..rank).contains(&self.axis) {
            return wrong("the input has no such axis");
        }
        let axis = self.axis.rem_euclid(rank) as usize;
        if let ([length], 0) = (scale_shape, self.block_size) {
            return match *length == shape[axis] {
                _ if *opset < 13 => wrong("version 10 has one scale"),
                // The text of axis says that such an input has one scale.
                true if rank == 1 => wrong("the text contradicts itself for inputs of rank 1"),
                true => Ok(Grain::Axis(axis)),
                false => wrong("they do not lie along the axis"),
            };
        }
        let size = self.block_size.max(1);
        let due = shape.iter().enumerate().map(|(place, &side)| match place == axis {
            true => side.div_ceil(size),
            false => side,
        });
        if self.block_size == 0 || *opset < 21 || !due.eq(scale_shape.iter().copied()) {
            return wrong("they are not those of blocks");
        }
        Ok(Grain::Blocks { axis, size })
    }

    /// The place of the scale of an element.
    pub(super) fn place_of_scale(&self, grain: Grain, element: usize) -> usize {
        let coordinate = |axis: usize| {
            let inner: u64 = self.shape[axis + 1..].iter().product();
            element as u64 / inner % self.shape[axis]
        };
        match grain {
            Grain::Tensor => 0,
            Grain::Axis(axis) => coordinate(axis) as usize,
            Grain::Blocks { axis, size } => {
                let along = |at| if at == axis { coordinate(at) / size } else { coordinate(at) };
                let sides = self.scale_shape.iter().enumerate();
                sides.fold(0, |place, (at, side)| place * side + along(at)) as usize
            }
        }
    }
}
