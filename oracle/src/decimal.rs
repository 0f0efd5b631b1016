//! Numerals: decimal text to exact value and back.

use crate::number::Pow;
use crate::number::{Integer, Rational};
use crate::value::Value;

/// A text that stands for a number, an infinity or NaN (S-01 to S-05).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numeral {
    /// Its exact value.
    pub value: Value,
    /// How it is spelled.
    pub spelling: Spelling,
}

/// How a numeral is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// Digits, perhaps with a sign: `-7`.
    Integer,
    /// Digits with a point: `3.14`.
    Plain,
    /// With an exponent: `1e-5`.
    Scientific,
    /// `INF`, `-INF` or `NaN`, in any case.
    Reserved,
}

/// The bound to which decimal exponents are clamped, either way. Every dtype ends long before it
/// (float64 below 10^309 and above 10^-325), and a text of a few bytes must not allocate gigabytes.
pub(crate) const FAR: i64 = 400;

/// Reads a numeral; `None` for every other text (S-06). The specification gives the grammar by
/// example only: an optional sign, decimal digits with at most one point and at least one digit,
/// and an optional exponent.
pub fn read(text: &str) -> Option<Numeral> {
    read_within(text, FAR)
}

/// As [`read`], with another bound to which exponents are clamped.
pub(crate) fn read_within(text: &str, far: i64) -> Option<Numeral> {
    if let Some(value) = reserved(text) {
        return Some(Numeral { value, spelling: Spelling::Reserved });
    }
    let (negative, unsigned) = sign(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(read_exponent(exponent)?)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let spelling = match (exponent, mantissa.contains('.')) {
        (Some(_), _) => Spelling::Scientific,
        (None, true) => Spelling::Plain,
        (None, false) => Spelling::Integer,
    };
    let magnitude = magnitude(whole, fraction, exponent.unwrap_or(0), far);
    Some(Numeral { value: Value::Finite { negative, magnitude }, spelling })
}

/// S-02 to S-05: `INF` and `NaN` in any case, `INF` also with a sign.
fn reserved(text: &str) -> Option<Value> {
    let (negative, unsigned) = sign(text);
    if unsigned.eq_ignore_ascii_case("inf") {
        Some(Value::Infinite { negative })
    } else if text.eq_ignore_ascii_case("nan") {
        Some(Value::Nan { negative: false })
    } else {
        None
    }
}

/// Is there a minus, and what follows the sign?
fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// Reads the exponent, clamped to a range that no mantissa that fits in memory can compensate for.
fn read_exponent(text: &str) -> Option<i64> {
    let (negative, digits) = sign(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    // Parsing can fail only by overflow.
    let exponent = digits.parse().unwrap_or(i64::MAX / 4).min(i64::MAX / 4);
    Some(if negative { -exponent } else { exponent })
}

fn magnitude(whole: &str, fraction: &str, exponent: i64, far: i64) -> Rational {
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0');
    if significant.is_empty() {
        return Rational::new();
    }
    // 10^(place - 1) <= magnitude < 10^place
    let place = exponent + significant.len() as i64 - fraction.len() as i64;
    if place.abs() > far {
        return power_of_ten(place.clamp(-far, far));
    }
    let significand = Integer::from_str_radix(significant, 10).expect("decimal digits");
    Rational::from(significand) * power_of_ten(exponent - fraction.len() as i64)
}

fn power_of_ten(exponent: i64) -> Rational {
    let power = u32::try_from(exponent.unsigned_abs()).expect("as long as some text, or FAR");
    let power = Integer::from(10).pow(power);
    if exponent < 0 { Rational::from((1, power)) } else { Rational::from(power) }
}

/// Writes a dyadic magnitude in plain notation with every digit: `0.0625`.
pub fn plain(magnitude: &Rational) -> String {
    // 1 / 2^k is 5^k / 10^k.
    let places = (magnitude.denom().significant_bits() - 1) as usize;
    let scaled = magnitude * power_of_ten(places as i64);
    let text = scaled.numer().to_string();
    if places == 0 {
        return text;
    }
    let padded = format!("{text:0>width$}", width = places + 1);
    let (whole, fraction) = padded.split_at(padded.len() - places);
    format!("{whole}.{}", fraction.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finite(text: &str) -> Option<(Rational, Spelling)> {
        let numeral = read(text)?;
        Some((numeral.value.number()?, numeral.spelling))
    }

    #[test]
    fn numerals_are_exact() {
        use Spelling::*;
        for (text, number, spelling) in [
            ("3.14", (157, 50), Plain),
            ("-1000", (-1000, 1), Integer),
            ("+007", (7, 1), Integer),
            (".5", (1, 2), Plain),
            ("5.", (5, 1), Plain),
            ("1E-2", (1, 100), Scientific),
            ("-2.50e+1", (-25, 1), Scientific),
        ] {
            assert_eq!(finite(text), Some((Rational::from(number), spelling)), "{text}");
        }
    }

    #[test]
    fn other_texts_are_none() {
        for text in [
            "",
            " 1",
            "1 ",
            "1_0",
            "1,5",
            "0x1p3",
            "infinity",
            "+nan",
            "-nan",
            ".",
            "e5",
            "1e",
            "1e+",
            "1e5.5",
            "--1",
            "+-1",
            "1.2.3",
            "\u{ff11}",
            "1\0",
            "Hello World!",
        ] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }

    #[test]
    fn far_exponents_stay_small_and_long_mantissas_count() {
        assert!(finite("1e99999999999999999999").expect("a numeral").0 > 1);
        assert!(finite("-1e-99999999999999999999").expect("a numeral").0 < 0);
        let zeros = "0".repeat(20_000);
        let one = finite(&format!("1{zeros}e-20000")).expect("a numeral").0;
        assert_eq!(one, 1);
        assert_eq!(finite(&format!("0.{zeros}1e20001")).expect("a numeral").0, 1);
        assert_eq!(finite("0e99999999999999999999").expect("a numeral").0, 0);
    }

    #[test]
    fn plain_notation_is_read_back() {
        for (number, text) in [((1, 16), "0.0625"), ((1000, 1), "1000"), ((5, 2), "2.5")] {
            let number = Rational::from(number);
            assert_eq!(plain(&number), text);
            assert_eq!(finite(text).expect("a numeral").0, number);
        }
    }
}
