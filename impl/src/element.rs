//! The Rust types that stand for dtypes in typed slices.

use castproof_vectors::DType;
use core::convert::identity;
#[cfg(feature = "half")]
use half::{bf16, f16};

/// A Rust type whose values are the elements of one dtype. The trait is sealed. Its implementors
/// are `bool`, `i8` to `i64`, `u8` to `u64`, `f32`, `f64`, the narrow types of this crate and, with
/// the feature `half`, `half::f16` and `half::bf16`. Elements of 2, 4 and 6 bits take a byte each;
/// packed elements are cast as bytes.
pub trait Element: Copy + sealed::CodedElement {
    /// The dtype of its values.
    const DTYPE: DType;
}

pub(crate) mod sealed {
    /// A value as its code and back. Codes passed to `from_code` fit the width.
    pub trait CodedElement {
        fn to_code(self) -> u64;
        fn from_code(code: u64) -> Self;
    }
}

// The types of Rust and of `half`; those of this crate are in `narrow`. A macro, because every type
// has the same two impls. Each row: the type, its dtype, the unsigned integer that holds a code,
// value to code, code to value.
macro_rules! elements {
    ($($type:ty, $dtype:ident, $bits:ty, $to:expr, $from:expr;)*) => {$(
        impl Element for $type {
            const DTYPE: DType = DType::$dtype;
        }
        impl sealed::CodedElement for $type {
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
    f32, Float32, u32, f32::to_bits, f32::from_bits;
    f64, Float64, u64, f64::to_bits, f64::from_bits;
}

#[cfg(feature = "half")]
elements! {
    f16, Float16, u16, f16::to_bits, f16::from_bits;
    bf16, Bfloat16, u16, bf16::to_bits, bf16::from_bits;
}
