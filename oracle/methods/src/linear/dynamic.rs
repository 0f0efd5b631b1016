//! `DynamicQuantizeLinear`, right or wrong.

use super::catalogue::{Apply, LinearChange, LinearMethod, LinearOperator, ResultTies};
use super::node::{Given, Node};
use castproof_oracle::Value;
use castproof_oracle::decode::decode;
use castproof_oracle::encode;
use castproof_oracle::format::{CodeKind, FloatFormat, float_format};
use castproof_oracle::number::{Integer, Rational};
use castproof_oracle::overflow::Nearest;
use castproof_quantised::linear::steps::{positive, rounded};
use castproof_vectors::{Bytes, DType, Linear, pack};

/// How a scale is found, and what is done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DynamicMethod {
    /// Does the range begin or end at zero, if all numbers have one sign?
    pub with_zero: bool,
    /// Is the range multiplied by 1/255, rounded?
    pub by_product: bool,
    /// How the zero point is rounded.
    pub zero_ties: ResultTies,
    /// Only so many numbers are looked at; `None`: all.
    pub first: Option<usize>,
    /// How elements are quantised.
    pub elements: LinearMethod,
}

/// A step along one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DynamicChange {
    /// The range does not reach to zero.
    WithoutZero,
    /// The scale is a product with the rounded 1/255.
    ByProduct,
    /// The rounding of the zero point.
    ZeroTies(ResultTies),
    /// Only the first numbers are looked at.
    First(usize),
    /// The elements.
    Elements(LinearChange),
}

const CHANGES: [DynamicChange; 15] = [
    DynamicChange::WithoutZero,
    DynamicChange::ByProduct,
    DynamicChange::ZeroTies(ResultTies::Away),
    DynamicChange::ZeroTies(ResultTies::Truncated),
    DynamicChange::ZeroTies(ResultTies::Ceil),
    DynamicChange::ZeroTies(ResultTies::AddedHalf),
    DynamicChange::First(4),
    DynamicChange::First(8),
    DynamicChange::First(16),
    DynamicChange::First(32),
    DynamicChange::Elements(LinearChange::Apply(Apply::Reciprocal)),
    DynamicChange::Elements(LinearChange::Ties(ResultTies::Away)),
    DynamicChange::Elements(LinearChange::Ties(ResultTies::Truncated)),
    DynamicChange::Elements(LinearChange::Ties(ResultTies::Floor)),
    DynamicChange::Elements(LinearChange::Ties(ResultTies::AddedHalf)),
];

/// Returns what is known to happen, the likelier first.
pub fn dynamic_changes() -> &'static [DynamicChange] {
    &CHANGES
}

impl DynamicMethod {
    /// What the body of the function says.
    pub const RIGHT: DynamicMethod = DynamicMethod {
        with_zero: true,
        by_product: false,
        zero_ties: ResultTies::Even,
        first: None,
        elements: LinearMethod::RIGHT,
    };

    /// Returns the method with one change.
    #[must_use]
    pub fn with(mut self, change: DynamicChange) -> DynamicMethod {
        match change {
            DynamicChange::WithoutZero => self.with_zero = false,
            DynamicChange::ByProduct => self.by_product = true,
            DynamicChange::ZeroTies(ties) => self.zero_ties = ties,
            DynamicChange::First(count) => self.first = Some(count),
            DynamicChange::Elements(change) => self.elements = self.elements.with(change),
        }
        self
    }

    /// Returns the codes of the scale, of the zero point and of the elements of numbers of float32; `None` where the
    /// method says nothing of them: one is no number, or the scale is zero or infinite.
    pub fn results(&self, codes: &[u64]) -> Option<(u64, u64, Vec<Given>)> {
        let format = float_format(DType::Float32)?;
        let number = |&code: &u64| decode(&CodeKind::Float(format), code)?.number();
        let seen = &codes[..codes.len().min(self.first.unwrap_or(codes.len()))];
        let all: Vec<Rational> = codes.iter().map(number).collect::<Option<_>>()?;
        let mut seen = all[..seen.len()].to_vec();
        if self.with_zero {
            seen.push(Rational::new());
        }
        let (low, high) = (seen.iter().min()?, seen.iter().max()?);
        let range = finite(Rational::from(high - low), &format)?;
        let scale = if self.by_product {
            finite(range * finite(Rational::from((1, 255)), &format)?, &format)?
        } else {
            finite(range / Rational::from(255), &format)?
        };
        if scale == 0 {
            return None;
        }
        let zero = Rational::from(-low) / &scale;
        let zero = rounded(&Value::from_number(zero), &format);
        let Value::Finite { negative, magnitude } = &zero else { return None };
        let count = self.zero_ties.to_integer(*negative, magnitude).count;
        let count = if *negative { Integer::from(-count) } else { count };
        let zero = Ord::clamp(count, Integer::new(), Integer::from(255)).to_u64()?;
        let scale = encode::magnitude(&format, &Nearest::new(&scale, &format).rounded);
        let node = Node::new(&question(codes, scale, zero)?, LinearOperator::Quantise)?;
        let elements = (0..codes.len()).map(|at| self.elements.element(&node, at)).collect();
        Some((scale, zero, elements))
    }
}

/// The node that quantises the numbers by this scale.
fn question(codes: &[u64], scale: u64, zero: u64) -> Option<Linear> {
    let packed = |dtype, codes: &[u64]| pack(dtype, codes).ok().map(Bytes);
    Some(Linear {
        opset: 11,
        from: DType::Float32,
        to: DType::Uint8,
        scale: DType::Float32,
        shape: vec![codes.len() as u64],
        scale_shape: Vec::new(),
        axis: None,
        block_size: None,
        saturate: None,
        precision: None,
        output_dtype: false,
        input: packed(DType::Float32, codes)?,
        scales: packed(DType::Float32, &[scale])?,
        zero_points: Some(packed(DType::Uint8, &[zero])?),
    })
}

/// The float32 nearest to a number that is not negative; `None` if it is infinite.
fn finite(number: Rational, format: &FloatFormat) -> Option<Rational> {
    let value = rounded(&Value::from_number(number), format);
    if value.is_zero() { Some(Rational::new()) } else { positive(&value) }
}
