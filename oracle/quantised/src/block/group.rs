//! From the largest magnitude of a group to its scale, by steps of float32.

use super::record::{Apply, GroupScale, Ratio, Stored};
use super::scale::{BlockScale, Factor, exponent_up};
use super::steps::FloatStep;
use castproof_oracle::format::{FLOAT32, FloatFormat};
use castproof_oracle::number::{Pow, Rational};
use castproof_oracle::round::{self, MagnitudeRounding};
use castproof_oracle::{decode, encode};
use castproof_vectors::RuleId;

/// The exponents of the scales of [`Stored::PowerUp`], the smallest and the largest.
const POWERS: [i32; 2] = [-126, 127];

/// The formats that a scale depends on.
#[derive(Clone, Copy)]
pub(super) struct Formats<'a> {
    /// That of the numbers.
    pub(super) source: &'a FloatFormat,
    /// That of the scales.
    pub(super) scale: &'a FloatFormat,
    /// That of the elements.
    pub(super) element: &'a FloatFormat,
}

/// Returns the scale of a group with this largest magnitude. `nan`: the rule of a NaN.
pub(super) fn group(
    record: &GroupScale,
    formats: Formats<'_>,
    amax: &FloatStep,
    nan: RuleId,
) -> BlockScale {
    let Formats { source, scale, element } = formats;
    let one = FloatStep::Finite(Rational::from(1));
    let whole = FloatStep::Finite(decode::finite(element, element.largest_code()));
    let (amax, mut rule) = floored(record, amax, nan);
    let encoding = match (record.ratio.0, &amax) {
        (Ratio::Encode { ends }, amax) if *amax == zero() || *amax == FloatStep::Infinite => {
            rule = ends;
            one.clone()
        }
        (Ratio::Encode { ends }, amax) => match whole.over(amax) {
            FloatStep::Infinite => {
                rule = ends;
                FloatStep::Finite(decode::finite(source, source.largest_code()))
            }
            encoding => encoding,
        },
        (_, amax) => whole.over(amax),
    };
    let wanted = match record.ratio.0 {
        Ratio::Quotient => amax.over(&whole),
        Ratio::Product => amax.times(&one.over(&whole)),
        Ratio::Encode { .. } => one.over(&encoding),
    };
    let (code, stored) = store(record.stored, scale, &wanted);
    let factor = match record.apply {
        _ if stored == FloatStep::Nan => None,
        Apply::Reciprocal => Some(Factor::Step(one.over(&stored))),
        Apply::Quotient => Some(Factor::Divisor(stored)),
        Apply::Encode => Some(Factor::Step(encoding)),
    };
    BlockScale { code, rule, factor }
}

fn zero() -> FloatStep {
    FloatStep::Finite(Rational::new())
}

/// The largest magnitude, at least the floor, and the rule that decides the scale.
fn floored(record: &GroupScale, amax: &FloatStep, nan: RuleId) -> (FloatStep, RuleId) {
    match (amax, record.floor) {
        (FloatStep::Nan, _) => (FloatStep::Nan, nan),
        (FloatStep::Infinite, _) => (FloatStep::Infinite, record.infinity),
        (FloatStep::Finite(amax), Some((floor, rule)))
            if *amax < decode::finite(&FLOAT32, floor) =>
        {
            (FloatStep::Finite(decode::finite(&FLOAT32, floor)), rule)
        }
        (FloatStep::Finite(_), _) => (amax.clone(), record.ratio.1),
    }
}

/// The code of a scale, and the scale that it stands for.
fn store(stored: Stored, scales: &FloatFormat, wanted: &FloatStep) -> (u64, FloatStep) {
    match (stored, wanted) {
        (Stored::Float32, FloatStep::Nan) => (encode::quiet_nan(scales, false), FloatStep::Nan),
        (Stored::Float32, FloatStep::Infinite) => {
            (encode::infinity(scales, false), FloatStep::Infinite)
        }
        (Stored::Float32, FloatStep::Finite(wanted)) => {
            let rounded = round::to_format(wanted, scales, MagnitudeRounding::NearestEven);
            (encode::magnitude(scales, &rounded), FloatStep::Finite(wanted.clone()))
        }
        (Stored::PowerUp, wanted) => {
            let [smallest, largest] = POWERS;
            let exponent = match wanted {
                FloatStep::Finite(wanted) if *wanted == 0 => smallest,
                FloatStep::Finite(wanted) => exponent_up(wanted).clamp(smallest, largest),
                FloatStep::Nan | FloatStep::Infinite => largest,
            };
            let code = u64::try_from(exponent + scales.bias).expect("at least the smallest");
            (code, FloatStep::Finite(Rational::from(2).pow(exponent)))
        }
    }
}
