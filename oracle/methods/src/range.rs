//! Methods that go wrong at the ends of the range.

use crate::element::{MethodElement, nan};
use castproof_oracle::format::{CodeKind, FloatFormat};
use castproof_oracle::number::Rational;
use castproof_oracle::{decode, encode};
use castproof_vectors::{Attributes, DType, Request};
use std::cmp::Ordering;

/// A float64 beyond the range of every narrower format, and its negative.
const HUGE: [u64; 2] = [0x7e37_e43c_8800_759c, 0xfe37_e43c_8800_759c];

pub(crate) fn with_saturate(element: &MethodElement, on: bool) -> Option<u64> {
    element.request.attributes.saturate?;
    let attributes = Attributes { saturate: Some(on), ..element.request.attributes };
    element.expected(&element.request.with(attributes), element.code)
}

pub(crate) fn opposite_saturate(element: &MethodElement) -> Option<u64> {
    let saturate = Some(!element.request.attributes.saturate.unwrap_or(true));
    let attributes = Attributes { saturate, ..element.request.attributes };
    element.expected(&element.request.with(attributes), element.code)
}

/// Takes a number above the largest that rounds back to it for an overflow.
pub(crate) fn overflow_too_early(element: &MethodElement) -> Option<u64> {
    let (negative, nearest, _) = element.nearest()?;
    let early = nearest.beyond_largest && !nearest.overflows;
    early.then(|| as_overflow(element, negative))?
}

/// What the rules give for a number with this sign that overflows every format.
pub(crate) fn as_overflow(element: &MethodElement, negative: bool) -> Option<u64> {
    let request = Request { from: DType::Float64, ..element.request };
    element.expected(&request, HUGE[usize::from(negative)])
}

/// Takes the tie between the largest and the step after it, which rounds to the largest, for an
/// overflow.
pub(crate) fn tie_overflows(element: &MethodElement) -> Option<u64> {
    let (negative, nearest, _) = element.nearest()?;
    let (_, magnitude) = element.finite()?;
    let half_unit = Rational::from(1) << (nearest.rounded.quantum - 1);
    let is_tie = Rational::from(magnitude - nearest.rounded.number()) == half_unit;
    let mistaken = nearest.beyond_largest && !nearest.overflows && is_tie;
    mistaken.then(|| as_overflow(element, negative))?
}

/// Clamps a number that rounds to the step after the largest, if it lies on this side of the step.
pub(crate) fn next_step_clamped(element: &MethodElement, side: Ordering) -> Option<u64> {
    let (negative, format) = next_step(element, side)?;
    Some(encode::largest(format, negative))
}

/// Turns such a number into NaN.
pub(crate) fn next_step_to_nan(element: &MethodElement, side: Ordering) -> Option<u64> {
    nan(next_step(element, side)?.1)
}

/// Returns sign and target of a number that rounds to the step after the largest, unless the rules
/// clamp it anyway. `side` selects numbers below the step (`Less`) or not below it. Some kernels
/// have a branch that only such numbers take.
fn next_step(element: &MethodElement, side: Ordering) -> Option<(bool, &FloatFormat)> {
    let (negative, nearest, format) = element.nearest()?;
    let step = nearest.code == format.largest_code() + 1;
    let saturates = element.right() == Some(encode::largest(format, negative));
    // The step itself belongs to the side above.
    let here = (nearest.rounded.direction == Ordering::Greater) == (side == Ordering::Less);
    (step && here && !saturates).then_some((negative, format))
}

/// Sign and target of a number that overflows.
fn overflow(element: &MethodElement) -> Option<(bool, &FloatFormat)> {
    let (negative, nearest, format) = element.nearest()?;
    nearest.overflows.then_some((negative, format))
}

pub(crate) fn overflow_to_infinity(element: &MethodElement) -> Option<u64> {
    let (negative, format) = overflow(element)?;
    format.infinities.then(|| encode::infinity(format, negative))
}

pub(crate) fn overflow_to_nan(element: &MethodElement) -> Option<u64> {
    nan(overflow(element)?.1)
}

pub(crate) fn overflow_to_zero(element: &MethodElement) -> Option<u64> {
    overflow(element).map(|_| 0)
}

/// The end of the target's range. Only one side of the value has a neighbour there.
pub(crate) fn clamped(element: &MethodElement) -> Option<u64> {
    match (element.below(), element.above()) {
        (Some(end), None) if end.distance != 0 => Some(end.code),
        (None, Some(end)) => Some(end.code),
        _ => None,
    }
}

/// The bits of the result that fit, where the exponent field overflows.
pub(crate) fn wrapped(element: &MethodElement) -> Option<u64> {
    let (negative, nearest, format) = element.nearest()?;
    let code = nearest.code & format.magnitude_mask();
    nearest.overflows.then(|| encode::signed(format, negative, code))
}

pub(crate) fn infinity_to_largest(element: &MethodElement) -> Option<u64> {
    Some(encode::largest(element.float_target()?, element.infinity()?))
}

pub(crate) fn infinity_to_nan(element: &MethodElement) -> Option<u64> {
    element.infinity()?;
    nan(element.float_target()?)
}

pub(crate) fn infinity_kept(element: &MethodElement) -> Option<u64> {
    let format = element.float_target().filter(|format| format.infinities)?;
    Some(encode::infinity(format, element.infinity()?))
}

pub(crate) fn infinity_to_zero(element: &MethodElement) -> Option<u64> {
    element.infinity().map(|_| 0)
}

/// Takes a number below the smallest subnormal for zero, though more than half of it rounds up.
pub(crate) fn zero_before_rounding(element: &MethodElement) -> Option<u64> {
    let (negative, _, format) = element.nearest()?;
    let (_, magnitude) = element.finite()?;
    let is_below = *magnitude != 0 && *magnitude < decode::finite(format, 1);
    is_below.then(|| encode::signed(format, negative, 0))
}

pub(crate) fn underflow_to_nan(element: &MethodElement) -> Option<u64> {
    let (_, nearest, format) = element.nearest()?;
    let (_, magnitude) = element.finite()?;
    (*magnitude != 0 && nearest.code == 0).then(|| nan(format))?
}

/// As a cast through an unsigned integer does.
pub(crate) fn negative_to_zero(element: &MethodElement) -> Option<u64> {
    let (negative, magnitude) = element.finite()?;
    let is_bool = matches!(element.target, CodeKind::Bool);
    (negative && *magnitude != 0 && !is_bool).then_some(0)
}
