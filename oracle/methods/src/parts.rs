//! Methods that take a part of a code or of a number for the whole, or put parts together wrongly.

use crate::element::MethodElement;
use castproof_oracle::encode;
use castproof_oracle::format::CodeKind;
use castproof_oracle::number::{Integer, Pow, Rational};
use castproof_oracle::overflow::Nearest;
use castproof_oracle::round::{self, MagnitudeRounding};

/// A number that the unsigned target has and the signed integer of its width has not becomes the largest
/// signed one, as on Arm.
pub(crate) fn through_signed_saturating(element: &MethodElement) -> Option<u64> {
    beyond_signed(element).map(|bits| (1 << (bits - 1)) - 1)
}

/// The same on x86, where such a number becomes the code with only its highest bit set.
pub(crate) fn through_signed_indefinite(element: &MethodElement) -> Option<u64> {
    beyond_signed(element).map(|bits| 1 << (bits - 1))
}

/// The width of an unsigned target, if only its upper half has the number of a float.
fn beyond_signed(element: &MethodElement) -> Option<u32> {
    let CodeKind::Integer(format) = element.target() else { return None };
    element.float_source().filter(|_| !format.signed)?;
    let (negative, magnitude) = element.finite()?;
    let count = round::to_integer(magnitude, MagnitudeRounding::TowardZero).count;
    let is_upper = count >= Integer::from(1) << (format.bits - 1);
    (!negative && is_upper && encode::in_range(format, &count)).then_some(format.bits)
}

/// The lower half of the source's bits is taken for zero.
pub(crate) fn low_half_dropped(element: &MethodElement) -> Option<u64> {
    let bits = element.request.from.bits();
    let kept = (bits >= 16).then(|| element.code >> (bits / 2) << (bits / 2))?;
    element.expected(&element.request, kept)
}

/// Of a source of twice the width: an integer takes the upper half, a float the lower one.
pub(crate) fn other_half(element: &MethodElement) -> Option<u64> {
    let (from, to) = (element.request.from, element.request.to);
    match element.target() {
        _ if from.bits() != 2 * to.bits() => None,
        CodeKind::Integer(_) if from.is_integer() => Some(element.code >> to.bits()),
        CodeKind::Float(_) if from.is_float() => Some(element.code & to.code_mask()),
        _ => None,
    }
}

/// The upper and the lower half of an integer are rounded, each alone, and so is their sum.
pub(crate) fn two_rounded_parts(element: &MethodElement) -> Option<u64> {
    let bits = element.request.from.bits();
    let is_wide = bits >= 32 && element.request.from.is_integer();
    let format = element.float_target().filter(|format| is_wide && format.has_subnormals())?;
    let (negative, magnitude) = element.finite()?;
    let low_mask = (1_u64 << (bits / 2)) - 1;
    let low = element.code & low_mask;
    // What is left is a multiple of 2^(bits / 2), of the sign of the number or zero.
    let number = if negative { Rational::from(-magnitude) } else { magnitude.clone() };
    let high = number - Rational::from(low);
    let rounded = |part: Rational| {
        let is_below = part < 0;
        let nearest = Nearest::new(&if is_below { -part } else { part }, format);
        let number = nearest.rounded.number();
        (!nearest.overflows).then(|| if is_below { -number } else { number })
    };
    let sum = rounded(high)? + rounded(Rational::from(low))?;
    let is_below = sum < 0;
    let nearest = Nearest::new(&if is_below { -sum } else { sum }, format);
    (!nearest.overflows).then(|| encode::signed(format, is_below, nearest.code))
}

/// The significand rounds up to the next power of two, and the exponent does not follow: just below 2, 0x3c00 of
/// float16 instead of 0x4000. Kernels mostly have a branch of its own for numbers that are subnormal in the
/// target.
pub(crate) fn carry_lost(element: &MethodElement, of_subnormal: bool) -> Option<u64> {
    let (negative, nearest, format) = element.nearest()?;
    let (_, magnitude) = element.finite().filter(|(_, magnitude)| **magnitude != 0)?;
    let unit = 1 << format.significand_bits;
    let is_power = nearest.code % unit == 0 && nearest.code >= unit;
    let carries = is_power && nearest.rounded.number() > *magnitude && !nearest.overflows;
    let is_here = (round::exponent(magnitude) < format.min_exponent()) == of_subnormal;
    (carries && is_here).then(|| encode::signed(format, negative, nearest.code - unit))
}

/// A significand is shifted by the low bits of the distance only: a number far below the smallest one is
/// shifted by too little. Processors take the distance modulo 32 or 64.
pub(crate) fn shifted_modulo(element: &MethodElement, width: i32) -> Option<u64> {
    let source = element.float_source()?;
    let (negative, magnitude) = element.finite().filter(|(_, magnitude)| **magnitude != 0)?;
    // The exponent of the last bit of the source's significand, and that of the target's last place.
    let last = source.quantum(round::exponent(magnitude).max(source.min_exponent()));
    let (place, rounding) = match element.target() {
        CodeKind::Integer(_) => (0, MagnitudeRounding::TowardZero),
        CodeKind::Float(format) if format.has_subnormals() => {
            (format.quantum(format.min_exponent()), MagnitudeRounding::NearestEven)
        }
        _ => return None,
    };
    let distance = place - last;
    if distance < width {
        return None;
    }
    let unit = Rational::from(2).pow(place - (distance - distance % width));
    let count = round::to_integer(&Rational::from(magnitude / &unit), rounding).count;
    match element.target() {
        CodeKind::Integer(format) => {
            Some(encode::low_bits(format, &if negative { -count } else { count }))
        }
        CodeKind::Float(format) => {
            let code = Integer::from(count.keep_bits_ref(format.magnitude_bits())).to_u64()?;
            Some(encode::signed(format, negative, code))
        }
        CodeKind::Bool => None,
    }
}
