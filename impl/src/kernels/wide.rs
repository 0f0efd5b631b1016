//! Casts from and to types of 32 and 64 bits that cannot go through float32 as an intermediate
//! form.

use super::float::nan_with_sign;
use super::{INFINITY, Map, SIGN};
use crate::arch::float_to_integer::{
    f32_to_i32, f32_to_i64, f32_to_u64, f64_to_i32, f64_to_i32_between, f64_to_i64, f64_to_u32,
    f64_to_u64,
};
use crate::rules::Rules;

// A macro, because the rows differ in nothing but two types and a conversion: its name, the words
// of its source and target, and the conversion of codes.
macro_rules! maps {
    ($($(#[$doc:meta])* $name:ident: $from:ty => $to:ty, $convert:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;

        impl Map for $name {
            const NAME: &'static str = concat!("wide::", stringify!($name));
            type In = $from;
            type Out = $to;
            type Setup = ();
            fn setup(_: &Rules) {}
            #[inline(always)]
            fn map(_: &(), code: $from) -> $to {
                let convert: fn($from) -> $to = $convert;
                convert(code)
            }
        }
    )*};
}

maps! {
    /// float64 to float32, to nearest (FF-02, FF-05).
    Float64ToFloat32: u64 => u32, float64_to_float32;
    /// float32 to float64; exact (FF-01).
    Float32ToFloat64: u32 => u64, float32_to_float64;
    /// float32 to int64, as for all integers (FI-02).
    Float32ToInt64: u32 => u64, |code| f32_to_i64(f32::from_bits(code)) as u64;
    /// float32 to uint64.
    Float32ToUint64: u32 => u64, |code| f32_to_u64(f32::from_bits(code));
    /// float32 to int64, for instruction sets that convert one after another.
    Float32ToInt64Scalar: u32 => u64, |code| f32::from_bits(code) as i64 as u64;
    /// float32 to uint64, likewise.
    Float32ToUint64Scalar: u32 => u64, |code| f32::from_bits(code) as u64;
    /// float64 to int64, likewise.
    Float64ToInt64Scalar: u64 => u64, |code| f64::from_bits(code) as i64 as u64;
    /// float64 to uint64, likewise.
    Float64ToUint64Scalar: u64 => u64, |code| f64::from_bits(code) as u64;
    /// float64 to int8.
    Float64ToInt8: u64 => u8, |code| {
        f64_to_i32_between(f64::from_bits(code), i8::MIN.into(), i8::MAX as u16) as u8
    };
    /// float64 to uint8.
    Float64ToUint8: u64 => u8, |code| {
        f64_to_i32_between(f64::from_bits(code), 0, u8::MAX.into()) as u8
    };
    /// float64 to int16.
    Float64ToInt16: u64 => u16, |code| {
        f64_to_i32_between(f64::from_bits(code), i16::MIN, i16::MAX as u16) as u16
    };
    /// float64 to uint16.
    Float64ToUint16: u64 => u16, |code| {
        f64_to_i32_between(f64::from_bits(code), 0, u16::MAX) as u16
    };
    /// float32 to int64, of values that are infinite or in the range of int32.
    ShortFloatToInt64: u32 => u64, short_float_to_i64;
    /// float32 to uint64, of values that are infinite or in the range of int32.
    ShortFloatToUint64: u32 => u64, short_float_to_u64;
    /// float64 to int32.
    Float64ToInt32: u64 => u32, |code| f64_to_i32(f64::from_bits(code)) as u32;
    /// float64 to uint32.
    Float64ToUint32: u64 => u32, |code| f64_to_u32(f64::from_bits(code));
    /// float64 to int64.
    Float64ToInt64: u64 => u64, |code| f64_to_i64(f64::from_bits(code)) as u64;
    /// float64 to uint64.
    Float64ToUint64: u64 => u64, |code| f64_to_u64(f64::from_bits(code));
    /// int32 to float32, to nearest (IF-02).
    Int32ToFloat32: u32 => u32, |code| (code as i32 as f32).to_bits();
    /// uint32 to float32.
    Uint32ToFloat32: u32 => u32, |code| (code as f32).to_bits();
    /// int64 to float32.
    Int64ToFloat32: u64 => u32, |code| (code as i64 as f32).to_bits();
    /// uint64 to float32.
    Uint64ToFloat32: u64 => u32, |code| (code as f32).to_bits();
    /// int8 to float64; exact (IF-01).
    Int8ToFloat64: u8 => u64, |code| f64::from(code as i8).to_bits();
    /// uint8 to float64; exact.
    Uint8ToFloat64: u8 => u64, |code| f64::from(code).to_bits();
    /// int16 to float64; exact.
    Int16ToFloat64: u16 => u64, |code| f64::from(code as i16).to_bits();
    /// uint16 to float64; exact.
    Uint16ToFloat64: u16 => u64, |code| f64::from(code).to_bits();
    /// int32 to float64; exact.
    Int32ToFloat64: u32 => u64, |code| f64::from(code as i32).to_bits();
    /// uint32 to float64; exact.
    Uint32ToFloat64: u32 => u64, |code| f64::from(code).to_bits();
    /// int64 to float64, to nearest (IF-02).
    Int64ToFloat64: u64 => u64, |code| (code as i64 as f64).to_bits();
    /// uint64 to float64.
    Uint64ToFloat64: u64 => u64, |code| (code as f64).to_bits();
}

#[inline(always)]
fn short_float_to_i64(bits: u32) -> u64 {
    let value = f32::from_bits(bits);
    let end = if bits < SIGN { i64::MAX } else { i64::MIN };
    (if bits & !SIGN == INFINITY { end } else { f32_to_i32(value).into() }) as u64
}

#[inline(always)]
fn short_float_to_u64(bits: u32) -> u64 {
    let whole = f32_to_i32(f32::from_bits(bits)).max(0) as u64;
    if bits == INFINITY { u64::MAX } else { whole }
}

#[inline(always)]
fn float64_to_float32(bits: u64) -> u32 {
    let value = f64::from_bits(bits);
    let nearest = (value as f32).to_bits();
    if value.is_nan() { nan_with_sign(bits) } else { nearest }
}

#[inline(always)]
fn float32_to_float64(bits: u32) -> u64 {
    /// The quiet NaN without payload, as float64.
    const WIDE_NAN: u64 = 0x7ff8_0000_0000_0000;
    let value = f32::from_bits(bits);
    // Neither Rust nor WebAssembly says which NaN widening gives, and RISC-V loses the sign.
    let nan = u64::from(bits & SIGN) << 32 | WIDE_NAN;
    if value.is_nan() { nan } else { f64::from(value).to_bits() }
}
