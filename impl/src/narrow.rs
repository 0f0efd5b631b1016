//! Element types that Rust lacks: floats of at most 8 bits, integers of 2 and 4 bits.
//!
//! A value takes a byte. Its code stands in the low bits, and the bits above are zero.

use crate::Error;
use crate::element::{Element, sealed};
use crate::rules::Rules;
use crate::scalar::Scalar;
use castproof_vectors::DType;
use core::fmt;

// A macro, because the types differ in nothing but their names. Each row: documentation, the type,
// its dtype.
macro_rules! types {
    ($($name:ident, $dtype:ident;)*) => {$(
        #[doc = concat!("An element of ", stringify!($dtype), ", by its code. Equality is that of codes.")]
        #[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
        #[repr(transparent)]
        pub struct $name(u8);

        impl $name {
            /// The element with this code; `None` if bits above its width are set.
            #[must_use]
            pub const fn from_bits(code: u8) -> Option<$name> {
                if code as u64 > DType::$dtype.code_mask() { None } else { Some($name(code)) }
            }

            /// Its code.
            #[must_use]
            pub const fn to_bits(self) -> u8 {
                self.0
            }
        }

        impl Element for $name {
            const DTYPE: DType = DType::$dtype;
        }

        impl sealed::CodedElement for $name {
            #[inline]
            fn to_code(self) -> u64 {
                self.0.into()
            }
            /// Codes fit: a cast has made them.
            #[inline]
            fn from_code(code: u64) -> $name {
                $name::from_bits(code as u8).expect("a code of the dtype")
            }
        }
    )*

        /// The dtypes that these types stand for.
        #[cfg(test)]
        const PACKED: &[DType] = &[$(DType::$dtype),*];
    };
}

// Floats of 8 bits. Every code is an element, so the code is public.
macro_rules! byte_types {
    ($($name:ident, $dtype:ident;)*) => {$(
        #[doc = concat!("An element of ", stringify!($dtype), ", by its code. Equality is that of codes.")]
        #[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
        #[repr(transparent)]
        pub struct $name(pub u8);

        impl $name {
            /// The element with this code.
            #[must_use]
            pub const fn from_bits(code: u8) -> $name {
                $name(code)
            }

            /// Its code.
            #[must_use]
            pub const fn to_bits(self) -> u8 {
                self.0
            }
        }

        impl Element for $name {
            const DTYPE: DType = DType::$dtype;
        }

        impl sealed::CodedElement for $name {
            #[inline]
            fn to_code(self) -> u64 {
                self.0.into()
            }
            #[inline]
            fn from_code(code: u64) -> $name {
                $name(code as u8)
            }
        }
    )*

        /// The dtypes that these types stand for.
        #[cfg(test)]
        const BYTES: &[DType] = &[$(DType::$dtype),*];
    };
}

// Conversions of the floats. Those that round are named functions; `From` and `TryFrom` are exact.
macro_rules! floats {
    ($($name:ident, $dtype:ident;)*) => {$(
        impl $name {
            /// The element that a cast by the newest rules gives.
            #[must_use]
            pub fn from_f32(value: f32) -> $name {
                $name(code(DType::Float32, DType::$dtype, value.to_bits().into()) as u8)
            }

            /// As [`from_f32`](Self::from_f32), rounded once.
            #[must_use]
            pub fn from_f64(value: f64) -> $name {
                $name(code(DType::Float64, DType::$dtype, value.to_bits()) as u8)
            }
        }

        /// Exact.
        impl From<$name> for f32 {
            fn from(element: $name) -> f32 {
                f32::from_bits(code(DType::$dtype, DType::Float32, element.0.into()) as u32)
            }
        }

        /// Exact.
        impl From<$name> for f64 {
            fn from(element: $name) -> f64 {
                f64::from_bits(code(DType::$dtype, DType::Float64, element.0.into()))
            }
        }

        /// Fails if the value would change: a number that the dtype does not have, a zero of the
        /// other sign, or NaN or infinity in a dtype without it.
        impl TryFrom<f32> for $name {
            type Error = Error;

            fn try_from(value: f32) -> Result<$name, Error> {
                let element = $name::from_f32(value);
                let back = f32::from(element);
                let same = back.to_bits() == value.to_bits() || back.is_nan() && value.is_nan();
                if same { Ok(element) } else { Err(Error::NotExact { dtype: DType::$dtype }) }
            }
        }

        /// The value, as float64 is displayed.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&f64::from(*self), f)
            }
        }

        /// Code and value: `F8E4M3FN(0x7e: 448)`.
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({:#04x}: {})"), self.0, f64::from(*self))
            }
        }
    )*};
}

// Conversions of the integers, through the integer type of a byte that holds them all.
macro_rules! integers {
    ($($name:ident, $dtype:ident, $byte:ident, $byte_dtype:ident;)*) => {$(
        impl From<$name> for $byte {
            fn from(element: $name) -> $byte {
                code(DType::$dtype, DType::$byte_dtype, element.0.into()) as $byte
            }
        }

        /// Fails if the value is out of range.
        impl TryFrom<$byte> for $name {
            type Error = Error;

            fn try_from(value: $byte) -> Result<$name, Error> {
                let low_bits = (value as u8) & DType::$dtype.code_mask() as u8;
                let element = $name(low_bits);
                let same = $byte::from(element) == value;
                if same { Ok(element) } else { Err(Error::NotExact { dtype: DType::$dtype }) }
            }
        }

        /// The value.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&$byte::from(*self), f)
            }
        }

        /// The value: `I4(-8)`.
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($name)).field(&$byte::from(*self)).finish()
            }
        }
    )*};
}

byte_types! {
    F8E4M3FN, Float8E4M3FN;
    F8E4M3FNUZ, Float8E4M3FNUZ;
    F8E5M2, Float8E5M2;
    F8E5M2FNUZ, Float8E5M2FNUZ;
    F8E8M0, Float8E8M0;
}

types! {
    F4E2M1, Float4E2M1;
    F6E2M3, Float6E2M3;
    F6E3M2, Float6E3M2;
    I2, Int2;
    U2, Uint2;
    I4, Int4;
    U4, Uint4;
}

floats! {
    F4E2M1, Float4E2M1;
    F6E2M3, Float6E2M3;
    F6E3M2, Float6E3M2;
    F8E4M3FN, Float8E4M3FN;
    F8E4M3FNUZ, Float8E4M3FNUZ;
    F8E5M2, Float8E5M2;
    F8E5M2FNUZ, Float8E5M2FNUZ;
    F8E8M0, Float8E8M0;
}

integers! {
    I2, Int2, i8, Int8;
    U2, Uint2, u8, Uint8;
    I4, Int4, i8, Int8;
    U4, Uint4, u8, Uint8;
}

/// Casts one code by the newest rules.
fn code(from: DType, to: DType, code: u64) -> u64 {
    Scalar::new(from, to, Rules::NEWEST).expect("numeric dtypes").convert(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_narrow_dtype_has_its_type() {
        for &dtype in DType::NUMERIC {
            let of_rust = matches!(dtype, DType::Bool | DType::Int8 | DType::Uint8);
            let here = PACKED.contains(&dtype) || BYTES.contains(&dtype);
            assert_eq!(here, !of_rust && dtype.bits() <= 8, "{dtype}: see impl/src/narrow.rs");
        }
    }
}
