//! `DequantizeLinear`.

use super::due::Due;
use super::known::{first_quantised, known};
use super::quantize::expectation;
use super::steps::{IN_FLOAT32, Operation, Reading, positive, rounded};
use super::tensor::{Grain, LinearTensor};
use crate::error::QuestionError;
use castproof_oracle::decode::decode;
use castproof_oracle::format::{CodeKind, FLOAT32, FloatFormat, float_format, kind};
use castproof_oracle::number::Rational;
use castproof_oracle::overflow::Nearest;
use castproof_oracle::{Value, encode};
use castproof_vectors::{DType, Expectation, Outcome, rule};

/// Returns what `DequantizeLinear` must make of each element.
///
/// # Errors
/// If the version lacks a dtype or an attribute, the inputs do not fit each other, or the zero point of
/// a float or of int32 is not zero, which no text gives a meaning.
pub fn dequantize_linear(tensor: &LinearTensor) -> Result<Vec<Expectation>, QuestionError> {
    let [from, scale, to] = tensor.dtypes;
    check(tensor)?;
    let grain = tensor.grain(from)?;
    let of_grain = match grain {
        Grain::Tensor => None,
        Grain::Axis(_) => Some(rule::DL_07),
        Grain::Blocks { .. } => Some(rule::DL_08),
    };
    let of_scale = (scale == DType::Float8E8M0).then_some(rule::DL_04);
    let [source, scale, target] = [from, scale, to].map(|dtype| kind(dtype).expect("numeric"));
    let format = float_format(to).expect("checked");
    let element = |(place, &code): (usize, &u64)| {
        let at = tensor.place_of_scale(grain, place);
        let value = |code| decode(&source, code).expect("every code has a value");
        let zero = tensor
            .zero_points
            .map_or_else(Rational::new, |zeros| value(zeros[at]).number().expect("checked"));
        let difference = match (value(code), source) {
            (Value::Finite { negative, magnitude }, CodeKind::Integer(_)) => {
                let own = if negative { -magnitude } else { magnitude };
                Value::from_number(own - zero)
            }
            (own, _) => own,
        };
        let factor = positive(&decode(&scale, tensor.scales[at]).expect("every code has a value"));
        let mut due = match factor {
            Some(factor) => product(tensor.opset, &format, &difference, &factor),
            None => Due::new(Outcome::Any, rule::DL_10),
        };
        due.rule = due.rule.max(of_scale.unwrap_or(due.rule));
        expectation(due, of_grain, &target)
    };
    Ok(tensor.input.iter().enumerate().map(element).collect())
}

fn check(tensor: &LinearTensor) -> Result<(), QuestionError> {
    use DType::{Bfloat16, Float8E8M0, Float16, Float32, Int32};
    let (opset, [from, scale, to]) = (tensor.opset, tensor.dtypes);
    let wide = |dtype| match dtype {
        Float32 => Some(10),
        Float16 | Bfloat16 => Some(19),
        _ => None,
    };
    let of_scale = if scale == Float8E8M0 { Some(24) } else { wide(scale) };
    let of_input = if from == Int32 { Some(10) } else { first_quantised(from) };
    known("input", from, of_input, opset)?;
    known("scale", scale, of_scale, opset)?;
    known("output", to, wide(to), opset)?;
    if opset < 23 && scale != to {
        return Err(QuestionError(format!("opset {opset} has no output of {to} for {scale}")));
    }
    if tensor.precision.is_some() {
        return Err(QuestionError("DequantizeLinear has no precision".into()));
    }
    let has_open_zero = from == Int32 || float_format(from).is_some();
    if has_open_zero && tensor.zero_points.is_some_and(|zeros| zeros.iter().any(|&it| it != 0)) {
        return Err(QuestionError(format!(
            "a zero point of {from} other than zero has no meaning"
        )));
    }
    Ok(())
}

/// What the readings make of a difference and its scale.
fn product(opset: u32, format: &FloatFormat, difference: &Value, factor: &Rational) -> Due {
    let of = |reading| match Operation::Product.of(difference, factor, reading) {
        Some(product) => code(format, &product),
        None => Due::new(Outcome::Any, rule::DL_10),
    };
    let own = of(Reading::Cast(*format)).and(of(Reading::Once(*format)));
    // The operands of the reference evaluator are of float32, as is its product.
    let difference = rounded(difference, &FLOAT32);
    let twice = match Operation::Product.of(&difference, factor, IN_FLOAT32) {
        Some(product) => code(format, &product),
        None => Due::new(Outcome::Any, rule::DL_10),
    };
    let (mut due, silent) = match opset {
        ..23 => (own.and(twice), rule::DL_02),
        _ => (own.tolerating(twice), rule::DL_03),
    };
    if due.rule == rule::DL_09 && matches!(difference, Value::Finite { .. }) {
        due.rule = rule::DL_05;
    }
    let outcomes = || due.expect.iter().chain(&due.tolerate);
    let is_plain = due.rule == rule::DL_01;
    if is_plain && outcomes().any(|outcome| *outcome != due.expect[0]) {
        due.rule = silent;
    }
    due
}

/// The element of a product.
fn code(format: &FloatFormat, product: &Value) -> Due {
    match product {
        Value::Nan { .. } => Due::new(Outcome::AnyNan, rule::DL_09),
        Value::Infinite { negative } => {
            Due::new(Outcome::Code(encode::infinity(format, *negative)), rule::DL_09)
        }
        Value::Finite { negative, magnitude } => {
            let nearest = Nearest::new(magnitude, format);
            if nearest.overflows {
                return Due::new(Outcome::Code(encode::infinity(format, *negative)), rule::DL_05);
            }
            let due = Due::new(Outcome::Code(nearest.clamped(format, *negative)), rule::DL_01);
            if nearest.code != 0 || !negative {
                return due;
            }
            let positive = Due::new(Outcome::Code(0), rule::DL_06);
            Due { rule: rule::DL_06, ..due }.tolerating(positive)
        }
    }
}
