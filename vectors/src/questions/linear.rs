//! Questions about linear quantisation: tensors with scales and zero points, as ONNX has them.

use crate::{Bytes, DType, OutcomeRecord, element_count, pack, tensor_len, unpack};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One node of ONNX `QuantizeLinear` or `DequantizeLinear` with its inputs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Linear {
    /// The operator set.
    pub opset: u32,
    /// Dtype of the input.
    pub from: DType,
    /// Dtype of the output.
    pub to: DType,
    /// Dtype of the scales.
    pub scale: DType,
    /// Sizes of the input.
    pub shape: Vec<u64>,
    /// Sizes of the scales: none for one scale, one for a scale along the axis, as many as the input
    /// has for blocks. The zero points have the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scale_shape: Vec<u64>,
    /// The attribute `axis`, where it is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<i64>,
    /// The attribute `block_size`, where it is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_size: Option<u64>,
    /// The attribute `saturate`, where it is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saturate: Option<bool>,
    /// The attribute `precision`, where it is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<DType>,
    /// Is the attribute `output_dtype` given? It then is `to`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub output_dtype: bool,
    /// The elements, packed and little-endian.
    pub input: Bytes,
    /// The scales.
    pub scales: Bytes,
    /// The zero points, where they are given: of `to` for `QuantizeLinear`, of `from` for
    /// `DequantizeLinear`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zero_points: Option<Bytes>,
}

/// The elements that a question about quantisation is made of, as codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinearCodes {
    /// The elements of the input.
    pub input: Vec<u64>,
    /// The scales.
    pub scales: Vec<u64>,
    /// The zero points, where they are given.
    pub zero_points: Option<Vec<u64>>,
}

impl Linear {
    /// Returns how many elements there are.
    pub fn count(&self) -> usize {
        element_count(&self.shape).unwrap_or(0)
    }

    /// Returns the length of an answer.
    pub fn answer_len(&self) -> usize {
        tensor_len(self.to, &self.shape).unwrap_or(0)
    }

    /// Returns the axis along which scales lie, counted from the first; `None` in a node with one scale, and if the shape has
    /// no such axis.
    pub fn axis_of_scales(&self) -> Option<usize> {
        let (rank, axis) = (self.shape.len() as i64, self.axis.unwrap_or(1));
        let axis = if axis < 0 { axis + rank } else { axis };
        let is_there = !self.scale_shape.is_empty() && (0..rank).contains(&axis);
        is_there.then_some(axis as usize)
    }

    /// Returns the place of an element along the axis of the scales, and the number of its scale, which there may not be in
    /// a damaged node. Both are 0 in a node with one scale, and if the shape has no such axis.
    pub fn place(&self, element: usize) -> (usize, usize) {
        let Some(axis) = self.axis_of_scales() else { return (0, 0) };
        let inner = self.shape[axis + 1..].iter().product::<u64>() as usize;
        let length = self.shape[axis] as usize;
        let (outer, along) = (element / inner / length, element / inner % length);
        let scale = match self.block_size {
            None | Some(0) => along,
            Some(size) => {
                let size = size as usize;
                (outer * length.div_ceil(size) + along / size) * inner + element % inner
            }
        };
        (along, scale)
    }

    /// Returns the codes of all inputs. `zero_point` is the dtype of the zero points.
    ///
    /// # Errors
    /// If the bytes of one of them are not those of its shape.
    pub fn codes(&self, zero_point: DType) -> Result<LinearCodes, String> {
        let scales = element_count(&self.scale_shape)?;
        let zero_points = self.zero_points.as_ref();
        Ok(LinearCodes {
            input: unpack(self.from, &self.input.0, element_count(&self.shape)?)?,
            scales: unpack(self.scale, &self.scales.0, scales)?,
            zero_points: zero_points.map(|it| unpack(zero_point, &it.0, scales)).transpose()?,
        })
    }

    /// Returns the bytes of all inputs, one after the other.
    pub fn payload(&self) -> Vec<u8> {
        let zero_points = self.zero_points.as_ref().map_or(&[][..], |it| &it.0);
        [&self.input.0, &self.scales.0, zero_points].concat()
    }

    /// Returns this question with the inputs of a payload. `zero_point` is the dtype of the zero points;
    /// `None` if there are none.
    ///
    /// # Errors
    /// If the payload has another length.
    pub fn with_payload(self, zero_point: Option<DType>, payload: &[u8]) -> Result<Linear, String> {
        let input = tensor_len(self.from, &self.shape)?;
        let scales = tensor_len(self.scale, &self.scale_shape)?;
        let zero_points = zero_point.map(|it| tensor_len(it, &self.scale_shape)).transpose()?;
        let due = input.saturating_add(scales).saturating_add(zero_points.unwrap_or(0));
        if payload.len() != due {
            return Err(format!("the inputs take {due} bytes, not {}", payload.len()));
        }
        let (input, rest) = payload.split_at(input);
        let (scales, rest) = rest.split_at(scales);
        Ok(Linear {
            input: Bytes(input.to_vec()),
            scales: Bytes(scales.to_vec()),
            zero_points: zero_points.map(|_| Bytes(rest.to_vec())),
            ..self
        })
    }

    pub(crate) fn check(&self, zero_point: DType) -> Result<(), String> {
        self.codes(zero_point).map(|_| ())
    }
}

impl fmt::Display for Linear {
    /// `25 float16[2, 3] -> int8 by float32[3] axis=0 block_size=2 saturate=0 precision=float32`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Linear { opset, from, to, scale, shape, scale_shape, .. } = self;
        write!(f, "{opset} {from}{shape:?} -> {to} by {scale}{scale_shape:?}")?;
        let saturate = self.saturate.map(|on| u8::from(on).to_string());
        let members = [
            ("axis", self.axis.map(|axis| axis.to_string())),
            ("block_size", self.block_size.map(|size| size.to_string())),
            ("saturate", saturate),
            ("precision", self.precision.map(|dtype| dtype.to_string())),
        ];
        members.into_iter().try_for_each(|(name, value)| match value {
            Some(value) => write!(f, " {name}={value}"),
            None => Ok(()),
        })
    }
}

/// A tensor of float32 that ONNX `DynamicQuantizeLinear` quantises.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DynamicLinear {
    /// Sizes of the input.
    pub shape: Vec<u64>,
    /// Its elements, of float32.
    pub input: Bytes,
}

impl DynamicLinear {
    /// Returns the codes of the elements.
    ///
    /// # Errors
    /// If the bytes are not those of the shape.
    pub fn codes(&self) -> Result<Vec<u64>, String> {
        unpack(DType::Float32, &self.input.0, element_count(&self.shape)?)
    }

    /// Returns the length of an answer: a scale of float32, a zero point of uint8, elements of uint8.
    pub fn answer_len(&self) -> usize {
        DynamicLinear::HEAD + element_count(&self.shape).unwrap_or(0)
    }

    /// The bytes of scale and zero point.
    pub const HEAD: usize = 5;
}

/// The elements of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LinearAnswer {
    /// What is due of each, in order.
    pub elements: Vec<OutcomeRecord>,
}

/// An answer of `DynamicQuantizeLinear`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DynamicAnswer {
    /// What is due of the scale, of float32.
    pub scale: OutcomeRecord,
    /// What is due of the zero point, of uint8.
    pub zero_point: OutcomeRecord,
    /// What is due of each element, of uint8.
    pub elements: Vec<OutcomeRecord>,
}

/// Packs codes as the bytes of a question.
///
/// # Errors
/// As [`pack`].
pub fn packed(dtype: DType, codes: &[u64]) -> Result<Bytes, String> {
    pack(dtype, codes).map(Bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_read_as_they_are_written() {
        let linear = Linear {
            opset: 21,
            from: DType::Float32,
            to: DType::Int4,
            scale: DType::Float32,
            shape: vec![3],
            scale_shape: vec![3],
            axis: Some(0),
            block_size: None,
            saturate: None,
            precision: None,
            output_dtype: false,
            input: packed(DType::Float32, &[1, 2, 3]).expect("codes"),
            scales: packed(DType::Float32, &[4, 5, 6]).expect("codes"),
            zero_points: Some(packed(DType::Int4, &[7, 8, 9]).expect("codes")),
        };
        let (payload, empty) = (linear.payload(), Bytes::default());
        let bare =
            Linear { input: empty.clone(), scales: empty, zero_points: None, ..linear.clone() };
        let read = |length: usize| bare.clone().with_payload(Some(DType::Int4), &payload[..length]);
        assert_eq!(read(26), Ok(linear.clone()));
        assert_eq!(read(25), Err("the inputs take 26 bytes, not 25".into()));
        assert_eq!(linear.codes(DType::Int4).expect("codes").zero_points, Some(vec![7, 8, 9]));
        assert_eq!(linear.answer_len(), 2);

        // Element [1, 4, 2] of 2 by 5 by 3: its block of 2 is the third along the axis, its scale the last of 2 by 3 by 3.
        let shape = vec![2, 5, 3];
        let blocks = Linear { shape, scale_shape: vec![2, 3, 3], axis: Some(-2), ..linear };
        let blocks = Linear { block_size: Some(2), ..blocks };
        assert_eq!([0, 3, 29].map(|at| blocks.place(at)), [(0, 0), (1, 0), (4, 17)]);
        let along = Linear { scale_shape: vec![5], axis: None, block_size: None, ..blocks };
        assert_eq!([0, 3, 29].map(|at| along.place(at)), [(0, 0), (1, 1), (4, 4)]);
        // Damaged nodes have places, too: a file that holds one is judged, not the end of the program.
        assert_eq!(Linear { block_size: Some(0), ..along.clone() }.place(29), (4, 4));
        assert_eq!(Linear { axis: Some(7), ..along.clone() }.place(29), (0, 0));
        assert_eq!(Linear { scale_shape: vec![], ..along }.place(29), (0, 0));
    }
}
