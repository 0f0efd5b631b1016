//! `DynamicQuantizeLinear`.

use super::quantize::quantize_linear;
use super::steps::rounded;
use super::tensor::LinearTensor;
use crate::error::QuestionError;
use castproof_oracle::decode::decode;
use castproof_oracle::format::{CodeKind, FLOAT32};
use castproof_oracle::number::Rational;
use castproof_oracle::overflow::Nearest;
use castproof_oracle::round::{MagnitudeRounding, to_integer};
use castproof_oracle::{Value, encode};
use castproof_vectors::{DType, Outcome, RuleId, rule};

/// What must become of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dynamic {
    /// The scale, of float32.
    pub scale: Outcome,
    /// The zero point, of uint8.
    pub zero_point: Outcome,
    /// The elements, of uint8.
    pub elements: Vec<Outcome>,
    /// The rule that decides.
    pub rule: RuleId,
}

/// Returns what `DynamicQuantizeLinear` of version 11 must make of numbers of float32.
///
/// # Errors
/// If there are no numbers, or a code is too wide.
pub fn dynamic_quantize_linear(codes: &[u64]) -> Result<Dynamic, QuestionError> {
    if let Some(code) = codes.iter().find(|&&code| code >> 32 != 0) {
        return Err(QuestionError(format!("{code:#x} does not fit the bits of float32")));
    }
    if codes.is_empty() {
        return Err(QuestionError(
            "a tensor without numbers has no range: give at least one".into(),
        ));
    }
    let value =
        |&code: &u64| decode(&CodeKind::Float(FLOAT32), code).and_then(|value| value.number());
    let numbers: Option<Vec<Rational>> = codes.iter().map(value).collect();
    let Some((scale, zero_point)) = numbers.as_deref().and_then(scale_and_zero) else {
        let elements = vec![Outcome::Any; codes.len()];
        return Ok(Dynamic {
            scale: Outcome::Any,
            zero_point: Outcome::Any,
            elements,
            rule: rule::DQ_02,
        });
    };
    let tensor = LinearTensor {
        // The body of the function imports opset 11, whose quotient has no precision: QL-04.
        opset: 11,
        dtypes: [DType::Float32, DType::Float32, DType::Uint8],
        shape: &[codes.len() as u64],
        scale_shape: &[],
        axis: 1,
        block_size: 0,
        saturate: true,
        precision: None,
        input: codes,
        scales: &[scale],
        zero_points: Some(&[zero_point]),
    };
    let elements = quantize_linear(&tensor)?.into_iter().map(|element| element.expect).collect();
    let [scale, zero_point] = [scale, zero_point].map(Outcome::Code);
    Ok(Dynamic { scale, zero_point, elements, rule: rule::DQ_01 })
}

/// The codes of scale and zero point; `None` if they are open.
fn scale_and_zero(numbers: &[Rational]) -> Option<(u64, u64)> {
    let zero = Rational::new();
    let largest = numbers.iter().fold(&zero, |a, b| if b > a { b } else { a });
    let smallest = numbers.iter().fold(&zero, |a, b| if b < a { b } else { a });
    let range = finite(Rational::from(largest - smallest))?;
    let scale = finite(range / Rational::from(255))?;
    if scale == 0 {
        return None;
    }
    // Both steps are of float32, each with one rounding. The smallest number is not above 0.
    let zero_point = finite(Rational::from(-smallest) / &scale)?;
    let zero_point = to_integer(&zero_point, MagnitudeRounding::NearestEven).count;
    let zero_point = zero_point.to_u64().map_or(255, |count| count.min(255));
    Some((encode::magnitude(&FLOAT32, &Nearest::new(&scale, &FLOAT32).rounded), zero_point))
}

/// The float32 nearest to a number that is not negative; `None` if it is infinite.
fn finite(number: Rational) -> Option<Rational> {
    rounded(&Value::Finite { negative: false, magnitude: number }, &FLOAT32).number()
}
