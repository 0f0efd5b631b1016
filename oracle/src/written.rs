//! Numbers as people write them, and exact texts of them.

use crate::decimal;
use crate::decode::decode;
use crate::format::kind;
use crate::number::{Integer, Rational};
use crate::value::Value;
use castproof_vectors::DType;

/// The exponents to which those of numbers are clamped. A text of a few bytes must not allocate gigabytes.
struct Far {
    /// Of two, in hexadecimal numbers.
    two: i64,
    /// Of ten, in decimal ones.
    ten: i64,
}

/// Every dtype ends long before it.
const FAR: Far = Far { two: 1400, ten: decimal::FAR };

/// Every format of up to 16 bits ends before it: the widest of P3109 goes from 2^-32767 to 2^32766.
const FARTHEST: Far = Far { two: 33_400, ten: 10_000 };

/// The longest exact decimal that is written; longer ones are hexadecimal: `0x1p-149`.
const LONGEST: usize = 40;

/// Reads a number of a person: decimal (`464`, `-1e20`), hexadecimal with a point or an exponent of two as
/// C writes it (`0x1.8p3`), `inf`, `infinity` and `nan` in any case, each with a sign or without, which
/// may be the minus sign of printed text (U+2212). `None` for every other text. Exponents far beyond those of every dtype
/// are clamped.
pub fn read(text: &str) -> Option<Value> {
    read_within(text, &FAR)
}

/// As [`read`], for formats with wider exponents than those of the dtypes.
pub fn read_wide(text: &str) -> Option<Value> {
    read_within(text, &FARTHEST)
}

fn read_within(text: &str, far: &Far) -> Option<Value> {
    let text = text.trim();
    let (negative, unsigned) = match text.strip_prefix(['-', '\u{2212}']) {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = unsigned.to_ascii_lowercase();
    match lower.as_str() {
        "inf" | "infinity" => return Some(Value::Infinite { negative }),
        "nan" => return Some(Value::Nan { negative }),
        _ if lower.starts_with(['+', '-']) => return None,
        _ => {}
    }
    let magnitude = match lower.strip_prefix("0x") {
        Some(digits) => hexadecimal(digits, far.two)?,
        None => match decimal::read_within(&lower, far.ten)?.value {
            Value::Finite { magnitude, .. } => magnitude,
            _ => return None,
        },
    };
    Some(Value::Finite { negative, magnitude })
}

/// Reads what follows `0x`: digits with at most one point, and perhaps `p` with a decimal exponent of two.
fn hexadecimal(text: &str, far: i64) -> Option<Rational> {
    let (mantissa, exponent) = match text.split_once('p') {
        Some((mantissa, exponent)) => (mantissa, read_exponent(exponent)?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let significand = Integer::from_str_radix(&digits, 16).ok()?;
    if significand == 0 {
        return Some(Rational::new());
    }
    let exponent = exponent - 4 * fraction.len() as i64;
    // 2^(place - 1) <= number < 2^place
    let place = exponent + i64::from(significand.significant_bits());
    if place.abs() > far {
        return Some(power_of_two(place.clamp(-far, far)));
    }
    Some(Rational::from(significand) * power_of_two(exponent))
}

fn read_exponent(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    // Parsing can fail only by overflow.
    let exponent = digits.parse().unwrap_or(i64::MAX / 4).min(i64::MAX / 4);
    Some(if negative { -exponent } else { exponent })
}

fn power_of_two(exponent: i64) -> Rational {
    Rational::from(1) << i32::try_from(exponent).expect("clamped, or as long as some text")
}

/// Writes the exact value of a code so that [`read`] reads it back: decimal, or hexadecimal where that
/// would be long. `None` for a code without a value.
pub fn exact(dtype: DType, code: u64) -> Option<String> {
    Some(written(&decode(&kind(dtype)?, code)?))
}

/// Writes the value of a code, as [`exact`] does.
pub fn written(value: &Value) -> String {
    let (negative, magnitude) = match value {
        Value::Nan { negative } => return if *negative { "-nan" } else { "nan" }.into(),
        Value::Infinite { negative } => return if *negative { "-inf" } else { "inf" }.into(),
        Value::Finite { negative, magnitude } => (*negative, magnitude),
    };
    let sign = if negative { "-" } else { "" };
    // A power of two with many places or digits is long in decimal; it is not even computed.
    let bits = magnitude.denom().significant_bits().max(magnitude.numer().significant_bits());
    let plain = (bits as usize <= 4 * LONGEST).then(|| decimal::plain(magnitude));
    match plain.filter(|it| it.len() <= LONGEST) {
        Some(plain) => format!("{sign}{plain}"),
        None => format!("{sign}{}", hexadecimal_of(magnitude)),
    }
}

/// Writes a dyadic magnitude above zero as C does: `0x1.8p3`. Numbers of dtypes have at most 64 bits.
fn hexadecimal_of(magnitude: &Rational) -> String {
    let numerator = magnitude.numer();
    let twos = numerator.find_one(0).unwrap_or(0);
    let odd = Integer::from(numerator >> twos).to_u64().unwrap_or(u64::MAX);
    let below = i64::from(magnitude.denom().significant_bits()) - 1;
    let exponent = i64::from(numerator.significant_bits()) - 1 - below;
    // The leading bit stands before the point; those after it are whole digits, zeros at the end left out.
    let after = (odd << odd.leading_zeros()) << 1;
    let digits = format!("{after:016x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("0x1{point}{digits}p{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_people() {
        for (text, number) in [
            ("464", (464, 1)),
            ("\u{2212}0.5", (-1, 2)),
            ("1e3", (1000, 1)),
            ("0x1.8p3", (12, 1)),
            ("-0X1P-2", (-1, 4)),
            ("0x.8", (1, 2)),
            ("0xff", (255, 1)),
        ] {
            assert_eq!(
                read(text).and_then(|it| it.number()),
                Some(Rational::from(number)),
                "{text}"
            );
        }
        assert_eq!(read("-Infinity"), Some(Value::Infinite { negative: true }));
        assert_eq!(read("-NaN"), Some(Value::Nan { negative: true }));
        assert!(read("-0.0").is_some_and(|it| it.is_zero()));
        for text in ["", "0x", "0xp3", "--1", "+-1", "-+1", "1.5f", "0x1p", "1,5", "0x1.2.3", "in"]
        {
            assert_eq!(read(text), None, "{text}");
        }
        // A few bytes that would be gigabytes.
        assert!(read("0x1p99999999999").is_some() && read("0x1p-99999999999999999999").is_some());
        assert_eq!(
            read_wide("0x1p5000").and_then(|it| it.number()),
            Some(Rational::from(1) << 5000)
        );
        assert!(read("1e500") == read("1e600") && read_wide("1e500") != read_wide("1e600"));
        assert_eq!(read_wide("1e99999999999"), read_wide("1e10000"));
    }

    #[test]
    fn exact_texts_are_read_back() {
        for (dtype, code, text) in [
            (DType::Float32, 0x42fc_7ae1, "126.23999786376953125"),
            (DType::Float32, 1, "0x1p-149"),
            (DType::Float64, 0x3fb9_9999_9999_999a, "0x1.999999999999ap-4"),
            (DType::Float32, 0x8000_0000, "-0"),
            (DType::Int8, 0x80, "-128"),
        ] {
            let got = exact(dtype, code).expect("a value");
            assert_eq!(got, text);
            let value = decode(&kind(dtype).expect("numeric"), code);
            assert_eq!(read(&got), value, "{got}");
        }
    }
}
