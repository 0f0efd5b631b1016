//! The parts of a numeral, and how it compares with a float64.

use core::cmp::Ordering;
use core::fmt::Write;
use std::string::String;

/// A text that stands for a number, an infinity or NaN.
#[derive(Clone, Copy)]
pub(super) enum Numeral<'a> {
    /// A number.
    Decimal(Decimal<'a>),
    /// INF, +INF or -INF, in any case.
    Infinity { negative: bool },
    /// NaN, in any case.
    Nan,
}

/// A decimal number in its parts.
#[derive(Clone, Copy)]
pub(super) struct Decimal<'a> {
    pub(super) negative: bool,
    /// Digits before the point.
    whole: &'a str,
    /// Digits after the point.
    fraction: &'a str,
    /// Whether there is neither a point nor an exponent.
    pub(super) is_integer: bool,
    exponent: i64,
}

impl<'a> Numeral<'a> {
    /// Parses a text; `None` if it is not a numeral, such as white space, other scripts or an empty
    /// text.
    pub(super) fn parse(text: &'a str) -> Option<Numeral<'a>> {
        let (negative, unsigned) = match text.as_bytes() {
            [b'-', ..] => (true, &text[1..]),
            [b'+', ..] => (false, &text[1..]),
            _ => (false, text),
        };
        if unsigned.eq_ignore_ascii_case("inf") {
            return Some(Numeral::Infinity { negative });
        }
        if text.eq_ignore_ascii_case("nan") {
            return Some(Numeral::Nan);
        }
        let end = unsigned.find(['e', 'E']);
        let mantissa = end.map_or(unsigned, |end| &unsigned[..end]);
        let exponent = match end {
            Some(end) => parse_exponent(&unsigned[end + 1..])?,
            None => 0,
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.is_empty() && fraction.is_empty() || !is_digits(whole) || !is_digits(fraction) {
            return None;
        }
        let is_integer = end.is_none() && !mantissa.contains('.');
        Some(Numeral::Decimal(Decimal { negative, whole, fraction, is_integer, exponent }))
    }
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Parses an exponent. Saturates where no number of digits in memory could compensate for it.
fn parse_exponent(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !is_digits(digits) {
        return None;
    }
    let magnitude = digits.parse::<i64>().unwrap_or(i64::MAX).min(i64::MAX / 4);
    Some(if text.starts_with('-') { -magnitude } else { magnitude })
}

impl Decimal<'_> {
    /// Significant digits, from the first that is not 0.
    fn digits(&self) -> impl Iterator<Item = u8> {
        let digits = self.whole.bytes().chain(self.fraction.bytes());
        digits.skip_while(|&digit| digit == b'0')
    }

    /// Is it zero, of either sign?
    pub(super) fn is_zero(&self) -> bool {
        self.digits().next().is_none()
    }

    /// The decimal exponent of the first significant digit.
    fn place(&self) -> i64 {
        let whole = self.whole.trim_start_matches('0');
        let place = if whole.is_empty() {
            let zeros = self.fraction.bytes().take_while(|&digit| digit == b'0').count();
            -1 - zeros as i64
        } else {
            whole.len() as i64 - 1
        };
        place + self.exponent
    }

    /// Compares the magnitude with a positive finite number, digit by digit, exactly.
    pub(super) fn cmp_magnitude(&self, number: f64) -> Ordering {
        // No float64 has more significant digits.
        const DIGITS: usize = 767;
        let mut text = String::new();
        write!(text, "{number:.DIGITS$e}").expect("writes to memory");
        let (mantissa, exponent) = text.split_once('e').expect("scientific notation");
        let place: i64 = exponent.parse().expect("a decimal exponent");
        let theirs = mantissa.bytes().filter(|&byte| byte != b'.');
        self.place().cmp(&place).then_with(|| compare_digits(self.digits(), theirs))
    }
}

/// Compares fractions by their digits; zeros continue the shorter one.
fn compare_digits(
    mut ours: impl Iterator<Item = u8>,
    mut theirs: impl Iterator<Item = u8>,
) -> Ordering {
    loop {
        match (ours.next(), theirs.next()) {
            (None, None) => return Ordering::Equal,
            (a, b) => match a.unwrap_or(b'0').cmp(&b.unwrap_or(b'0')) {
                Ordering::Equal => {}
                unequal => return unequal,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_compare_exactly() {
        let compare = |text, number| match Numeral::parse(text) {
            Some(Numeral::Decimal(decimal)) => decimal.cmp_magnitude(number),
            _ => panic!("{text} is not a decimal"),
        };
        for (text, number, expected) in [
            ("0.1", 0.1, Ordering::Less),
            ("0.1000000000000000055511151231257827021181583404541015625", 0.1, Ordering::Equal),
            ("1000e-3", 1.0, Ordering::Equal),
            ("0.00010e4", 1.0, Ordering::Equal),
            ("1.00000000000000000000000000000001", 1.0, Ordering::Greater),
            ("9.99e-1", 1.0, Ordering::Less),
            ("10", 1.0, Ordering::Greater),
        ] {
            assert_eq!(compare(text, number), expected, "{text}");
        }
    }
}
