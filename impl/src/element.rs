//! The Rust types that stand for dtypes in typed slices.

use castproof_vectors::DType;
use core::convert::identity;
use half::{bf16, f16};

/// A Rust type whose values are the elements of one dtype. Sealed: the implementors are `bool`,
/// `i8` to `i64`, `u8` to `u64`, `f32`, `f64`, `half`'s `f16` and `bf16`, and the float8 types of
/// this crate. Elements of 2, 4 and 6 bits have no type; cast them as bytes.
pub trait Element: Copy + sealed::Code {
    /// The dtype of its values.
    const DTYPE: DType;
}

/// A float8e4m3fn element, by its code. Equality is that of codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct F8E4M3FN(pub u8);

/// A float8e4m3fnuz element, by its code. Equality is that of codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct F8E4M3FNUZ(pub u8);

/// A float8e5m2 element, by its code. Equality is that of codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct F8E5M2(pub u8);

/// A float8e5m2fnuz element, by its code. Equality is that of codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct F8E5M2FNUZ(pub u8);

/// A float8e8m0 element, by its code. Equality is that of codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct F8E8M0(pub u8);

mod sealed {
    /// A value as its code and back. Codes passed to `from_code` fit the width.
    pub trait Code {
        fn to_code(self) -> u64;
        fn from_code(code: u64) -> Self;
    }
}

// A macro, because an impl per type is the same two traits eighteen times. Each row: the type, its
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
    F8E4M3FN, Float8E4M3FN, u8, |F8E4M3FN(code)| code, F8E4M3FN;
    F8E4M3FNUZ, Float8E4M3FNUZ, u8, |F8E4M3FNUZ(code)| code, F8E4M3FNUZ;
    F8E5M2, Float8E5M2, u8, |F8E5M2(code)| code, F8E5M2;
    F8E5M2FNUZ, Float8E5M2FNUZ, u8, |F8E5M2FNUZ(code)| code, F8E5M2FNUZ;
    F8E8M0, Float8E8M0, u8, |F8E8M0(code)| code, F8E8M0;
    f16, Float16, u16, f16::to_bits, f16::from_bits;
    bf16, Bfloat16, u16, bf16::to_bits, bf16::from_bits;
    f32, Float32, u32, f32::to_bits, f32::from_bits;
    f64, Float64, u64, f64::to_bits, f64::from_bits;
}
