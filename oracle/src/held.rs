//! Which code of a dtype stands for a number that a person writes.

use crate::encode;
use crate::format::{CodeKind, FloatFormat, NanEncoding, ZeroEncoding, kind};
use crate::line::{Neighbour, neighbours};
use crate::number::Rational;
use crate::overflow::Nearest;
use crate::value::Value;
use castproof_vectors::DType;
use std::cmp::Ordering;

/// What a dtype has of a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// The code that stands for exactly this number.
    Exactly(u64),
    /// The codes beside it.
    Between {
        /// The largest number that is not above it.
        below: Option<u64>,
        /// The smallest number above it.
        above: Option<u64>,
        /// The nearest, of two the even one; infinity beyond the largest number of a format that has
        /// one. `None` if the number is beyond the ends.
        nearest: Option<u64>,
    },
    /// The dtype has nothing of this kind: `no infinity`, `no NaN`, `no negative zero`.
    Lacks(&'static str),
}

/// Returns what a dtype has of a number; `None` if its elements are not numbers.
pub fn held(dtype: DType, value: &Value) -> Option<Held> {
    let kind = kind(dtype)?;
    Some(match (&kind, value) {
        (CodeKind::Float(format), Value::Nan { .. }) if format.nan == NanEncoding::None => {
            Held::Lacks("no NaN")
        }
        (CodeKind::Float(format), Value::Nan { negative }) => {
            Held::Exactly(encode::quiet_nan(format, *negative))
        }
        (CodeKind::Float(format), Value::Infinite { negative }) if format.infinities => {
            Held::Exactly(encode::infinity(format, *negative))
        }
        (_, Value::Nan { .. }) => Held::Lacks("no NaN"),
        (_, Value::Infinite { .. }) => Held::Lacks("no infinity"),
        (_, Value::Finite { negative: true, magnitude }) if *magnitude == 0 => match &kind {
            CodeKind::Float(format) if format.zero == ZeroEncoding::Signed => {
                Held::Exactly(format.sign_bit())
            }
            _ => Held::Lacks("no negative zero"),
        },
        (_, Value::Finite { negative, magnitude }) => finite(&kind, *negative, magnitude),
    })
}

fn finite(kind: &CodeKind, negative: bool, magnitude: &Rational) -> Held {
    let number = if negative { Rational::from(-magnitude) } else { magnitude.clone() };
    let [below, above] = neighbours(kind, &number);
    if let Some(below) = below.as_ref().filter(|below| below.distance == 0) {
        return Held::Exactly(below.code);
    }
    // Above -1e-400 is zero, which has the sign of the number where zeros have one.
    let above = above.map(|above| Neighbour { code: signed(kind, negative, above.code), ..above });
    let nearest = nearest(kind, negative, magnitude, below.as_ref(), above.as_ref());
    let code = |it: Option<Neighbour>| it.map(|it| it.code);
    Held::Between { below: code(below), above: code(above), nearest }
}

/// Gives a zero the sign of the number that it stands beside.
fn signed(kind: &CodeKind, negative: bool, code: u64) -> u64 {
    match kind {
        CodeKind::Float(format) if format.has_subnormals() && code == 0 => {
            encode::signed(format, negative, 0)
        }
        _ => code,
    }
}

fn nearest(
    kind: &CodeKind,
    negative: bool,
    magnitude: &Rational,
    below: Option<&Neighbour>,
    above: Option<&Neighbour>,
) -> Option<u64> {
    match (below, above) {
        (Some(below), Some(above)) => Some(match below.distance.cmp(&above.distance) {
            Ordering::Less => below.code,
            Ordering::Greater => above.code,
            Ordering::Equal if below.code & 1 == 0 => below.code,
            Ordering::Equal => above.code,
        }),
        // Infinity stands for all that rounds to one step beyond the largest number.
        _ => match kind {
            CodeKind::Float(format) if format.infinities => {
                Some(beyond(format, negative, magnitude))
            }
            _ => None,
        },
    }
}

fn beyond(format: &FloatFormat, negative: bool, magnitude: &Rational) -> u64 {
    if Nearest::new(magnitude, format).overflows {
        encode::infinity(format, negative)
    } else {
        encode::largest(format, negative)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::written::read;

    fn of(dtype: DType, text: &str) -> Held {
        held(dtype, &read(text).expect("a number")).expect("a numeric dtype")
    }

    #[test]
    fn what_is_held_exactly() {
        use DType::*;
        for (dtype, text, code) in [
            (Float32, "464", 0x43e8_0000),
            (Float32, "-0.0", 0x8000_0000),
            (Float32, "inf", 0x7f80_0000),
            (Float32, "nan", 0x7fc0_0000),
            (Float32, "-nan", 0xffc0_0000),
            (Float32, "0x1p-149", 1),
            (Float8E4M3FN, "nan", 0x7f),
            (Float8E4M3FNUZ, "nan", 0x80),
            (Float8E8M0, "0x1p127", 0xfe),
            (Int8, "-128", 0x80),
            (Int8, "1e2", 0x64),
            (Uint64, "18446744073709551615", u64::MAX),
            (Bool, "1", 1),
        ] {
            assert_eq!(of(dtype, text), Held::Exactly(code), "{dtype} {text}");
        }
        for (dtype, text, lacks) in [
            (Float8E4M3FN, "inf", "no infinity"),
            (Float4E2M1, "nan", "no NaN"),
            (Float8E4M3FNUZ, "-0.0", "no negative zero"),
            (Int8, "-0", "no negative zero"),
            (Int8, "nan", "no NaN"),
        ] {
            assert_eq!(of(dtype, text), Held::Lacks(lacks), "{dtype} {text}");
        }
    }

    /// 126.24 is 0x42fc7ae1 and a little more. 65519.99 rounds to the largest float16, 65520 to infinity.
    #[test]
    fn what_stands_beside() {
        use DType::*;
        let between = |below, above, nearest| Held::Between { below, above, nearest };
        for (dtype, text, due) in [
            (Float32, "126.24", (Some(0x42fc_7ae1), Some(0x42fc_7ae2), Some(0x42fc_7ae1))),
            (Float16, "2049", (Some(0x6800), Some(0x6801), Some(0x6800))),
            (Float16, "2051", (Some(0x6801), Some(0x6802), Some(0x6802))),
            (Float16, "65519.99", (Some(0x7bff), None, Some(0x7bff))),
            (Float16, "65520", (Some(0x7bff), None, Some(0x7c00))),
            (Float16, "-1e9", (None, Some(0xfbff), Some(0xfc00))),
            (Float64, "1e-400", (Some(0), Some(1), Some(0))),
            (Float64, "-1e-400", (Some(1 << 63 | 1), Some(1 << 63), Some(1 << 63))),
            (Float8E4M3FN, "500", (Some(0x7e), None, None)),
            (Float8E8M0, "3", (Some(0x80), Some(0x81), Some(0x80))),
            (Float8E8M0, "0", (None, Some(0), None)),
            (Int8, "0.5", (Some(0), Some(1), Some(0))),
            (Int8, "-1.5", (Some(0xfe), Some(0xff), Some(0xfe))),
            (Int8, "128", (Some(0x7f), None, None)),
            (Bool, "0.5", (Some(0), Some(1), Some(0))),
        ] {
            assert_eq!(of(dtype, text), between(due.0, due.1, due.2), "{dtype} {text}");
        }
    }
}
