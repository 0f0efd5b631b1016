//! Quantisers of groups of FP8: what is known to happen along each step.

use super::catalogue::{NumberRead, QuotientTies};
use super::numbers::Numbers;
use castproof_oracle::format::{FLOAT32, FloatFormat, float_format};
use castproof_oracle::number::{Pow, Rational};
use castproof_oracle::overflow::Nearest;
use castproof_oracle::round::{self, MagnitudeRounding};
use castproof_oracle::{Value, decode, encode};
use castproof_quantised::block::FloatStep;
use castproof_vectors::{BlockProfile, DType};

/// A quantiser of groups, whose scale follows from the largest magnitude m by steps of float32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupMethod {
    /// A smaller m counts as this code of float32.
    pub floor: u64,
    /// How the scale follows from m.
    pub ratio: GroupRatio,
    /// What counts as the largest element there.
    pub most: u32,
    /// Is the inverse of the scale stored?
    pub inverted: bool,
    /// Which power of two the scale becomes.
    pub power: GroupPower,
    /// Is the scale stored as float8e8m0?
    pub is_byte: bool,
    /// What is done to a number.
    pub apply: GroupApply,
    /// What numbers beyond become.
    pub clamp: u32,
    /// How a number between two elements is rounded.
    pub ties: QuotientTies,
    /// How numbers are read.
    pub read: NumberRead,
    /// Does a NaN enter m?
    pub enters: bool,
    /// What a NaN becomes under a scale that is a number.
    pub nan: GroupNan,
    /// Is an infinite product open, rather than the largest element?
    pub is_open: bool,
    /// Do zeros and infinities have the factor 1, and numbers with an infinite factor the largest number of their dtype?
    pub has_ends: bool,
    /// The scale of a group of zeros, if that is none of the steps.
    pub zero: Option<u64>,
}

/// How the scale follows from m and the largest element M.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupRatio {
    /// `m/M`.
    Quotient,
    /// `m*(1/M)`.
    Product,
    /// `1/(M/m)`.
    Encode,
}

/// Which power of two a scale becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupPower {
    /// It stays as it is.
    None,
    /// The smallest that is not below it.
    Up,
    /// The largest that is not above it.
    Down,
}

/// What is done to a number before it is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupApply {
    /// It is multiplied by one over the scale.
    Reciprocal,
    /// It is divided by the scale.
    Quotient,
    /// It is multiplied by `M/m`.
    Encode,
}

/// What a NaN becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupNan {
    /// Any NaN: not looked at.
    Open,
    /// This code, whatever its sign.
    Code(u64),
}

/// A step along one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupChange {
    /// The axis of the floor.
    Floor(u64),
    /// The axis of the ratio.
    Ratio(GroupRatio),
    /// The axis of the largest element.
    Most(u32),
    /// The axis of the inverse.
    Inverted,
    /// The axis of powers of two.
    Power(GroupPower),
    /// The axis of what is done to numbers.
    Apply(GroupApply),
    /// The axis of what is beyond.
    Clamp(u32),
    /// The axis of ties.
    Ties(QuotientTies),
    /// The axis of numbers.
    Read(NumberRead),
    /// The axis of NaN in m.
    Enters(bool),
    /// The axis of what a NaN becomes.
    Nan(GroupNan),
}

/// Returns what is known to happen, the likelier first.
pub fn group_changes() -> &'static [GroupChange] {
    use GroupChange::{Apply, Clamp, Enters, Floor, Inverted, Most, Nan, Power, Ratio};
    &[
        Ratio(GroupRatio::Product),
        Ratio(GroupRatio::Quotient),
        Ratio(GroupRatio::Encode),
        Apply(GroupApply::Quotient),
        Apply(GroupApply::Encode),
        Apply(GroupApply::Reciprocal),
        // None, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12, and the smallest normal number.
        Floor(0),
        Floor(0x38d1_b717),
        Floor(0x3727_c5ac),
        Floor(0x3586_37bd),
        Floor(0x322b_cc77),
        Floor(0x2edb_e6ff),
        Floor(0x2b8c_bccc),
        Floor(0x0080_0000),
        Inverted,
        Most(240),
        Most(224),
        Clamp(240),
        Clamp(224),
        Power(GroupPower::Up),
        Power(GroupPower::Down),
        Power(GroupPower::None),
        GroupChange::Ties(QuotientTies::Away),
        GroupChange::Ties(QuotientTies::Toward),
        GroupChange::Ties(QuotientTies::Truncated),
        Enters(false),
        Enters(true),
        Nan(GroupNan::Code(0x7f)),
        Nan(GroupNan::Code(0x7e)),
        Nan(GroupNan::Code(0xfe)),
        Nan(GroupNan::Code(0)),
        GroupChange::Read(NumberRead::Bfloat16),
        GroupChange::Read(NumberRead::Flushed),
        GroupChange::Read(NumberRead::NanAsZero),
    ]
}

/// The largest element.
const MOST: u32 = 448;

impl GroupMethod {
    /// Returns the method that a profile specifies; `None` if it has no groups.
    pub fn of(profile: BlockProfile) -> Option<GroupMethod> {
        let deepgemm = GroupMethod {
            floor: 0x38d1_b717,
            ratio: GroupRatio::Quotient,
            most: MOST,
            inverted: false,
            power: GroupPower::None,
            is_byte: false,
            apply: GroupApply::Reciprocal,
            clamp: MOST,
            ties: QuotientTies::Even,
            read: NumberRead::AsIs,
            enters: true,
            nan: GroupNan::Open,
            is_open: true,
            has_ends: false,
            zero: None,
        };
        let of_kernels =
            GroupMethod { floor: 0x2edb_e6ff, enters: false, is_open: false, ..deepgemm };
        let sglang = GroupMethod {
            ratio: GroupRatio::Product,
            apply: GroupApply::Encode,
            nan: GroupNan::Code(0x7f),
            ..of_kernels
        };
        Some(match profile {
            BlockProfile::Fp8Deepgemm => deepgemm,
            BlockProfile::Fp8DeepgemmUe8m0 => {
                GroupMethod { power: GroupPower::Up, is_byte: true, ..deepgemm }
            }
            BlockProfile::Fp8VllmGroup => {
                GroupMethod { apply: GroupApply::Quotient, nan: GroupNan::Code(0xfe), ..of_kernels }
            }
            BlockProfile::Fp8SglGroup => sglang,
            BlockProfile::Fp8TeBlock => {
                GroupMethod { floor: 0, ratio: GroupRatio::Encode, has_ends: true, ..sglang }
            }
            _ => return None,
        })
    }

    /// Returns the method with one change.
    #[must_use]
    pub fn with(mut self, change: GroupChange) -> GroupMethod {
        match change {
            GroupChange::Floor(floor) => self.floor = floor,
            GroupChange::Ratio(ratio) => self.ratio = ratio,
            GroupChange::Most(most) => self.most = most,
            GroupChange::Inverted => self.inverted = true,
            GroupChange::Power(power) => self.power = power,
            GroupChange::Apply(apply) => self.apply = apply,
            GroupChange::Clamp(clamp) => self.clamp = clamp,
            GroupChange::Ties(ties) => self.ties = ties,
            GroupChange::Read(read) => self.read = read,
            GroupChange::Enters(enters) => self.enters = enters,
            GroupChange::Nan(nan) => self.nan = nan,
        }
        self
    }

    /// Returns scale and elements, open ones as `None`; `None` if the elements are no floats or the scale has no
    /// code.
    pub fn quantise(&self, to: DType, numbers: &Numbers) -> Option<(u64, Vec<Option<u64>>)> {
        let element = float_format(to)?;
        let values: Vec<Value> = numbers
            .codes()
            .iter()
            .map(|code| numbers.value(*code, self.read))
            .collect::<Option<_>>()?;
        let amax = self.floored(self.amax(&values));
        let (scale, encoding) = self.scale(&amax, numbers);
        let stored = if self.inverted { one().over(&scale) } else { scale.clone() };
        let code = match self.zero {
            Some(zero) if numbers.is_zero() => zero,
            _ => self.code(&stored)?,
        };
        let elements = values.iter().map(|value| {
            let product = self.product(&FloatStep::magnitude(value), &scale, &encoding);
            let negative = match value {
                Value::Nan { .. } => false,
                Value::Infinite { negative } | Value::Finite { negative, .. } => *negative,
            };
            let is_open = scale == FloatStep::Nan;
            (!is_open).then(|| self.element(&element, negative, &product)).flatten()
        });
        Some((code, elements.collect()))
    }

    fn amax(&self, values: &[Value]) -> FloatStep {
        let mut largest = FloatStep::Finite(Rational::new());
        for value in values {
            largest = match (largest, FloatStep::magnitude(value)) {
                (largest, FloatStep::Nan) if !self.enters => largest,
                (FloatStep::Nan, _) | (_, FloatStep::Nan) => FloatStep::Nan,
                (FloatStep::Infinite, _) | (_, FloatStep::Infinite) => FloatStep::Infinite,
                (FloatStep::Finite(a), FloatStep::Finite(b)) => FloatStep::Finite(a.max(b)),
            };
        }
        largest
    }

    fn floored(&self, amax: FloatStep) -> FloatStep {
        match amax {
            FloatStep::Finite(amax) => {
                FloatStep::Finite(amax.max(decode::finite(&FLOAT32, self.floor)))
            }
            amax => amax,
        }
    }

    /// The scale as it is applied, and `M/m`.
    fn scale(&self, amax: &FloatStep, numbers: &Numbers) -> (FloatStep, FloatStep) {
        let most = FloatStep::Finite(Rational::from(self.most));
        let is_end = *amax == FloatStep::Infinite || *amax == FloatStep::Finite(Rational::new());
        let encoding = most.over(amax);
        let end = match encoding {
            _ if self.has_ends && is_end => Some(one()),
            FloatStep::Infinite if self.has_ends => Some(FloatStep::Finite(numbers.most())),
            _ => None,
        };
        let scale = match (&end, self.ratio) {
            (Some(end), _) => one().over(end),
            (None, GroupRatio::Quotient) => amax.over(&most),
            (None, GroupRatio::Product) => amax.times(&one().over(&most)),
            (None, GroupRatio::Encode) => one().over(&encoding),
        };
        (self.powered(scale), end.unwrap_or(encoding))
    }

    fn powered(&self, scale: FloatStep) -> FloatStep {
        let up = match self.power {
            GroupPower::None => return scale,
            GroupPower::Up => true,
            GroupPower::Down => false,
        };
        let power = |exponent: i32| Rational::from(2).pow(exponent);
        FloatStep::Finite(power(match scale {
            FloatStep::Finite(scale) if scale != 0 => {
                let exponent = round::exponent(&scale);
                let is_above = scale > power(exponent);
                (exponent + i32::from(up && is_above)).clamp(-126, 127)
            }
            FloatStep::Finite(_) => -126,
            FloatStep::Infinite | FloatStep::Nan => 127,
        }))
    }

    fn code(&self, stored: &FloatStep) -> Option<u64> {
        if self.is_byte {
            let scales = float_format(DType::Float8E8M0)?;
            return match stored {
                FloatStep::Finite(stored) if *stored == 0 => None,
                // float8e8m0 has nothing below 2^-127. The inverse of 1.5 * 2^127 is.
                FloatStep::Finite(stored) if *stored < decode::finite(&scales, 0) => Some(0),
                FloatStep::Finite(stored) => {
                    Some(Nearest::new(stored, &scales).clamped(&scales, false))
                }
                FloatStep::Nan | FloatStep::Infinite => None,
            };
        }
        Some(match stored {
            FloatStep::Nan => encode::quiet_nan(&FLOAT32, false),
            FloatStep::Infinite => encode::infinity(&FLOAT32, false),
            FloatStep::Finite(stored) => encode::magnitude(
                &FLOAT32,
                &round::to_format(stored, &FLOAT32, MagnitudeRounding::NearestEven),
            ),
        })
    }

    fn product(&self, magnitude: &FloatStep, scale: &FloatStep, encoding: &FloatStep) -> FloatStep {
        match self.apply {
            GroupApply::Reciprocal => magnitude.times(&one().over(scale)),
            GroupApply::Quotient => magnitude.over(scale),
            GroupApply::Encode => magnitude.times(encoding),
        }
    }

    /// The element of a product; `None` if it is open.
    fn element(&self, element: &FloatFormat, negative: bool, product: &FloatStep) -> Option<u64> {
        let sign = if negative { element.sign_bit() } else { 0 };
        let clamp = Rational::from(self.clamp);
        let product = match product {
            FloatStep::Nan => {
                return match self.nan {
                    GroupNan::Open => None,
                    GroupNan::Code(code) => Some(code),
                };
            }
            FloatStep::Infinite if self.is_open => return None,
            FloatStep::Infinite => clamp,
            FloatStep::Finite(product) => product.clone().min(clamp),
        };
        let rounding = match self.ties {
            QuotientTies::Away | QuotientTies::AddedHalf => MagnitudeRounding::NearestAway,
            QuotientTies::Truncated => MagnitudeRounding::TowardZero,
            QuotientTies::Even | QuotientTies::Toward => MagnitudeRounding::NearestEven,
        };
        let rounded = round::to_format(&product, element, rounding);
        let code = encode::magnitude(element, &rounded).min(element.largest_code());
        let is_up = self.ties == QuotientTies::Toward && rounded.number() > product && {
            let sum = decode::finite(element, code - 1) + decode::finite(element, code);
            sum == Rational::from(&product << 1)
        };
        Some((code - u64::from(is_up)) | sign)
    }

    /// Says what this method does otherwise than another one, a phrase for each axis.
    pub fn words(&self, other: &GroupMethod) -> Vec<String> {
        let mut said: Vec<String> = Vec::new();
        let mut say = |differs: bool, words: String| {
            if differs {
                said.push(words);
            }
        };
        say(self.floor != other.floor, floor_words(self.floor));
        say(self.ratio != other.ratio, self.ratio.words().into());
        say(self.most != other.most, format!("the largest element is taken for {}", self.most));
        say(self.inverted != other.inverted, "the inverse of the scale is stored".into());
        say(self.power != other.power, self.power.words().into());
        say(self.apply != other.apply, self.apply.words().into());
        say(self.clamp != other.clamp, format!("elements are clamped to {}", self.clamp));
        say(self.ties != other.ties, self.ties.words().into());
        say(self.read != other.read, self.read.words("each number"));
        let enters = if self.enters { "enters" } else { "does not enter" };
        say(self.enters != other.enters, format!("a NaN {enters} the largest magnitude"));
        let nan = match self.nan {
            GroupNan::Open => "a NaN stays NaN".into(),
            GroupNan::Code(code) => format!("a NaN becomes {code:#04x}"),
        };
        say(self.nan != other.nan, nan);
        let zero = self.zero.unwrap_or_default();
        let digits = if self.is_byte { 4 } else { 10 };
        say(self.zero != other.zero, format!("a group of zeros has the scale {zero:#0digits$x}"));
        said
    }
}

fn one() -> FloatStep {
    FloatStep::Finite(Rational::from(1))
}

fn floor_words(floor: u64) -> String {
    let number = match floor {
        0 => return "the largest magnitude has no floor".into(),
        0x38d1_b717 => "1e-4",
        0x3727_c5ac => "1e-5",
        0x3586_37bd => "1e-6",
        0x322b_cc77 => "1e-8",
        0x2edb_e6ff => "1e-10",
        0x2b8c_bccc => "1e-12",
        _ => return format!("the floor of the largest magnitude is {floor:#010x}"),
    };
    format!("the floor of the largest magnitude is {number}")
}

impl GroupRatio {
    fn words(self) -> &'static str {
        match self {
            GroupRatio::Quotient => "the scale is the quotient m/448",
            GroupRatio::Product => "the scale is the product of m with the rounded 1/448",
            GroupRatio::Encode => "the scale is the inverse of 448/m",
        }
    }
}

impl GroupPower {
    fn words(self) -> &'static str {
        match self {
            GroupPower::None => "the scale is no power of two",
            GroupPower::Up => "the scale is rounded up to a power of two",
            GroupPower::Down => "the scale is rounded down to a power of two",
        }
    }
}

impl GroupApply {
    fn words(self) -> &'static str {
        match self {
            GroupApply::Reciprocal => "numbers are multiplied by the inverse of the scale",
            GroupApply::Quotient => "numbers are divided by the scale",
            GroupApply::Encode => "numbers are multiplied by 448/m",
        }
    }
}
