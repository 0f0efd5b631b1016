//! A code in readable form.

use crate::decode::decode;
use crate::format::kind;
use crate::number::{Integer, Rational};
use crate::value::Value;
use castproof_vectors::DType;

/// Returns the exact value of a code: `464`, `0.5`, `1065353217 * 2^-149`, `NaN`, `-Inf`, `true`. A
/// code without a value (a bool byte of 2) is `invalid`.
pub fn describe(dtype: DType, code: u64) -> String {
    let Some(kind) = kind(dtype) else { return "not a number".into() };
    match (dtype, decode(&kind, code)) {
        (_, None) => "invalid".into(),
        (DType::Bool, Some(_)) => (code == 1).to_string(),
        (_, Some(Value::Nan { negative })) => if negative { "-NaN" } else { "NaN" }.into(),
        (_, Some(Value::Infinite { negative })) => if negative { "-Inf" } else { "Inf" }.into(),
        (_, Some(Value::Finite { negative, magnitude })) => {
            let sign = if negative { "-" } else { "" };
            format!("{sign}{}", number(&magnitude))
        }
    }
}

/// Writes a magnitude in readable form: decimal if that is short, otherwise an odd integer times a
/// power of two. The magnitude is a dyadic number, as all values of dtypes and their differences
/// are.
pub fn number(magnitude: &Rational) -> String {
    let fraction_bits = magnitude.denom().significant_bits() - 1;
    if magnitude.numer().significant_bits() <= 64 && fraction_bits <= 12 {
        return decimal(magnitude, fraction_bits);
    }
    let twos = magnitude.numer().find_one(0).unwrap_or(0);
    let odd = Integer::from(magnitude.numer() >> twos);
    format!("{odd} * 2^{}", i64::from(twos) - i64::from(fraction_bits))
}

/// Writes a number with `digits` binary places, which are as many decimal places.
fn decimal(magnitude: &Rational, digits: u32) -> String {
    let scaled = Rational::from(magnitude * Integer::from(Integer::u_pow_u(10, digits)));
    let text = scaled.numer().to_string();
    if digits == 0 {
        return text;
    }
    let padded = format!("{text:0>width$}", width = digits as usize + 1);
    let (whole, fraction) = padded.split_at(padded.len() - digits as usize);
    format!("{whole}.{fraction}")
}

#[cfg(test)]
mod tests {
    use super::describe;
    use castproof_vectors::DType::*;

    #[test]
    fn values_read_as_people_write_them() {
        for (dtype, code, text) in [
            (Bool, 1, "true"),
            (Bool, 2, "invalid"),
            (Int8, 0x80, "-128"),
            (Uint64, u64::MAX, "18446744073709551615"),
            (Float32, 0x43e8_0000, "464"),
            (Float32, 0x3f40_0000, "0.75"),
            (Float32, 0x8000_0000, "-0"),
            (Float32, 0x0000_0001, "1 * 2^-149"),
            (Float32, 0x7f80_0000, "Inf"),
            (Float8E4M3FNUZ, 0x80, "-NaN"),
            (Float8E8M0, 0xfe, "1 * 2^127"),
            (Float4E2M1, 0x9, "-0.5"),
        ] {
            assert_eq!(describe(dtype, code), text, "{dtype} {code:#x}");
        }
    }
}
