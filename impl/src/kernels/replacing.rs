//! Casts of profiles: floats to integers that replace what is out of range, and NaN of other codes.

use super::float::{Bounds, Narrow, nan_with_sign};
use super::{INFINITY, Map, NAN, SIGN, Word, power_of_two};
use crate::format::FloatFormat;
use crate::rules::{Integers, Kept, Nan, Replaced, Rounding, Rules};
use core::marker::PhantomData;

/// float32 or float64 to an integer, towards zero: the low bits of integers that are kept, and a code
/// for each other class of values.
pub(crate) struct ToInteger<S, T>(PhantomData<(S, T)>);

/// The same, rounded in another way.
pub(crate) struct RoundToInteger<S, T>(PhantomData<(S, T)>);

/// What is kept, and the codes of the rest.
pub(crate) struct Replacing {
    /// The last float64 below the values that are kept, and the first above them.
    low: f64,
    end: f64,
    codes: Replaced,
    /// Whether the nearest integer is replaced by the one above it if it is below the number, and by
    /// the one below if it is above.
    up: bool,
    down: bool,
    /// Whether a tie goes away from zero.
    away: bool,
}

impl Replacing {
    fn new(codes: Replaced) -> Replacing {
        let (low, end) = match codes.kept {
            Kept::Bits { bits, signed: false } => (-1.0, power(bits)),
            Kept::Bits { bits: bits @ ..54, signed: true } => {
                (-power(bits - 1) - 1.0, power(bits - 1))
            }
            Kept::Bits { bits, signed: true } => (below(-power(bits - 1)), power(bits - 1)),
            Kept::Either64 => (below(-power(63)), power(64)),
            Kept::All => (f64::NEG_INFINITY, f64::INFINITY),
        };
        let is = |rounding| codes.rounding == rounding;
        let [up, down, away] = [Rounding::Up, Rounding::Down, Rounding::NearestAway].map(is);
        Replacing { low, end, codes, up, down, away }
    }

    fn of(rules: &Rules) -> Replacing {
        let (rounding, mask) = (Rounding::TowardsZero, u64::MAX);
        Replacing::new(match rules.integers {
            Integers::Replaced(codes) => codes,
            // Only casts with replaced integers are planned through these loops.
            Integers::Nearest => {
                Replaced { rounding, kept: Kept::All, above: 0, below: 0, nan: 0, mask }
            }
        })
    }

    /// The code of a number, whose fraction is cut off.
    #[inline(always)]
    fn code<T: Word>(&self, value: f64) -> T {
        let inside = value > self.low && value < self.end;
        let beyond = if value < 0.0 { self.codes.below } else { self.codes.above };
        let other = if value.is_nan() { self.codes.nan } else { beyond };
        T::low_64(if inside { low_bits(value) & self.codes.mask } else { other })
    }
}

/// A power of two, up to 2^64.
fn power(exponent: u32) -> f64 {
    f64::from_bits(u64::from(1023 + exponent) << 52)
}

/// The next float64 below a negative one.
fn below(value: f64) -> f64 {
    f64::from_bits(value.to_bits() + 1)
}

/// The codes of a float as float64.
pub(crate) trait Float: Word {
    fn to_f64(self) -> f64;
}

impl Float for u32 {
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f32::from_bits(self).into()
    }
}

impl Float for u64 {
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from_bits(self)
    }
}

impl<S: Float, T: Word> Map for ToInteger<S, T> {
    const NAME: &'static str = "replacing::ToInteger";
    type In = S;
    type Out = T;
    type Setup = Replacing;
    fn setup(rules: &Rules) -> Replacing {
        Replacing::of(rules)
    }
    #[inline(always)]
    fn map(setup: &Replacing, code: S) -> T {
        setup.code(code.to_f64())
    }
}

impl<S: Float, T: Word> Map for RoundToInteger<S, T> {
    const NAME: &'static str = "replacing::RoundToInteger";
    type In = S;
    type Out = T;
    type Setup = Replacing;
    fn setup(rules: &Rules) -> Replacing {
        Replacing::of(rules)
    }
    #[inline(always)]
    fn map(setup: &Replacing, code: S) -> T {
        let exact = code.to_f64();
        let nearest = nearest(exact);
        // Of 2.5 the even one is 2, half below it, and of -2.5 it is -2, half above it.
        let tie_up = setup.away & (exact > 0.0) & (exact - nearest == 0.5);
        let tie_down = setup.away & (exact < 0.0) & (nearest - exact == 0.5);
        let above = if setup.up & (nearest < exact) | tie_up { 1.0 } else { 0.0 };
        let below = if setup.down & (nearest > exact) | tie_down { 1.0 } else { 0.0 };
        setup.code(nearest + above - below)
    }
}

/// The nearest integer, a tie the even one.
#[inline(always)]
fn nearest(value: f64) -> f64 {
    // A sum of at least 2^52 has no bits for a fraction: adding it rounds.
    const WHOLE: f64 = (1u64 << 52) as f64;
    const SIGN: u64 = 1 << 63;
    let magnitude = f64::from_bits(value.to_bits() & !SIGN);
    let rounded = (magnitude + WHOLE) - WHOLE;
    let signed = f64::from_bits(rounded.to_bits() | value.to_bits() & SIGN);
    if magnitude < WHOLE { signed } else { value }
}

/// The low 64 bits of the integral part, in two's complement.
#[inline(always)]
fn low_bits(value: f64) -> u64 {
    const FRACTION: u32 = 52;
    let bits = value.to_bits();
    let exponent = (bits >> FRACTION & 0x7ff) as i32 - 1023;
    let significand = bits & ((1 << FRACTION) - 1) | 1 << FRACTION;
    let left = (exponent - FRACTION as i32).max(0) as u32;
    let right = (FRACTION as i32 - exponent).max(0) as u32;
    let shifted = if left < 64 { significand << (left & 63) } else { 0 };
    let magnitude = if right < 64 { shifted >> (right & 63) } else { 0 };
    if value < 0.0 { magnitude.wrapping_neg() } else { magnitude }
}

/// float64 to float32, to nearest; NaN as the rules say.
pub(crate) struct Float64ToFloat32;

impl Map for Float64ToFloat32 {
    const NAME: &'static str = "replacing::Float64ToFloat32";
    type In = u64;
    type Out = u32;
    type Setup = Nan;
    fn setup(rules: &Rules) -> Nan {
        rules.nan
    }
    #[inline(always)]
    fn map(nan: &Nan, bits: u64) -> u32 {
        let value = f64::from_bits(bits);
        let nearest = (value as f32).to_bits();
        let payload = (bits >> 29) as u32 & !(SIGN | INFINITY);
        let of_nan = match nan {
            Nan::Signed | Nan::AllOnes => nan_with_sign(bits),
            Nan::Positive => NAN,
            Nan::Payload => nan_with_sign(bits) | payload,
        };
        if value.is_nan() { of_nan } else { nearest }
    }
}

/// float32 to float64; exact, NaN as the rules say.
pub(crate) struct Float32ToFloat64;

impl Map for Float32ToFloat64 {
    const NAME: &'static str = "replacing::Float32ToFloat64";
    type In = u32;
    type Out = u64;
    type Setup = Nan;
    fn setup(rules: &Rules) -> Nan {
        rules.nan
    }
    #[inline(always)]
    fn map(nan: &Nan, bits: u32) -> u64 {
        const QUIET: u64 = 0x7ff8_0000_0000_0000;
        let value = f32::from_bits(bits);
        let sign = u64::from(bits & SIGN) << 32;
        let of_nan = match nan {
            Nan::Signed | Nan::AllOnes => sign | QUIET,
            Nan::Positive => QUIET,
            Nan::Payload => sign | QUIET | u64::from(bits & !(SIGN | INFINITY)) << 29,
        };
        if value.is_nan() { of_nan } else { f64::from(value).to_bits() }
    }
}

/// float32 to a float of at most 16 bits; to nearest, NaN to the positive code with all bits set.
pub(crate) struct NarrowToOnes<F, W>(PhantomData<(F, W)>);

impl<F: FloatFormat, W: Word> Map for NarrowToOnes<F, W> {
    const NAME: &'static str = "replacing::NarrowToOnes";
    type In = u32;
    type Out = W;
    type Setup = Bounds;
    fn setup(rules: &Rules) -> Bounds {
        Narrow::<F, W>::setup(rules)
    }
    #[inline(always)]
    fn map(bounds: &Bounds, bits: u32) -> W {
        let nearest = Narrow::<F, W>::map(bounds, bits);
        if bits & !SIGN > INFINITY { W::low(F::FORMAT.magnitude_mask() as u32) } else { nearest }
    }
}

/// The magnitude of a float32 to a power of two.
pub(crate) struct MagnitudeToPower;

impl Map for MagnitudeToPower {
    const NAME: &'static str = "replacing::MagnitudeToPower";
    type In = u32;
    type Out = u8;
    type Setup = power_of_two::Setup;
    fn setup(rules: &Rules) -> power_of_two::Setup {
        power_of_two::Narrow::setup(rules)
    }
    #[inline(always)]
    fn map(setup: &power_of_two::Setup, bits: u32) -> u8 {
        power_of_two::Narrow::map(setup, bits & !SIGN)
    }
}
