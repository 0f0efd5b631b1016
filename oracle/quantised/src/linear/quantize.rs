//! `QuantizeLinear`.

use super::due::{Due, any_of, has_nan};
use super::known::{first_quantised, known};
use super::steps::{IN_FLOAT32, IN_FLOAT64, Operation, Reading, plus, positive, rounded};
use super::tensor::{Grain, LinearTensor};
use crate::error::QuestionError;
use castproof_oracle::decode::decode;
use castproof_oracle::format::{
    CodeKind, FloatFormat, IntegerFormat, NanEncoding, ZeroEncoding, float_format, kind,
};
use castproof_oracle::number::Rational;
use castproof_oracle::overflow::Nearest;
use castproof_oracle::round::{MagnitudeRounding, to_integer};
use castproof_oracle::{Value, encode};
use castproof_vectors::{DType, Expectation, Outcome, RuleId, rule};

/// Returns what `QuantizeLinear` must make of each element.
///
/// # Errors
/// If the version lacks a dtype or an attribute, or the inputs do not fit each other.
pub fn quantize_linear(tensor: &LinearTensor) -> Result<Vec<Expectation>, QuestionError> {
    let [from, scale, to] = tensor.dtypes;
    check(tensor)?;
    let grain = tensor.grain(to)?;
    let of_grain = match grain {
        Grain::Tensor => None,
        Grain::Axis(_) => Some(rule::QL_11),
        Grain::Blocks { .. } => Some(rule::QL_12),
    };
    let [from, scale, target] = [from, scale, to].map(|dtype| kind(dtype).expect("numeric"));
    let readings = Readings::of(tensor);
    let node = Node { target, saturate: tensor.saturate };
    let element = |(place, &code): (usize, &u64)| {
        let at = tensor.place_of_scale(grain, place);
        let x = decode(&from, code).expect("every code has a value");
        let divisor = positive(&decode(&scale, tensor.scales[at]).expect("every code has a value"));
        let zero = tensor.zero_points.map(|zeros| decode(&target, zeros[at]).expect("a number"));
        let due = match divisor {
            Some(divisor) => readings.due(&node, &x, &divisor, zero.as_ref()),
            None => Due::new(Outcome::Any, rule::QL_17),
        };
        expectation(due, of_grain, &target)
    };
    Ok(tensor.input.iter().enumerate().map(element).collect())
}

/// The outcomes of an element as one expectation. An element of a tensor with several scales is by the rule
/// that says which, unless its own comes after it in the book.
pub(super) fn expectation(due: Due, of_grain: Option<RuleId>, target: &CodeKind) -> Expectation {
    let expect = any_of(&due.expect, target);
    let both = [due.expect, due.tolerate].concat();
    let tolerate = Some(any_of(&both, target)).filter(|both| *both != expect);
    let rule = of_grain.map_or(due.rule, |grain| grain.max(due.rule));
    Expectation { expect, tolerate, rule }
}

fn check(tensor: &LinearTensor) -> Result<(), QuestionError> {
    use DType::{Bfloat16, Float8E8M0, Float16, Float32, Int32};
    let (opset, [from, scale, to]) = (tensor.opset, tensor.dtypes);
    let first_of = |dtype, first_int32, first_power| match dtype {
        Float32 => Some(10),
        Float16 | Bfloat16 => Some(19),
        Int32 => Some(first_int32),
        Float8E8M0 => first_power,
        _ => None,
    };
    known("input", from, first_of(from, 10, None), opset)?;
    known("scale", scale, first_of(scale, 19, Some(24)), opset)?;
    known("output", to, first_quantised(to), opset)?;
    if (19..23).contains(&opset) && from != scale {
        return Err(QuestionError(format!("opset {opset} has no scale of {scale} for {from}")));
    }
    if scale == Int32 && from != Int32 {
        return Err(QuestionError(format!("a division of {from} in int32 has no meaning")));
    }
    match tensor.precision {
        Some(_) if opset < 23 => Err(QuestionError(format!("opset {opset} has no precision"))),
        Some(precision) if ![Float32, Float16, Bfloat16].contains(&precision) => {
            Err(QuestionError(format!("no division of {precision} is known")))
        }
        _ => Ok(()),
    }
}

/// How the quotient may be computed.
struct Readings {
    right: Vec<Reading>,
    tolerated: Vec<Reading>,
    /// The rule of an element of which the readings differ.
    rule: RuleId,
}

impl Readings {
    fn of(tensor: &LinearTensor) -> Readings {
        let [from, scale, _] = tensor.dtypes;
        let own = float_format(from).map(Reading::Once);
        let in_format = |format: FloatFormat| vec![Reading::Cast(format), Reading::Once(format)];
        let (right, tolerated, rule) =
            match (tensor.precision.and_then(float_format), float_format(scale)) {
                (Some(precision), _) => (in_format(precision), vec![], rule::QL_03),
                (None, None) => {
                    (vec![Reading::Exact, IN_FLOAT64, Reading::Truncated], vec![], rule::QL_06)
                }
                _ if scale == DType::Float8E8M0 => {
                    let own = own.into_iter();
                    (
                        own.chain([Reading::Exact, IN_FLOAT32, IN_FLOAT64]).collect(),
                        vec![],
                        rule::QL_07,
                    )
                }
                (None, Some(format)) if tensor.opset >= 23 => {
                    let wider = match (from == scale, own) {
                        (true, _) => vec![],
                        (false, Some(_)) => vec![IN_FLOAT32],
                        (false, None) => vec![IN_FLOAT32, IN_FLOAT64],
                    };
                    (in_format(format), wider, rule::QL_03)
                }
                (None, Some(format)) if own.is_none() => {
                    let mut right = in_format(format);
                    right.extend([IN_FLOAT64, Reading::Exact]);
                    (right, vec![], rule::QL_05)
                }
                (None, Some(format)) => {
                    (vec![Reading::Once(format), IN_FLOAT32, Reading::Exact], vec![], rule::QL_04)
                }
            };
        Readings { right, tolerated, rule }
    }

    fn due(&self, node: &Node, x: &Value, divisor: &Rational, zero: Option<&Value>) -> Due {
        let of = |reading: &Reading| match Operation::Quotient.of(x, divisor, *reading) {
            Some(quotient) => node.element(&quotient, zero, *reading),
            None => Due::new(Outcome::Any, rule::QL_17),
        };
        let right = self.right.iter().map(of).reduce(Due::and).expect("at least one reading");
        let differ = right.expect.iter().any(|outcome| *outcome != right.expect[0]);
        let mut due = self.tolerated.iter().map(of).fold(right, Due::tolerating);
        let tolerates_more = due.tolerate.iter().any(|outcome| !due.expect.contains(outcome));
        if (differ || tolerates_more) && due.rule < self.rule {
            due.rule = self.rule;
        }
        due
    }
}

/// The output of a node.
struct Node {
    target: CodeKind,
    saturate: bool,
}

impl Node {
    fn element(&self, quotient: &Value, zero: Option<&Value>, reading: Reading) -> Due {
        match self.target {
            CodeKind::Integer(format) => integer(&format, quotient, zero),
            CodeKind::Float(format) => self.of_float(&format, quotient, zero, reading),
            CodeKind::Bool => unreachable!("no version has bool"),
        }
    }

    /// The element for each way of adding the zero point.
    fn of_float(
        &self,
        format: &FloatFormat,
        quotient: &Value,
        zero: Option<&Value>,
        reading: Reading,
    ) -> Due {
        let due = self.code(format, quotient);
        let Some(zero) = zero.and_then(Value::number) else { return due };
        let sum = plus(quotient, &zero);
        let mut sums = vec![];
        if let Reading::Once(precision) | Reading::Cast(precision) = reading {
            sums.push(rounded(&sum, &precision));
        }
        sums.push(sum);
        if let Value::Finite { negative, magnitude } = quotient {
            let magnitude = Nearest::new(magnitude, format).rounded.number();
            sums.push(plus(&Value::Finite { negative: *negative, magnitude }, &zero));
        }
        let ways = sums.iter().map(|sum| self.code(format, sum)).fold(due, Due::and);
        let differ = ways.expect.iter().any(|outcome| *outcome != ways.expect[0]);
        let rule = if differ { ways.rule.max(rule::QL_14) } else { ways.rule };
        Due { rule, ..ways }
    }

    /// The element of a value.
    fn code(&self, format: &FloatFormat, value: &Value) -> Due {
        let is_float8 = format.magnitude_bits() == 7;
        let beyond = |negative: bool| match (is_float8 && !self.saturate, format.infinities) {
            (false, _) => Outcome::Code(encode::largest(format, negative)),
            (true, true) => Outcome::Code(encode::infinity(format, negative)),
            (true, false) => Outcome::AnyNan,
        };
        match value {
            Value::Nan { .. } if has_nan(format) => Due::new(Outcome::AnyNan, rule::QL_15),
            Value::Nan { .. } => Due::new(Outcome::Any, rule::QL_16),
            Value::Infinite { negative } => {
                let due = Due::new(beyond(*negative), rule::QL_13);
                match format.nan {
                    NanEncoding::NegativeZero => {
                        due.tolerating(Due::new(Outcome::AnyNan, rule::QL_13))
                    }
                    _ => due,
                }
            }
            Value::Finite { negative, magnitude } => {
                let nearest = Nearest::new(magnitude, format);
                let outcome = Outcome::Code(nearest.clamped(format, *negative));
                if nearest.overflows && is_float8 && !self.saturate {
                    Due::new(beyond(*negative), rule::QL_09)
                } else if nearest.overflows {
                    Due::new(outcome, rule::QL_08)
                } else if nearest.code == 0 && *negative && format.zero == ZeroEncoding::Signed {
                    let positive = Due::new(Outcome::Code(0), rule::QL_10);
                    Due::new(outcome, rule::QL_10).tolerating(positive)
                } else {
                    Due::new(outcome, rule::QL_02)
                }
            }
        }
    }
}

/// The element of an integer.
fn integer(format: &IntegerFormat, quotient: &Value, zero: Option<&Value>) -> Due {
    let (smallest, largest) = encode::range(format);
    let end = |negative: bool| {
        Outcome::Code(encode::low_bits(format, if negative { &smallest } else { &largest }))
    };
    match quotient {
        Value::Nan { .. } => Due::new(Outcome::Any, rule::QL_16),
        Value::Infinite { negative } => Due::new(end(*negative), rule::QL_13),
        Value::Finite { negative, magnitude } => {
            let count = to_integer(magnitude, MagnitudeRounding::NearestEven).count;
            let count = if *negative { -count } else { count };
            let zero = zero.and_then(Value::number).unwrap_or_default();
            let sum = zero.numer() + count;
            match encode::in_range(format, &sum) {
                true => Due::new(Outcome::Code(encode::low_bits(format, &sum)), rule::QL_01),
                false => Due::new(end(sum < smallest), rule::QL_08),
            }
        }
    }
}
