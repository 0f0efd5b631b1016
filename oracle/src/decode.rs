//! From code to exact value.

use crate::format::{CodeKind, FloatFormat, IntegerFormat, NanEncoding, ZeroEncoding};
use crate::number::{Integer, Rational};
use crate::value::Value;

/// Returns the value of a code; `None` for a bool byte other than 0 and 1, which has no value.
/// `code` fits the width of the dtype.
pub fn decode(kind: &CodeKind, code: u64) -> Option<Value> {
    match kind {
        CodeKind::Bool => (code <= 1).then(|| Value::from_number(Rational::from(code))),
        CodeKind::Integer(format) => {
            Some(Value::from_number(Rational::from(integer(format, code))))
        }
        CodeKind::Float(format) => Some(float(format, code)),
    }
}

/// Two's complement.
fn integer(format: &IntegerFormat, code: u64) -> Integer {
    let negative = format.signed && code >> (format.bits - 1) == 1;
    Integer::from(code) - (Integer::from(u8::from(negative)) << format.bits)
}

/// Is this code a NaN of the format?
pub fn is_nan(format: &FloatFormat, code: u64) -> bool {
    let magnitude = code & format.magnitude_mask();
    match format.nan {
        NanEncoding::None => false,
        NanEncoding::TopBinade => magnitude > format.top_binade(),
        NanEncoding::AllOnes => magnitude == format.magnitude_mask(),
        NanEncoding::NegativeZero => code == format.sign_bit(),
    }
}

fn float(format: &FloatFormat, code: u64) -> Value {
    let negative = code & format.sign_bit() != 0;
    let magnitude = code & format.magnitude_mask();
    if is_nan(format, code) {
        return Value::Nan { negative };
    }
    if format.infinities && magnitude == format.top_binade() {
        return Value::Infinite { negative };
    }
    let negative = negative && (magnitude != 0 || format.zero == ZeroEncoding::Signed);
    Value::Finite { negative, magnitude: finite(format, magnitude) }
}

/// The absolute value of a finite code without its sign.
pub fn finite(format: &FloatFormat, magnitude: u64) -> Rational {
    let stored = magnitude & ((1 << format.significand_bits) - 1);
    let exponent_field = (magnitude >> format.significand_bits) as i32;
    let (significand, exponent) = if exponent_field == 0 && format.has_subnormals() {
        (stored, format.min_exponent())
    } else {
        (stored | 1 << format.significand_bits, exponent_field - format.bias)
    };
    Rational::from(significand) << format.quantum(exponent)
}
