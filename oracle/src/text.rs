//! Judging text: is this what a cast to string may write?

use crate::decimal::{self, Spelling};
use crate::decode::decode;
use crate::encode;
use crate::format::{CodeKind, FloatFormat, kind};
use crate::round::{self, MagnitudeRounding};
use crate::value::Value;
use castproof_vectors::{DType, Notation, Outcome};

/// May the element `code` of `from` become `text`? `None` if the outcome is not about text.
/// [`Outcome::Any`] admits every text.
pub fn admits_text(outcome: &Outcome, from: DType, code: Option<u64>, text: &str) -> Option<bool> {
    outcome.admits_text(text, |notation| {
        code.is_some_and(|code| round_trips(from, code, text, notation))
    })
}

/// Is the text a numeral in this notation, and is the nearest number of `from` to it the element
/// `code`? Integers must have the same value.
fn round_trips(from: DType, code: u64, text: &str, notation: Notation) -> bool {
    let (Some(numeral), Some(kind)) = (decimal::read(text), kind(from)) else { return false };
    let plain = matches!(numeral.spelling, Spelling::Integer | Spelling::Plain);
    if notation == Notation::Plain && !plain {
        return false;
    }
    let Value::Finite { negative, magnitude } = &numeral.value else { return false };
    match kind {
        CodeKind::Float(format) if format.has_subnormals() => {
            let rounded = round::to_format(magnitude, &format, MagnitudeRounding::NearestEven);
            encode::signed(&format, *negative, encode::magnitude(&format, &rounded)) == code
        }
        CodeKind::Float(format) => nearest_power(&format, &numeral.value, code),
        CodeKind::Integer(_) | CodeKind::Bool => {
            let value = decode(&kind, code).and_then(|value| value.number());
            value.is_some() && value == numeral.value.number()
        }
    }
}

/// float8e8m0: within half the way to the next power of two on either side.
fn nearest_power(format: &FloatFormat, read: &Value, code: u64) -> bool {
    let Some(Value::Finite { magnitude: power, .. }) = decode(&CodeKind::Float(*format), code)
    else {
        return false;
    };
    let Value::Finite { negative: false, magnitude } = read else { return false };
    let (low, high) = ((power.clone() * 3u32) >> 2u32, (power * 3u32) >> 1u32);
    low < *magnitude && *magnitude < high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_round_trips() {
        use Notation::*;
        for (from, code, text, notation, expected) in [
            (DType::Float32, 0x3dcc_cccd, "0.1", Plain, true),
            (DType::Float32, 0x3dcc_cccd, "1e-1", Plain, false),
            (DType::Float32, 0x3dcc_cccd, "1e-1", Any, true),
            (DType::Float32, 0x3dcc_cccd, "0.100000009", Plain, false),
            (DType::Float64, 0x3fd5_5555_5555_5555, "0.33333333", Any, false),
            (DType::Float32, 0, "0.0", Plain, true),
            (DType::Float32, 0, "-0.0", Plain, false),
            (DType::Float32, 0x3f80_0000, "1 ", Any, false),
            (DType::Float32, 0x3f80_0000, "NaN", Any, false),
            (DType::Float32, 0x7f7f_ffff, "1e40", Any, false),
            (DType::Float8E8M0, 0x80, "2", Plain, true),
            (DType::Float8E8M0, 0x80, "3.5", Plain, false),
            (DType::Int8, 0xf9, "-7.0", Any, true),
            (DType::Int8, 0xf9, "-7.5", Any, false),
        ] {
            let got = round_trips(from, code, text, notation);
            assert_eq!(got, expected, "{from} {code:#x} {text:?} {notation:?}");
        }
    }
}
