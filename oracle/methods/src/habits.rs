//! What implementations do where the specification leaves the result open.

use crate::element::{MethodElement, nan};
use castproof_oracle::Value;
use castproof_oracle::encode;
use castproof_oracle::format::{CodeKind, IntegerFormat};
use castproof_oracle::number::Integer;
use castproof_oracle::round::{self, MagnitudeRounding};
use castproof_vectors::{DType, Outcome, Request};

/// A class of inputs whose result may be undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum UndefinedInput {
    /// A number out of the target's range.
    Number,
    /// An infinity.
    Infinity,
    /// NaN.
    Nan,
    /// A bool byte other than 0 and 1.
    Byte,
}

impl UndefinedInput {
    /// Every class.
    pub const ALL: [UndefinedInput; 4] = [
        UndefinedInput::Number,
        UndefinedInput::Infinity,
        UndefinedInput::Nan,
        UndefinedInput::Byte,
    ];

    /// The class, in words.
    pub fn name(self) -> &'static str {
        match self {
            UndefinedInput::Number => "out of range",
            UndefinedInput::Infinity => "infinity",
            UndefinedInput::Nan => "NaN",
            UndefinedInput::Byte => "bytes above 1",
        }
    }
}

impl MethodElement {
    /// The class of the element, if its result is undefined.
    pub fn undefined(&self) -> Option<UndefinedInput> {
        (self.answer().expect == Outcome::Any).then(|| self.class())
    }

    /// The class of the element, if its result is undefined or a choice of several integers. An
    /// implementation makes such a choice once.
    pub fn chosen(&self) -> Option<UndefinedInput> {
        let is_chosen = match self.answer().expect {
            Outcome::Any => true,
            Outcome::OneOf(_) => self.request.to.is_integer(),
            _ => false,
        };
        is_chosen.then(|| self.class())
    }

    fn class(&self) -> UndefinedInput {
        match self.value() {
            None => UndefinedInput::Byte,
            Some(Value::Nan { .. }) => UndefinedInput::Nan,
            Some(Value::Infinite { .. }) => UndefinedInput::Infinity,
            Some(Value::Finite { .. }) => UndefinedInput::Number,
        }
    }
}

/// A way to treat undefined inputs.
pub struct Habit {
    /// One short phrase: `clamped`.
    pub name: &'static str,
    rule: fn(&MethodElement) -> Option<u64>,
}

impl Habit {
    /// Returns what the habit makes of an element; `None` if the habit does not apply.
    pub fn result(&self, element: &MethodElement) -> Option<u64> {
        (self.rule)(element)
    }
}

/// The habits, the more specific first.
pub const HABITS: &[Habit] = &[
    Habit { name: "clamped", rule: clamped },
    Habit { name: "wraps", rule: |element| low_bits(element, MagnitudeRounding::TowardZero, 128) },
    Habit {
        name: "wraps after rounding",
        rule: |element| low_bits(element, MagnitudeRounding::NearestEven, 128),
    },
    Habit { name: "the minimum", rule: minimum },
    Habit { name: "zero", rule: |element| integer_target(element).map(|_| 0) },
    Habit {
        name: "low bits of an int32",
        rule: |element| low_bits(element, MagnitudeRounding::TowardZero, 32),
    },
    Habit {
        name: "low bits of an int64",
        rule: |element| low_bits(element, MagnitudeRounding::TowardZero, 64),
    },
    Habit { name: "the maximum", rule: |element| Some(ends(element)?.1) },
    Habit { name: "as its magnitude", rule: magnitude },
    Habit { name: "as zero", rule: as_zero },
    Habit { name: "the smallest, NaN without saturate", rule: smallest },
    Habit { name: "NaN", rule: |element| nan(element.float_target()?) },
    Habit { name: "as true", rule: |element| byte(element, 1) },
    Habit { name: "as false", rule: |element| byte(element, 0) },
    Habit { name: "byte kept", rule: |element| element.value().is_none().then_some(element.code) },
    Habit { name: "code 0", rule: |_| Some(0) },
    Habit { name: "all ones", rule: |element| Some(element.request.to.code_mask()) },
];

fn integer_target(element: &MethodElement) -> Option<&IntegerFormat> {
    match &element.target {
        CodeKind::Integer(format) => Some(format),
        _ => None,
    }
}

/// The codes of the smallest and the largest integer of the target.
fn ends(element: &MethodElement) -> Option<(u64, u64)> {
    let format = integer_target(element)?;
    let sign = u64::from(format.signed) << (format.bits - 1);
    Some((sign, element.request.to.code_mask() & !sign))
}

fn minimum(element: &MethodElement) -> Option<u64> {
    ends(element).filter(|(minimum, _)| *minimum != 0).map(|(minimum, _)| minimum)
}

fn clamped(element: &MethodElement) -> Option<u64> {
    let (minimum, maximum) = ends(element)?;
    match element.value()? {
        Value::Nan { .. } => None,
        Value::Infinite { negative } | Value::Finite { negative, .. } => {
            Some(if *negative { minimum } else { maximum })
        }
    }
}

/// Returns the low bits of the number as an integer of `width` bits. A number that does not fit
/// becomes the minimum of that width, as in processors.
fn low_bits(element: &MethodElement, rounding: MagnitudeRounding, width: u32) -> Option<u64> {
    let format = integer_target(element).filter(|format| format.bits < width)?;
    let number = element.finite().map(|(negative, magnitude)| {
        let count = round::to_integer(magnitude, rounding).count;
        if negative { -count } else { count }
    });
    let wide = IntegerFormat { bits: width, signed: true };
    let indefinite = -(Integer::from(1) << (width - 1));
    match number {
        Some(number) if width == 128 || encode::in_range(&wide, &number) => {
            Some(encode::low_bits(format, &number))
        }
        _ if width == 128 => None,
        _ => Some(encode::low_bits(format, &indefinite)),
    }
}

/// The absolute value of a negative number, in a target without sign.
fn magnitude(element: &MethodElement) -> Option<u64> {
    let format = element.float_source().filter(|_| !element.is_nan())?;
    let code = element.code & !format.sign_bit();
    element.expected(&element.request, code)
}

fn smallest(element: &MethodElement) -> Option<u64> {
    let format = element.float_target()?;
    if element.request.attributes.saturate.unwrap_or(true) { Some(0) } else { nan(format) }
}

fn as_zero(element: &MethodElement) -> Option<u64> {
    element.float_target()?;
    element.expected(&Request { from: DType::Float32, ..element.request }, 0)
}

fn byte(element: &MethodElement, code: u64) -> Option<u64> {
    let is_byte = element.value().is_none();
    is_byte.then(|| element.expected(&element.request, code))?
}
