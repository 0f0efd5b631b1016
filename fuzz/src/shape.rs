//! Promotion and bitcast shapes.

use crate::input::Choice;
use arbitrary::Arbitrary;
use castproof_impl::{Reshape, promote, promote_number, reshape};
use castproof_oracle::bitcast_shape;
use castproof_vectors::{DType, Number, Operand, System, element_count};

/// Any two operands: a dtype, and a dtype or a kind of number.
#[derive(Debug, Arbitrary)]
pub struct PromoteInput {
    tensor: Choice<{ DType::ALL.len() }>,
    with: Choice<{ DType::ALL.len() + Number::ALL.len() }>,
}

/// The rule of the implementation and the table of the oracle agree, in both orders.
///
/// # Panics
/// If that does not hold.
pub fn check_promote(input: &PromoteInput) {
    let tensor = DType::ALL[input.tensor.0];
    let promoted = |tensor, with| castproof_oracle::promote(tensor, with).0;
    match DType::ALL.get(input.with.0) {
        Some(&other) => {
            let expected = promoted(tensor, Operand::Tensor(other));
            assert_eq!(promote(tensor, other), expected, "{tensor} {other}");
            assert_eq!(promote(other, tensor), expected, "{other} {tensor}");
        }
        None => {
            let number = Number::ALL[input.with.0 - DType::ALL.len()];
            let expected = promoted(tensor, Operand::Number(number));
            assert_eq!(promote_number(tensor, number), expected, "{tensor} {number:?}");
        }
    }
}

/// Any bitcast: system, dtypes, shape.
#[derive(Debug, Arbitrary)]
pub struct BitcastInput<'a> {
    system: Choice<2>,
    from: Choice<{ DType::ALL.len() }>,
    to: Choice<{ DType::ALL.len() }>,
    shape: &'a [u8],
}

/// Implementation and oracle agree on the shape, and the bits stay as many.
///
/// # Panics
/// If that does not hold.
pub fn check_bitcast(input: &BitcastInput<'_>) {
    let system = [System::Tensorflow, System::Onnx][input.system.0];
    let (from, to) = (DType::ALL[input.from.0], DType::ALL[input.to.0]);
    let shape: Vec<u64> = input.shape.iter().map(|&size| u64::from(size % 20)).collect();
    let got = match reshape(system, from, to, &shape) {
        Ok(Reshape::Keep) => Some(shape.clone()),
        Ok(Reshape::Append(size)) => Some([&shape[..], &[size]].concat()),
        Ok(Reshape::DropLast) => shape.split_last().map(|(_, rest)| rest.to_vec()),
        Err(error) => {
            crate::assert_one_line(&error.to_string());
            None
        }
    };
    let (expected, clause) = bitcast_shape(system, from, to, &shape);
    assert_eq!(got, expected, "{system:?} {from}{shape:?} -> {to} by {clause}");
    if let Some(output) = expected {
        // `None` where they are too many to count.
        let bits = |shape: &[u64], dtype: DType| {
            element_count(shape).ok()?.checked_mul(dtype.bits() as usize)
        };
        assert_eq!(bits(&shape, from), bits(&output, to), "{from}{shape:?} -> {to}{output:?}");
    }
}
