//! Methods that go wrong at NaN, zero, subnormal numbers and truth values.

use crate::element::{MethodElement, nan};
use crate::range;
use castproof_oracle::Value;
use castproof_oracle::format::{CodeKind, FloatFormat, NanEncoding, ZeroEncoding, kind};
use castproof_oracle::overflow::Nearest;
use castproof_oracle::round::{self, MagnitudeRounding};
use castproof_oracle::{decode, encode};
use castproof_vectors::{DType, Request};

pub(crate) fn nan_to_infinity(element: &MethodElement) -> Option<u64> {
    let format = element.float_target().filter(|format| format.infinities && element.is_nan())?;
    Some(encode::infinity(format, nan_sign(element)))
}

pub(crate) fn nan_to_largest(element: &MethodElement) -> Option<u64> {
    let format = element.float_target().filter(|_| element.is_nan())?;
    Some(encode::largest(format, nan_sign(element)))
}

pub(crate) fn nan_to_zero(element: &MethodElement) -> Option<u64> {
    element.float_target().filter(|_| element.is_nan()).map(|_| 0)
}

fn nan_sign(element: &MethodElement) -> bool {
    matches!(element.value(), Some(Value::Nan { negative: true }))
}

/// Drops the low bits of the significand. If no other bit is set, the result is infinity.
pub(crate) fn nan_cut_off(element: &MethodElement) -> Option<u64> {
    let (source, target, shift) = narrowing(element)?;
    let kept = (element.code & ((1 << source.significand_bits) - 1)) >> shift;
    let sign = if nan_sign(element) { target.sign_bit() } else { 0 };
    (kept == 0).then_some(sign | target.top_binade())
}

/// Rounds the code to fewer bits as if it were that of a number; it may overflow.
pub(crate) fn nan_as_number(element: &MethodElement) -> Option<u64> {
    let (source, target, shift) = narrowing(element)?;
    if shift == 0 || source.exponent_bits != target.exponent_bits {
        return None;
    }
    let odd = (element.code >> shift) & 1;
    let rounded = element.code.wrapping_add((1 << (shift - 1)) - 1 + odd) >> shift;
    Some(rounded & element.request.to.code_mask())
}

/// Keeps the sign and the upper payload bits of a signalling NaN, and does not make it quiet: float64
/// 0x7ff4000000000000 becomes the float32 0x7fa00000. Where no payload bit is left, the lowest one is set.
pub(crate) fn signalling_kept(element: &MethodElement) -> Option<u64> {
    let (source, target) = (element.float_source()?, element.float_target()?);
    let Request { from, to, .. } = element.request;
    let divides = |format: &FloatFormat, dtype: DType| {
        format.nan == NanEncoding::TopBinade && dtype.bits() >= 16
    };
    if from == to || !element.is_nan() || !divides(source, from) || !divides(target, to) {
        return None;
    }
    if element.code >> (source.significand_bits - 1) & 1 == 1 {
        return None;
    }
    let payload = element.code & ((1 << source.significand_bits) - 1);
    let kept = match source.significand_bits.checked_sub(target.significand_bits) {
        Some(shift) => payload >> shift,
        None => payload << (target.significand_bits - source.significand_bits),
    };
    let sign = if nan_sign(element) { target.sign_bit() } else { 0 };
    Some(sign | target.top_binade() | kept.max(1))
}

/// Returns both formats of a NaN's cast, and by how many bits the significand shrinks.
fn narrowing(element: &MethodElement) -> Option<(&FloatFormat, &FloatFormat, u32)> {
    let (source, target) = (element.float_source()?, element.float_target()?);
    let ieee = |format: &FloatFormat| format.nan == NanEncoding::TopBinade;
    let shift = source.significand_bits.checked_sub(target.significand_bits)?;
    (element.is_nan() && ieee(source) && ieee(target)).then_some((source, target, shift))
}

/// Reads the fields of the code as those of a number: of float8e4m3fn 0x7f is 480 then.
pub(crate) fn nan_read_as_number(element: &MethodElement) -> Option<u64> {
    let source = element.float_source().filter(|_| element.is_nan())?;
    if source.nan == NanEncoding::NegativeZero {
        return None;
    }
    let float64 = format_of(DType::Float64)?;
    let negative = element.code & source.sign_bit() != 0;
    let number = decode::finite(source, element.code & source.magnitude_mask());
    let nearest = Nearest::new(&number, &float64);
    if nearest.overflows {
        return range::as_overflow(element, negative);
    }
    let request = Request { from: DType::Float64, ..element.request };
    element.expected(&request, encode::signed(&float64, negative, nearest.code))
}

/// The code of NaN in a format whose negative zero it replaces, read as in one that has both.
pub(crate) fn nan_read_as_negative_zero(element: &MethodElement) -> Option<u64> {
    element.float_source().filter(|_| element.is_nan())?;
    element.expected(&Request { from: DType::Float32, ..element.request }, 1 << 31)
}

pub(crate) fn zero_without_sign(element: &MethodElement) -> Option<u64> {
    let format = element.float_target()?;
    let negative_zero = element.right()? == format.sign_bit();
    (format.zero == ZeroEncoding::Signed && negative_zero).then_some(0)
}

/// A negative number that becomes zero keeps its sign bit, in a format where that code is NaN.
pub(crate) fn zero_with_sign(element: &MethodElement) -> Option<u64> {
    let (negative, nearest, format) = element.nearest()?;
    let alone = format.nan == NanEncoding::NegativeZero;
    (alone && negative && nearest.code == 0).then(|| nan(format))?
}

pub(crate) fn flushed_input(element: &MethodElement) -> Option<u64> {
    let flushed = flushed(element.float_source()?, element.code)?;
    element.expected(&element.request, flushed)
}

pub(crate) fn flushed_result(element: &MethodElement) -> Option<u64> {
    flushed(element.float_target()?, element.right()?)
}

/// The zero with the sign of a subnormal code; `None` for other codes.
pub(crate) fn flushed(format: &FloatFormat, code: u64) -> Option<u64> {
    let magnitude = code & format.magnitude_mask();
    let subnormal =
        format.has_subnormals() && (1..1 << format.significand_bits).contains(&magnitude);
    let negative = code & format.sign_bit() != 0;
    subnormal.then(|| encode::signed(format, negative, 0))
}

/// Reads a subnormal number as if its leading bit were a one that is not stored.
pub(crate) fn subnormal_with_leading_bit(element: &MethodElement) -> Option<u64> {
    let (source, float64) = (element.float_source()?, format_of(DType::Float64)?);
    flushed(source, element.code)?;
    let field = element.code & ((1 << source.significand_bits) - 1);
    let shift = float64.significand_bits.checked_sub(source.significand_bits)?;
    let exponent = u64::try_from(float64.bias - source.bias).ok().filter(|it| *it > 0)?;
    let negative = element.code & source.sign_bit() != 0;
    let magnitude = exponent << float64.significand_bits | field << shift;
    let request = Request { from: DType::Float64, ..element.request };
    element.expected(&request, encode::signed(&float64, negative, magnitude))
}

/// The same in kernels to float8e8m0 that tell powers of two first.
pub(crate) fn subnormal_rounded_with_leading_bit(element: &MethodElement) -> Option<u64> {
    let is_rounded = element.request.to == DType::Float8E8M0 && element.above().is_some();
    is_rounded.then(|| subnormal_with_leading_bit(element))?
}

fn format_of(dtype: DType) -> Option<FloatFormat> {
    match kind(dtype)? {
        CodeKind::Float(format) => Some(format),
        _ => None,
    }
}

/// Reads the code with every bit set but the sign as infinity, in a format without infinities, and
/// clamps it to the range of an integer.
pub(crate) fn all_ones_infinite(element: &MethodElement) -> Option<u64> {
    let source = element.float_source().filter(|source| !source.infinities)?;
    let CodeKind::Integer(target) = element.target else { return None };
    let is_all_ones = element.code & source.magnitude_mask() == source.magnitude_mask();
    let negative = element.code & source.sign_bit() != 0;
    let mask = element.request.to.code_mask();
    let largest = if target.signed { mask >> 1 } else { mask };
    is_all_ones.then_some(if negative { largest ^ mask } else { largest })
}

/// Code 0 of float8e8m0 is 2^-127, not zero.
pub(crate) fn scale_zero(element: &MethodElement) -> Option<u64> {
    let taken = element.request.from == DType::Float8E8M0 && element.code == 0;
    let request = Request { from: DType::Float32, ..element.request };
    taken.then(|| element.expected(&request, 0))?
}

/// Is it a cast to bool from another dtype?
fn to_bool(element: &MethodElement) -> Option<()> {
    let other = element.request.from != DType::Bool;
    (other && matches!(element.target, CodeKind::Bool)).then_some(())
}

pub(crate) fn truth_of_code(element: &MethodElement) -> Option<u64> {
    to_bool(element).map(|()| u64::from(element.code != 0))
}

pub(crate) fn truth_of_integer(element: &MethodElement) -> Option<u64> {
    to_bool(element)?;
    let (_, magnitude) = element.finite()?;
    Some(u64::from(round::to_integer(magnitude, MagnitudeRounding::TowardZero).count != 0))
}

pub(crate) fn truth_of_low_byte(element: &MethodElement) -> Option<u64> {
    to_bool(element).map(|()| u64::from(element.code & 0xff != 0))
}

pub(crate) fn truth_of_lowest_bit(element: &MethodElement) -> Option<u64> {
    to_bool(element).map(|()| element.code & 1)
}

/// As `(int)x & 1` has it.
pub(crate) fn truth_of_odd_integer(element: &MethodElement) -> Option<u64> {
    to_bool(element)?;
    element.float_source()?;
    let (_, magnitude) = element.finite()?;
    Some(u64::from(round::to_integer(magnitude, MagnitudeRounding::TowardZero).count.is_odd()))
}

pub(crate) fn truth_inverted(element: &MethodElement) -> Option<u64> {
    matches!(element.target(), CodeKind::Bool).then(|| Some(element.right()? ^ 1))?
}

pub(crate) fn nan_false(element: &MethodElement) -> Option<u64> {
    to_bool(element)?;
    element.is_nan().then_some(0)
}

/// A C `-(x != 0)`, or a vector mask that was not masked.
pub(crate) fn true_all_ones(element: &MethodElement) -> Option<u64> {
    let is_true = element.request.from == DType::Bool && element.code == 1;
    (is_true && matches!(element.target, CodeKind::Integer(_)))
        .then(|| element.request.to.code_mask())
}
