//! Which values the elements of a dtype have.

use crate::format::{FloatFormat, Format, by_format};
use castproof_vectors::DType;

/// Which values the elements of a dtype have.
#[derive(Clone, Copy)]
pub(crate) enum Values {
    /// False and true, of a byte.
    Truth,
    /// Whole numbers, in two's complement if signed.
    Integer { signed: bool },
    /// Numbers with a sign, an exponent and a significand.
    Float(Format),
    /// Powers of two and NaN: float8e8m0.
    PowerOfTwo,
}

impl Values {
    /// Returns the values of a dtype; `None` if its elements are not a single number or truth
    /// value.
    pub(crate) const fn of(dtype: DType) -> Option<Values> {
        use DType::*;
        Some(match dtype {
            Bool => Values::Truth,
            Int2 | Int4 | Int8 | Int16 | Int32 | Int64 => Values::Integer { signed: true },
            Uint2 | Uint4 | Uint8 | Uint16 | Uint32 | Uint64 => Values::Integer { signed: false },
            Float8E8M0 => Values::PowerOfTwo,
            _ => return by_format!(dtype, F => Some(Values::Float(F::FORMAT)), else None),
        })
    }
}

/// Is an integer signed? `None` for bool, floats and dtypes that are not numeric.
pub(crate) const fn signedness(dtype: DType) -> Option<bool> {
    match Values::of(dtype) {
        Some(Values::Integer { signed }) => Some(signed),
        _ => None,
    }
}

/// Is the dtype an integer?
pub(crate) const fn is_integer(dtype: DType) -> bool {
    signedness(dtype).is_some()
}

/// Is the dtype an integer or bool?
pub(crate) const fn is_integer_or_bool(dtype: DType) -> bool {
    matches!(Values::of(dtype), Some(Values::Integer { .. } | Values::Truth))
}

/// The format of a float with a significand.
pub(crate) const fn format_of(dtype: DType) -> Option<Format> {
    match Values::of(dtype) {
        Some(Values::Float(format)) => Some(format),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::DTypeClass;

    /// The label of a dtype says what its elements are; this crate says it for itself.
    #[test]
    fn values_are_of_the_class_of_the_dtype() {
        for dtype in DType::ALL {
            let due = match dtype.class() {
                DTypeClass::Bool => matches!(Values::of(dtype), Some(Values::Truth)),
                DTypeClass::Integer { signed } => signedness(dtype) == Some(signed),
                DTypeClass::Float => format_of(dtype).is_some(),
                DTypeClass::PowerOfTwo => matches!(Values::of(dtype), Some(Values::PowerOfTwo)),
                DTypeClass::String | DTypeClass::Complex { .. } | DTypeClass::Quantized { .. } => {
                    Values::of(dtype).is_none()
                }
            };
            assert!(due, "impl/src/values.rs lacks {dtype}, or has it in another class");
        }
    }
}
