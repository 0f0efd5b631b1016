//! The value of a code, as a numeral for people, and its place among the values of its dtype.
//!
//! Values come from the widening casts of the implementation, which are exact. They are for
//! people; no verdict depends on them.

use castproof_impl::Cast;
use castproof_vectors::{DType, DTypeClass, RoundMode, landmarks};

/// Exact decimals of up to this many digits are written whole. Longer ones are cut to the fewest
/// digits that identify the code, at least two.
const WHOLE_DIGITS: usize = 12;

/// Returns the value in plain decimal, with enough digits to identify the code: `464`, `0.1`,
/// `6e-8`, `NaN`, `-Inf`, `true`. A code that does not stand for a value (a bool byte of 2) is
/// `invalid`.
pub fn decimal(dtype: DType, code: u64) -> String {
    match dtype.class() {
        DTypeClass::Bool if code > 1 => "invalid".into(),
        DTypeClass::Bool => (code == 1).to_string(),
        DTypeClass::Float | DTypeClass::PowerOfTwo => float(dtype, code),
        DTypeClass::Integer { signed: true } => {
            ordinal(dtype, code).unwrap_or_default().to_string()
        }
        DTypeClass::Integer { signed: false }
        | DTypeClass::Quantized { .. }
        | DTypeClass::Complex { .. }
        | DTypeClass::String => code.to_string(),
    }
}

/// Returns the value of a float's code; `None` for other dtypes.
pub fn value(dtype: DType, code: u64) -> Option<f64> {
    dtype.is_float().then(|| f64::from_bits(widened(dtype, code)))
}

fn float(dtype: DType, code: u64) -> String {
    let is_nan = landmarks(dtype).is_some_and(|landmarks| landmarks.is_nan(code));
    let value = f64::from_bits(widened(dtype, code));
    if is_nan {
        let negative = dtype.is_signed() && code >> (dtype.bits() - 1) == 1;
        return if negative { "-NaN" } else { "NaN" }.into();
    }
    if value.is_infinite() {
        return if value < 0.0 { "-Inf" } else { "Inf" }.into();
    }
    // The shortest decimal that identifies a float64 is the exact value of a narrower float, if
    // that value is short.
    let exact = format!("{value:e}");
    let digits = exact.bytes().take_while(|&byte| byte != b'e').filter(u8::is_ascii_digit).count();
    let shortest = match digits {
        ..=WHOLE_DIGITS => value,
        _ => (2..=17)
            .map(|digits| rounded(value, digits))
            .find(|it| identifies(dtype, *it, code))
            .unwrap_or(value),
    };
    match shortest.abs() {
        0.0 | 1e-4..1e16 => shortest.to_string(),
        _ => format!("{shortest:e}"),
    }
}

fn widened(dtype: DType, code: u64) -> u64 {
    Cast::new(dtype, DType::Float64).and_then(|cast| cast.code(code)).unwrap_or(code)
}

/// Returns the value with this many significant digits.
fn rounded(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits - 1).parse().unwrap_or(value)
}

/// Is the code the nearest one to the value?
fn identifies(dtype: DType, value: f64, code: u64) -> bool {
    let cast = Cast::new(DType::Float64, dtype).map(|cast| cast.round_mode(RoundMode::Nearest));
    cast.and_then(|cast| cast.code(value.to_bits())).is_ok_and(|nearest| nearest == code)
}

/// Returns the place of the code among all values of its dtype, negative below zero. Negative zero
/// is just below zero. `None` for NaN and for codes that do not stand for a value.
pub fn ordinal(dtype: DType, code: u64) -> Option<i128> {
    let landmarks = landmarks(dtype)?;
    if landmarks.is_nan(code) || !landmarks.is_valid(code) {
        return None;
    }
    let negative = dtype.is_signed() && code >> (dtype.bits() - 1) & 1 == 1;
    let magnitude = i128::from(code & (dtype.code_mask() >> 1));
    Some(match (negative, dtype.is_float()) {
        (false, _) => code.into(),
        (true, true) => -1 - magnitude,
        (true, false) => i128::from(code) - (1 << dtype.bits()),
    })
}

/// Returns the code at a place; `None` beyond the ends, and at a NaN.
pub fn code_at(dtype: DType, place: i128) -> Option<u64> {
    let top = 1_i128 << (dtype.bits() - 1);
    let code = match (place < 0, dtype.is_float()) {
        (false, _) => place,
        (true, _) if !dtype.is_signed() => return None,
        (true, true) => top - 1 - place,
        (true, false) => place + 2 * top,
    };
    let code = u64::try_from(code).ok().filter(|code| *code <= dtype.code_mask())?;
    (ordinal(dtype, code) == Some(place)).then_some(code)
}

/// Returns the place of the value with the other sign.
pub fn mirrored(dtype: DType, place: i128) -> i128 {
    if dtype.is_float() { -1 - place } else { -place }
}

/// Returns the first and the last place of the dtype.
pub fn ends(dtype: DType) -> Option<(i128, i128)> {
    let mask = dtype.code_mask();
    let top = if dtype.is_signed() { mask >> 1 } else { mask };
    // NaN codes are above the largest value; none lies between values.
    let nan = |code: u64| landmarks(dtype).is_some_and(|landmarks| landmarks.is_nan(code));
    let last = match dtype {
        DType::Bool => 1,
        _ if !nan(top) => top,
        _ => {
            let (mut value, mut not) = (0, top);
            while not - value > 1 {
                let middle = value + (not - value) / 2;
                if nan(middle) { not = middle } else { value = middle }
            }
            value
        }
    };
    let last = i128::from(last);
    let first = match (dtype.is_signed(), dtype.is_float()) {
        (false, _) => 0,
        (true, true) => -1 - last,
        (true, false) => -1 - i128::from(top),
    };
    ordinal(dtype, code_at(dtype, first)?)?;
    Some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::DType::*;

    #[test]
    fn values_are_short_and_identify_their_code() {
        for (dtype, code, text) in [
            (Bool, 1, "true"),
            (Bool, 2, "invalid"),
            (Int8, 0x80, "-128"),
            (Int64, u64::MAX, "-1"),
            (Uint64, u64::MAX, "18446744073709551615"),
            (Float32, 0x43e8_0000, "464"),
            (Float32, 0x43e8_0001, "464.00003"),
            (Float32, 0x3dcc_cccd, "0.1"),
            (Float32, 0x8000_0000, "-0"),
            (Float32, 0x0000_0001, "1.4e-45"),
            (Float32, 0x7f7f_ffff, "3.4028235e38"),
            (Float32, 0x7f80_0000, "Inf"),
            (Float64, 0x3ff0_0200_0000_0001, "1.0004882812500002"),
            (Float16, 0x0001, "6e-8"),
            (Float16, 0x3c01, "1.0009765625"),
            (Float8E4M3FNUZ, 0x80, "-NaN"),
            (Float8E4M3FN, 0x7e, "448"),
            (Float8E8M0, 0xfe, "1.7e38"),
            (Float8E8M0, 0x00, "5.9e-39"),
            (Float4E2M1, 0x9, "-0.5"),
        ] {
            assert_eq!(decimal(dtype, code), text, "{dtype} {code:#x}");
        }
        for dtype in [Float16, Bfloat16, Float8E5M2, Float8E8M0, Float6E2M3] {
            for code in 0..=dtype.code_mask() {
                let text = decimal(dtype, code);
                let Some(value) = text.parse::<f64>().ok().filter(|it| it.is_finite()) else {
                    continue;
                };
                assert!(identifies(dtype, value, code), "{dtype} {code:#x}: {text}");
            }
        }
    }

    #[test]
    fn places_are_the_order_of_values() {
        for &dtype in DType::CAST.iter().filter(|dtype| dtype.is_numeric() && dtype.bits() <= 16) {
            let (first, last) = ends(dtype).expect("numeric");
            let mut before = f64::NEG_INFINITY;
            for place in first..=last {
                let Some(code) = code_at(dtype, place) else {
                    assert!(dtype.name().ends_with("fnuz") && place == -1, "{dtype} {place}");
                    continue;
                };
                assert_eq!(ordinal(dtype, code), Some(place), "{dtype}");
                let value = f64::from_bits(widened(dtype, code));
                assert!(value >= before, "{dtype} {place}");
                before = value;
            }
            assert!(code_at(dtype, first - 1).is_none() && code_at(dtype, last + 1).is_none());
        }
        for dtype in [Float32, Float64, Int64, Uint64] {
            let (first, last) = ends(dtype).expect("numeric");
            assert!(code_at(dtype, first).is_some() && code_at(dtype, last).is_some());
            assert!(code_at(dtype, first - 1).is_none() && code_at(dtype, last + 1).is_none());
        }
    }
}
