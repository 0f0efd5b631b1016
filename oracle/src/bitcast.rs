//! Bitcasts: shapes and bytes.

use castproof_vectors::{DType, RuleId, System, rule, tensor_len};

/// A tensor: its sizes, and its elements packed and little-endian.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitcastTensor {
    /// Sizes.
    pub shape: Vec<u64>,
    /// Elements.
    pub bytes: Vec<u8>,
}

/// TF-B01
const TENSORFLOW: [DType; 19] = [
    DType::Bfloat16,
    DType::Float16,
    DType::Float32,
    DType::Float64,
    DType::Int64,
    DType::Int32,
    DType::Uint8,
    DType::Uint16,
    DType::Uint32,
    DType::Uint64,
    DType::Int8,
    DType::Int16,
    DType::Complex64,
    DType::Complex128,
    DType::Qint8,
    DType::Quint8,
    DType::Qint16,
    DType::Quint16,
    DType::Qint32,
];

/// OX-B01
const ONNX: [DType; 25] = [
    DType::Bool,
    DType::Int2,
    DType::Uint2,
    DType::Int4,
    DType::Uint4,
    DType::Int8,
    DType::Uint8,
    DType::Int16,
    DType::Uint16,
    DType::Int32,
    DType::Uint32,
    DType::Int64,
    DType::Uint64,
    DType::Float4E2M1,
    DType::Float8E4M3FN,
    DType::Float8E4M3FNUZ,
    DType::Float8E5M2,
    DType::Float8E5M2FNUZ,
    DType::Float8E8M0,
    DType::Float16,
    DType::Bfloat16,
    DType::Float32,
    DType::Float64,
    DType::Complex64,
    DType::Complex128,
];

/// The dtypes that TensorFlow's bitcast lacks.
const NOT_OF_TENSORFLOW: [DType; 14] = [
    DType::Bool,
    DType::Int2,
    DType::Uint2,
    DType::Int4,
    DType::Uint4,
    DType::Float4E2M1,
    DType::Float6E2M3,
    DType::Float6E3M2,
    DType::Float8E4M3FN,
    DType::Float8E4M3FNUZ,
    DType::Float8E5M2,
    DType::Float8E5M2FNUZ,
    DType::Float8E8M0,
    DType::String,
];

/// The dtypes that ONNX's bitcast lacks.
const NOT_OF_ONNX: [DType; 8] = [
    DType::Float6E2M3,
    DType::Float6E3M2,
    DType::String,
    DType::Qint8,
    DType::Quint8,
    DType::Qint16,
    DType::Quint16,
    DType::Qint32,
];

// A dtype that is forgotten in a list does not compile.
const _: () = {
    assert!(are_all(&TENSORFLOW, &NOT_OF_TENSORFLOW), "one of the lists of TensorFlow names each");
    assert!(are_all(&ONNX, &NOT_OF_ONNX), "one of the lists of ONNX names each dtype");
};

/// Is every dtype in one of two lists, and none in both or twice?
const fn are_all(has: &[DType], lacks: &[DType]) -> bool {
    let mut seen = [false; DType::ALL.len()];
    let mut place = 0;
    while place < has.len() + lacks.len() {
        let dtype = if place < has.len() { has[place] } else { lacks[place - has.len()] };
        if seen[dtype as usize] {
            return false;
        }
        seen[dtype as usize] = true;
        place += 1;
    }
    has.len() + lacks.len() == DType::ALL.len()
}

/// The dtypes of a system's bitcast, as input and as output.
pub fn bitcast_dtypes(system: System) -> &'static [DType] {
    match system {
        System::Tensorflow => &TENSORFLOW,
        System::Onnx => &ONNX,
    }
}

/// Returns the shape after a bitcast, `None` if the request is refused; and the rule. The bytes do
/// not change.
pub fn bitcast_shape(
    system: System,
    from: DType,
    to: DType,
    shape: &[u64],
) -> (Option<Vec<u64>>, RuleId) {
    match system {
        System::Tensorflow => tensorflow(from, to, shape),
        System::Onnx => onnx(from, to, shape),
    }
}

/// Bitcasts a tensor: returns the same bytes in another shape, or a refusal.
///
/// # Errors
/// If the tensor's bytes are not those of its shape.
pub fn bitcast(
    system: System,
    from: DType,
    to: DType,
    tensor: &BitcastTensor,
) -> Result<(Option<BitcastTensor>, RuleId), String> {
    let (shape, rule) = bitcast_shape(system, from, to, &tensor.shape);
    if from != DType::String {
        let due = tensor_len(from, &tensor.shape)?;
        if tensor.bytes.len() != due {
            let (shape, actual) = (&tensor.shape, tensor.bytes.len());
            return Err(format!("{from} of shape {shape:?} takes {due} bytes, not {actual}"));
        }
    }
    // OX-B08: the byte is kept, though it is not a bool.
    let odd_bool = to == DType::Bool && tensor.bytes.iter().any(|&byte| byte > 1);
    let rule = if odd_bool && shape.is_some() { rule::OX_B08 } else { rule };
    Ok((shape.map(|shape| BitcastTensor { shape, bytes: tensor.bytes.clone() }), rule))
}

fn tensorflow(from: DType, to: DType, shape: &[u64]) -> (Option<Vec<u64>>, RuleId) {
    if !TENSORFLOW.contains(&from) || !TENSORFLOW.contains(&to) {
        return (None, rule::TF_B02);
    }
    let (wide, narrow) = (u64::from(from.bits()), u64::from(to.bits()));
    let (from_complex, to_complex) = (from.part().is_some(), to.part().is_some());
    if wide == narrow {
        return (Some(shape.to_vec()), rule::TF_B03);
    }
    if wide > narrow {
        let rule = match shape {
            [] => rule::TF_B10,
            _ if shape.contains(&0) => rule::TF_B09,
            _ if from_complex && to_complex => rule::TF_B16,
            _ if from_complex => rule::TF_B15,
            _ => rule::TF_B04,
        };
        return (Some([shape, &[wide / narrow]].concat()), rule);
    }
    let Some((&last, rest)) = shape.split_last() else { return (None, rule::TF_B06) };
    let real_to_complex = to_complex && !from_complex;
    if last != narrow / wide {
        return (None, if real_to_complex { rule::TF_B14 } else { rule::TF_B07 });
    }
    let rule = match rest {
        _ if rest.contains(&0) => rule::TF_B08,
        _ if real_to_complex => rule::TF_B13,
        _ => rule::TF_B05,
    };
    (Some(rest.to_vec()), rule)
}

fn onnx(from: DType, to: DType, shape: &[u64]) -> (Option<Vec<u64>>, RuleId) {
    if !ONNX.contains(&from) || !ONNX.contains(&to) {
        return (None, rule::OX_B01);
    }
    if from.bits() != to.bits() {
        return (None, rule::OX_B03);
    }
    let complex = from.part().is_some() || to.part().is_some();
    let rule = match from.bits() {
        _ if shape.is_empty() || shape.contains(&0) => rule::OX_B11,
        128 => rule::OX_B07,
        64 if complex => rule::OX_B06,
        ..8 => rule::OX_B10,
        8.. => rule::OX_B02,
    };
    (Some(shape.to_vec()), rule)
}
