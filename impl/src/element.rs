//! The Rust types that stand for dtypes in typed slices.

use crate::narrow::{
    F4E2M1, F6E2M3, F6E3M2, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0, I2, I4, U2, U4,
};
use castproof_vectors::DType;
use core::convert::identity;
#[cfg(feature = "half")]
use half::{bf16, f16};

/// A Rust type whose values are the elements of one dtype. Sealed: the implementors are `bool`,
/// `i8` to `i64`, `u8` to `u64`, `f32`, `f64`, with the feature `half` `half::f16` and `half::bf16`, and
/// the narrow types of this crate. Those of 2, 4 and 6 bits take a byte each; packed elements are cast as bytes.
pub trait Element: Copy + sealed::Code {
    /// The dtype of its values.
    const DTYPE: DType;
}

mod sealed {
    /// A value as its code and back. Codes passed to `from_code` fit the width.
    pub trait Code {
        fn to_code(self) -> u64;
        fn from_code(code: u64) -> Self;
    }
}

// A macro, because an impl per type is the same two traits each time. Each row: the type, its
// dtype, the unsigned integer that holds a code, value to code, code to value.
macro_rules! elements {
    ($($type:ty, $dtype:ident, $bits:ty, $to:expr, $from:expr;)*) => {$(
        impl Element for $type {
            const DTYPE: DType = DType::$dtype;
        }
        impl sealed::Code for $type {
            #[inline]
            fn to_code(self) -> u64 {
                let code: $bits = $to(self);
                code.into()
            }
            #[inline]
            fn from_code(code: u64) -> Self {
                $from(code as $bits)
            }
        }
    )*};
}

elements! {
    bool, Bool, u8, u8::from, |code| code != 0;
    i8, Int8, u8, i8::cast_unsigned, u8::cast_signed;
    u8, Uint8, u8, identity, identity;
    i16, Int16, u16, i16::cast_unsigned, u16::cast_signed;
    u16, Uint16, u16, identity, identity;
    i32, Int32, u32, i32::cast_unsigned, u32::cast_signed;
    u32, Uint32, u32, identity, identity;
    i64, Int64, u64, i64::cast_unsigned, u64::cast_signed;
    u64, Uint64, u64, identity, identity;
    I2, Int2, u8, I2::to_bits, narrow(I2::from_bits);
    U2, Uint2, u8, U2::to_bits, narrow(U2::from_bits);
    I4, Int4, u8, I4::to_bits, narrow(I4::from_bits);
    U4, Uint4, u8, U4::to_bits, narrow(U4::from_bits);
    F4E2M1, Float4E2M1, u8, F4E2M1::to_bits, narrow(F4E2M1::from_bits);
    F6E2M3, Float6E2M3, u8, F6E2M3::to_bits, narrow(F6E2M3::from_bits);
    F6E3M2, Float6E3M2, u8, F6E3M2::to_bits, narrow(F6E3M2::from_bits);
    F8E4M3FN, Float8E4M3FN, u8, F8E4M3FN::to_bits, F8E4M3FN;
    F8E4M3FNUZ, Float8E4M3FNUZ, u8, F8E4M3FNUZ::to_bits, F8E4M3FNUZ;
    F8E5M2, Float8E5M2, u8, F8E5M2::to_bits, F8E5M2;
    F8E5M2FNUZ, Float8E5M2FNUZ, u8, F8E5M2FNUZ::to_bits, F8E5M2FNUZ;
    F8E8M0, Float8E8M0, u8, F8E8M0::to_bits, F8E8M0;
    f32, Float32, u32, f32::to_bits, f32::from_bits;
    f64, Float64, u64, f64::to_bits, f64::from_bits;
}

#[cfg(feature = "half")]
elements! {
    f16, Float16, u16, f16::to_bits, f16::from_bits;
    bf16, Bfloat16, u16, bf16::to_bits, bf16::from_bits;
}

/// Codes fit: a cast has made them.
fn narrow<T>(from_bits: fn(u8) -> Option<T>) -> impl Fn(u8) -> T {
    move |code| from_bits(code).expect("a code of the dtype")
}
