//! From code to exact value.

use crate::record::Format;
use castproof_oracle::Value;
use castproof_oracle::number::Rational;

/// Returns the value of a code; `None` for a code with more bits than the format has.
pub fn decode(format: &Format, code: u64) -> Option<Value> {
    if code & !format.code_mask() != 0 {
        return None;
    }
    let negative = code & format.sign_bit() != 0;
    if format.is_nan(code) {
        return Some(Value::Nan { negative });
    }
    if format.infinity_code(negative) == Some(code) {
        return Some(Value::Infinite { negative });
    }
    // PF-06: a negative code is that of the magnitude, and the sign bit.
    let magnitude = finite(format, code & format.magnitude_mask());
    Some(Value::Finite { negative, magnitude })
}

/// Returns the number of a finite code without sign: T * 2^(q - p + 1) in the lowest binade, else (2^(p-1) + T) * 2^(q - p + 1).
pub(crate) fn finite(format: &Format, magnitude: u64) -> Rational {
    let hidden = 1 << format.trailing_bits();
    let (field, trailing) = (magnitude / hidden, magnitude % hidden);
    let is_lowest = field == 0 && format.has_zero();
    let significand = if is_lowest { trailing } else { hidden + trailing };
    Rational::from(significand) << format.quantum(field as i32 - format.bias)
}
