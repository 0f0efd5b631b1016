//! The second step: what is beyond the largest number becomes it, infinity or NaN.

use crate::decode::finite;
use crate::projection::{Open, Projection, Rounding};
use crate::record::{Format, Specials};
use castproof_oracle::Value;
use castproof_oracle::number::Rational;
use castproof_vectors::{Edition, Saturation};

/// Saturates a rounded value.
///
/// # Errors
/// If the specifications differ in it, or the format has no such saturation.
pub fn saturate(rounded: Value, format: &Format, projection: &Projection) -> Result<Value, Open> {
    if projection.saturation == Saturation::Propagate && !format.is_p3109() {
        return Err(Open::Propagate);
    }
    let beyond = match &rounded {
        Value::Nan { .. } => return Ok(rounded),
        Value::Finite { negative, magnitude } if holds(format, *negative, magnitude) => {
            return Ok(rounded);
        }
        Value::Finite { negative, .. } => Beyond { negative: *negative, is_infinite: false },
        Value::Infinite { negative } => Beyond { negative: *negative, is_infinite: true },
    };
    match format.is_p3109() {
        true => Ok(p3109(&beyond, format, projection)),
        false => other(&beyond, format, projection),
    }
}

/// Is a rounded number between the smallest and the largest?
pub(crate) fn holds(format: &Format, negative: bool, magnitude: &Rational) -> bool {
    match negative && !format.signed {
        // PJ-15: what was rounded to zero is zero, whatever its sign was.
        true => *magnitude == 0,
        false => *magnitude <= finite(format, format.largest_code()),
    }
}

/// A number or an infinity that is not between the smallest number and the largest.
struct Beyond {
    negative: bool,
    is_infinite: bool,
}

impl Beyond {
    /// The number of the format that is nearest to it.
    fn clipped(&self, format: &Format) -> Value {
        let magnitude = match self.negative && !format.signed {
            true => Rational::new(),
            false => finite(format, format.largest_code()),
        };
        Value::Finite { negative: self.negative, magnitude }
    }

    /// Is it a number that is rounded inward, and so never becomes infinite?
    fn is_inward(&self, rounding: Rounding) -> bool {
        let inward = match rounding {
            Rounding::TowardZero => true,
            Rounding::Up => self.negative,
            Rounding::Down => !self.negative,
            _ => false,
        };
        inward && !self.is_infinite
    }
}

/// The table of section 2.2.
fn p3109(beyond: &Beyond, format: &Format, projection: &Projection) -> Value {
    let Beyond { negative, is_infinite } = *beyond;
    let clipped = beyond.clipped(format);
    let infinity = format.infinity_code(negative).map(|_| Value::Infinite { negative });
    let of_report = projection.edition == Edition::Report4;
    match projection.saturation {
        Saturation::Finite => clipped,
        Saturation::Propagate if is_infinite => infinity.unwrap_or(clipped),
        Saturation::Propagate => clipped,
        Saturation::None if beyond.is_inward(projection.rounding) => clipped,
        Saturation::None if negative && !format.signed => Value::Nan { negative: false },
        // PJ-17: the report keeps the largest number of a finite domain, the later text makes NaN of it.
        Saturation::None if format.specials == Specials::Finite => match of_report {
            true => clipped,
            false => Value::Nan { negative: false },
        },
        // The largest code of an unsigned extended format is odd, such as 0xfd.
        Saturation::None
            if projection.rounding == Rounding::ToOdd
                && !format.signed
                && !is_infinite
                && of_report =>
        {
            clipped
        }
        Saturation::None => infinity.unwrap_or(clipped),
    }
}

/// The formats that are not of P3109, by their special codes.
fn other(beyond: &Beyond, format: &Format, projection: &Projection) -> Result<Value, Open> {
    let Beyond { negative, is_infinite } = *beyond;
    if negative && !format.signed {
        return Err(Open::Sign);
    }
    // Of the largest number and what lies beyond it, the odd one: IEEE formats keep 0x7bff (WF-01), float8e4m3fn leaves 0x7e.
    let is_odd =
        projection.rounding == Rounding::ToOdd && !is_infinite && format.largest_code() & 1 == 1;
    let is_kept = projection.saturation == Saturation::Finite
        || format.specials == Specials::None
        || beyond.is_inward(projection.rounding)
        || is_odd;
    Ok(match format.specials {
        _ if is_kept => beyond.clipped(format),
        Specials::Ieee => Value::Infinite { negative },
        _ => Value::Nan { negative },
    })
}
