//! From the largest magnitude of a block to its scale.

use super::record::{Infinity, Power, PowerScale, StepScale, TensorScale};
use super::steps::FloatStep;
use castproof_oracle::format::{FLOAT32, FloatFormat};
use castproof_oracle::number::{Pow, Rational};
use castproof_oracle::overflow::Nearest;
use castproof_oracle::round::{self, MagnitudeRounding};
use castproof_oracle::{decode, encode};

/// The scale of a block, and what is done to its numbers.
#[derive(Clone, Debug)]
pub(super) struct BlockScale {
    pub(super) code: u64,
    pub(super) rule: castproof_vectors::RuleId,
    /// What is done to a number; `None` under a scale that is NaN.
    pub(super) factor: Option<Factor>,
}

/// What a number is multiplied by, or divided, before it is rounded to an element.
#[derive(Clone, Debug)]
pub(super) enum Factor {
    /// Exactly this power of two.
    Power(i32),
    /// This float32, in float32.
    Step(FloatStep),
    /// Not multiplied: divided by this float32, in float32.
    Divisor(FloatStep),
}

/// The exponent of the largest number of a format.
fn largest_exponent(format: &FloatFormat) -> i32 {
    round::exponent(&decode::finite(format, format.largest_code()))
}

/// The least e with x <= 2^e.
pub(super) fn exponent_up(x: &Rational) -> i32 {
    let exponent = round::exponent(x);
    if *x == Rational::from(2).pow(exponent) { exponent } else { exponent + 1 }
}

/// Returns the scale, float8e8m0 with the record `scales`, of a block with this largest magnitude.
pub(super) fn power(
    record: &PowerScale,
    scales: &FloatFormat,
    element: &FloatFormat,
    amax: &FloatStep,
    nan: castproof_vectors::RuleId,
) -> BlockScale {
    let not_a_number =
        |rule| BlockScale { code: encode::quiet_nan(scales, false), rule, factor: None };
    let lowest = scales.min_exponent();
    let (exponent, rule) = match amax {
        FloatStep::Nan => return not_a_number(nan),
        FloatStep::Finite(amax) if *amax == 0 => (lowest, record.zero),
        FloatStep::Finite(amax) => (exponent(record.power.0, element, amax), record.power.1),
        FloatStep::Infinite => match record.infinity {
            (Infinity::Nan, rule) => return not_a_number(rule),
            (Infinity::NextPower, rule) => {
                let largest = decode::finite(&FLOAT32, FLOAT32.largest_code());
                let next = Rational::from(2).pow(round::exponent(&largest) + 1);
                (exponent(record.power.0, element, &next), rule)
            }
            (Infinity::Largest, rule) => (largest_exponent(scales), rule),
        },
    };
    let (exponent, rule) =
        if exponent < lowest { (lowest, record.below) } else { (exponent, rule) };
    let code = u64::try_from(exponent + scales.bias).expect("at least the smallest");
    assert!(code <= scales.largest_code(), "a float32 has no larger scale");
    let divisor = exponent.max(record.smallest_divisor);
    BlockScale { code, rule, factor: Some(Factor::Power(-divisor)) }
}

/// Below the exponent of every scale.
const NO_EXPONENT: i32 = i32::MIN;

/// The exponent of the scale of a largest magnitude that is not zero, before it is clamped.
fn exponent(power: Power, element: &FloatFormat, amax: &Rational) -> i32 {
    match power {
        Power::Floor => round::exponent(amax) - largest_exponent(element),
        Power::Ceil => exponent_up(amax) - largest_exponent(element),
        Power::CeilOfQuotient => {
            let largest = decode::finite(element, element.largest_code());
            exponent_up(&Rational::from(amax / &largest))
        }
        Power::FloorOfRounded => {
            let rounded = half_up(amax, element.significand_bits);
            round::exponent(&rounded) - largest_exponent(element)
        }
        Power::Fit => {
            let exponent = round::exponent(amax) - largest_exponent(element);
            let quotient = Rational::from(amax >> exponent);
            exponent + i32::from(Nearest::new(&quotient, element).overflows)
        }
        Power::CeilOfProduct => {
            let largest = FloatStep::Finite(decode::finite(element, element.largest_code()));
            let inverse = FloatStep::Finite(Rational::from(1)).over(&largest);
            match FloatStep::Finite(amax.clone()).times(&inverse) {
                FloatStep::Finite(product) if product != 0 => exponent_up(&product),
                _ => NO_EXPONENT,
            }
        }
    }
}

/// Rounds to a significand with this many bits behind the leading one, a half up. For the exponent
/// only the carry matters, and a half that carries is also the even one.
fn half_up(x: &Rational, bits: u32) -> Rational {
    let quantum = round::exponent(x) - bits as i32;
    let rounded = round::to_integer(&Rational::from(x >> quantum), MagnitudeRounding::NearestAway);
    Rational::from(rounded.count) << quantum
}

/// Returns the scale, float8e4m3fn with the record `scales`, of a block with this largest magnitude
/// in a tensor with the largest magnitude `tensor`.
pub(super) fn steps(
    record: &StepScale,
    scales: &FloatFormat,
    element: &FloatFormat,
    amax: &FloatStep,
    tensor: &FloatStep,
) -> BlockScale {
    let number = |number: Rational| FloatStep::Finite(number);
    let largest = number(decode::finite(element, element.largest_code()));
    let one = number(Rational::from(1));
    // The largest scale times the largest element: 2688.
    let whole = largest.times(&number(decode::finite(scales, scales.largest_code())));
    let (wanted, tensor) = match record.tensor {
        TensorScale::Decodes => {
            let tensor = tensor.over(&whole);
            (amax.over(&largest).over(&tensor), tensor)
        }
        TensorScale::Encodes => {
            let tensor = match whole.over(tensor).at_most_largest() {
                FloatStep::Finite(scale) if scale == 0 || *tensor == number(Rational::new()) => {
                    one.clone()
                }
                tensor => tensor,
            };
            let wanted = amax.times(&tensor.times(&one.over(&largest)));
            (wanted.at_most_largest(), tensor)
        }
    };
    let code = match wanted {
        FloatStep::Nan => {
            let code = encode::quiet_nan(scales, false);
            return BlockScale { code, rule: record.made, factor: None };
        }
        FloatStep::Infinite => scales.largest_code(),
        FloatStep::Finite(wanted) => {
            let lowest = record.at_least.map(|exponent| Rational::from(2).pow(exponent));
            let wanted = lowest.map_or(wanted.clone(), |lowest| wanted.max(lowest));
            Nearest::new(&wanted, scales).clamped(scales, false)
        }
    };
    let stored = number(decode::finite(scales, code));
    let factor = match record.tensor {
        TensorScale::Decodes => one.over(&tensor).over(&stored),
        TensorScale::Encodes => one.over(&stored.times(&one.over(&tensor))).at_most_largest(),
    };
    BlockScale { code, rule: record.made, factor: Some(Factor::Step(factor)) }
}
