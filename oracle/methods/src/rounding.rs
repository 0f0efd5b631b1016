//! Methods that round wrongly.

use crate::element::MethodElement;
use castproof_oracle::decode::decode;
use castproof_oracle::encode;
use castproof_oracle::format::{CodeKind, kind};
use castproof_oracle::number::{Pow, Rational};
use castproof_oracle::overflow::Nearest;
use castproof_oracle::round::{self, MagnitudeRounding};
use castproof_oracle::{Neighbour, Value};
use castproof_vectors::{Attributes, DType, Request, RoundMode};

impl MethodElement {
    /// Casts to `middle` first, then to the target. A number that overflows in the first cast is
    /// left out.
    pub(crate) fn through(&self, middle: DType) -> Option<u64> {
        let between = self.first_step(middle)?;
        (!overflowed(middle, between)).then(|| self.second_step(middle, between))?
    }

    /// As `through`, for a number that overflows in the first cast.
    pub(crate) fn overflow_through(&self, middle: DType) -> Option<u64> {
        let between = self.first_step(middle)?;
        self.finite().filter(|_| overflowed(middle, between))?;
        self.second_step(middle, between)
    }

    fn first_step(&self, middle: DType) -> Option<u64> {
        let Request { spec, from, to, .. } = self.request;
        let pointless = from == middle || to == middle || self.finite().is_none();
        let first = Request::new(spec, from, middle);
        (!pointless).then(|| self.expected(&first, self.code))?
    }

    fn second_step(&self, middle: DType, between: u64) -> Option<u64> {
        self.expected(&Request { from: middle, ..self.request }, between)
    }

    /// Returns the code of the neighbour with the smaller or the larger magnitude. It has the sign
    /// of the value even if it is zero.
    pub(crate) fn by_magnitude(&self, larger: bool) -> Option<u64> {
        let (negative, _) = self.finite()?;
        self.directed(negative != larger)
    }

    /// The code of the neighbour on one side. No rounding brings a number beyond an integer's range back into
    /// it: that saturates.
    pub(crate) fn directed(&self, up: bool) -> Option<u64> {
        // Negative zero is negative.
        let (negative, _) = self.finite()?;
        let exact = self.below().filter(|below| below.distance == 0);
        let is_near = |side: Option<&Neighbour>| side.is_some_and(|it| it.distance < 1);
        let is_beyond = !is_near(self.below()) && !is_near(self.above());
        if is_beyond && matches!(self.target, CodeKind::Integer(_)) {
            return None;
        }
        let side = if up { self.above() } else { self.below() };
        let code = side.or(exact)?.code;
        Some(match &self.target {
            CodeKind::Float(format) if negative => encode::signed(format, true, code),
            _ => code,
        })
    }

    fn is_tie(&self) -> bool {
        match (self.below(), self.above()) {
            (Some(below), Some(above)) => below.distance == above.distance,
            _ => false,
        }
    }
}

fn overflowed(dtype: DType, code: u64) -> bool {
    let value = kind(dtype).and_then(|kind| decode(&kind, code));
    matches!(value, Some(Value::Infinite { .. }))
}

pub(crate) fn ties_away(element: &MethodElement) -> Option<u64> {
    element.is_tie().then(|| element.by_magnitude(true))?
}

pub(crate) fn ties_toward_zero(element: &MethodElement) -> Option<u64> {
    element.is_tie().then(|| element.by_magnitude(false))?
}

pub(crate) fn ties_up(element: &MethodElement) -> Option<u64> {
    element.is_tie().then(|| element.directed(true))?
}

/// Truncates to one bit more than the target has, then rounds: a value just above a tie is taken
/// for a tie.
pub(crate) fn without_sticky_bits(element: &MethodElement) -> Option<u64> {
    let (negative, nearest, format) = element.nearest()?;
    let (_, magnitude) = element.finite()?;
    if nearest.is_exact() || nearest.overflows {
        return None;
    }
    let unit = Rational::from(2).pow(format.quantum(round::exponent(magnitude)) - 1);
    let kept =
        round::to_integer(&Rational::from(magnitude / &unit), MagnitudeRounding::TowardZero).count;
    Some(encode::signed(format, negative, Nearest::new(&(unit * kept), format).code))
}

/// Rounds to the width of a normal number first, then to that of the subnormal number.
pub(crate) fn subnormal_twice(element: &MethodElement) -> Option<u64> {
    let (negative, nearest, format) = element.nearest()?;
    let (_, magnitude) = element.finite()?;
    if nearest.is_exact() || round::exponent(magnitude) >= format.min_exponent() {
        return None;
    }
    let unit = Rational::from(2).pow(round::exponent(magnitude) - format.significand_bits as i32);
    let first =
        round::to_integer(&Rational::from(magnitude / &unit), MagnitudeRounding::NearestEven).count;
    Some(encode::signed(format, negative, Nearest::new(&(unit * first), format).code))
}

pub(crate) fn subnormal_truncated(element: &MethodElement) -> Option<u64> {
    let (_, nearest, format) = element.nearest()?;
    let (_, magnitude) = element.finite()?;
    let subnormal = *magnitude != 0 && round::exponent(magnitude) < format.min_exponent();
    (subnormal && !nearest.is_exact()).then(|| element.by_magnitude(false))?
}

pub(crate) fn nearest_integer_even(element: &MethodElement) -> Option<u64> {
    nearest_integer(element, MagnitudeRounding::NearestEven, false)
}

pub(crate) fn nearest_integer_away(element: &MethodElement) -> Option<u64> {
    nearest_integer(element, MagnitudeRounding::NearestAway, false)
}

/// A number that leaves the range by rounding wraps around.
pub(crate) fn nearest_integer_wrapped(element: &MethodElement) -> Option<u64> {
    nearest_integer(element, MagnitudeRounding::NearestAway, true)
}

fn nearest_integer(
    element: &MethodElement,
    rounding: MagnitudeRounding,
    wraps: bool,
) -> Option<u64> {
    let CodeKind::Integer(format) = &element.target else { return None };
    let (negative, magnitude) = element.finite()?;
    let count = round::to_integer(magnitude, rounding).count;
    let number = if negative { -count } else { count };
    let fits = wraps || encode::in_range(format, &number);
    fits.then(|| encode::low_bits(format, &number))
}

pub(crate) fn mode_ignored(element: &MethodElement) -> Option<u64> {
    element.request.attributes.round_mode?;
    with_mode(element, None)
}

pub(crate) fn mode_exchanged(element: &MethodElement) -> Option<u64> {
    match element.request.attributes.round_mode? {
        RoundMode::Up => with_mode(element, Some(RoundMode::Down)),
        RoundMode::Down => with_mode(element, Some(RoundMode::Up)),
        RoundMode::Nearest | RoundMode::TowardZero | RoundMode::NearestAway => None,
    }
}

fn with_mode(element: &MethodElement, round_mode: Option<RoundMode>) -> Option<u64> {
    let attributes = Attributes { round_mode, ..element.request.attributes };
    element.expected(&element.request.with(attributes), element.code)
}
