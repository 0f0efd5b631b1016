//! The third step: the code of a value that the format holds.

use crate::projection::Open;
use crate::record::Format;
use castproof_oracle::Value;
use castproof_oracle::number::Rational;
use castproof_oracle::round::exponent;

/// Returns the code of a value that was rounded and saturated. Zero loses its sign where the format has no negative zero (PJ-20).
///
/// # Errors
/// If the format has no zero or no NaN.
pub fn encode(value: &Value, format: &Format) -> Result<u64, Open> {
    match value {
        Value::Nan { .. } => format.nan_code().ok_or(Open::Nan),
        Value::Infinite { negative } => {
            Ok(format.infinity_code(*negative).expect("saturation left no other infinity"))
        }
        Value::Finite { .. } if value.is_zero() && !format.has_zero() => Err(Open::Zero),
        Value::Finite { negative, .. } if value.is_zero() => {
            Ok(if *negative && format.has_negative_zero() { format.sign_bit() } else { 0 })
        }
        Value::Finite { negative, magnitude } => {
            let sign = if *negative { format.sign_bit() } else { 0 };
            Ok(code(magnitude, format) | sign)
        }
    }
}

/// Returns the code of a magnitude above 0: binades are counted from the lowest, and the significand, with its leading one, is added.
fn code(magnitude: &Rational, format: &Format) -> u64 {
    let exponent = exponent(magnitude).max(format.min_exponent());
    let units = Rational::from(magnitude >> format.quantum(exponent));
    let significand = units.numer().to_u64().expect("a significand of the format's precision");
    let binade = u64::from(exponent.abs_diff(format.min_exponent()));
    // The leading one of the lowest normal binade makes its exponent field 1, which that of e8m0 is not.
    (binade << format.trailing_bits()) + significand - u64::from(!format.has_zero())
}
