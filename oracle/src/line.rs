//! The finite codes of a dtype on the number line, numbered by ordinals that rise with the value.

use crate::decode::{self, decode};
use crate::encode;
use crate::format::{CodeKind, FloatFormat};
use crate::number::{Integer, Rational};
use crate::round::{self, MagnitudeRounding};
use crate::value::Value;

/// A number of a dtype beside another number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// Its code.
    pub code: u64,
    /// How far it is.
    pub distance: Rational,
}

/// Returns the largest number of a dtype that is not above `x`, and the smallest that is above it.
/// Either is absent if there is none. The second is also absent if the dtype holds `x` exactly.
pub fn neighbours(kind: &CodeKind, x: &Rational) -> [Option<Neighbour>; 2] {
    let line = Line::new(*kind);
    let floor = line.floor(x);
    let neighbour = |ordinal| {
        let distance = (line.number(ordinal)? - x).abs();
        Some(Neighbour { code: line.code(ordinal)?, distance })
    };
    let below = neighbour(floor);
    let exact = below.as_ref().is_some_and(|below| below.distance == 0);
    [below, if exact { None } else { neighbour(floor + 1) }]
}

/// A dtype on the number line. Ordinals of integers are their values. Ordinals of floats are their
/// codes without sign, negated for negative numbers; negative zero has no ordinal.
pub struct Line {
    kind: CodeKind,
}

impl Line {
    /// The line of a dtype.
    pub fn new(kind: CodeKind) -> Line {
        Line { kind }
    }

    /// First and last ordinal.
    pub fn ends(&self) -> (i128, i128) {
        match &self.kind {
            CodeKind::Bool => (0, 1),
            CodeKind::Integer(format) => {
                let limit = 1i128 << format.magnitude_bits();
                (if format.signed { -limit } else { 0 }, limit - 1)
            }
            CodeKind::Float(format) => {
                let largest = i128::from(format.largest_code());
                (if format.signed { -largest } else { 0 }, largest)
            }
        }
    }

    /// The code of an ordinal; `None` beyond the ends.
    pub fn code(&self, ordinal: i128) -> Option<u64> {
        let (first, last) = self.ends();
        if !(first..=last).contains(&ordinal) {
            return None;
        }
        Some(match &self.kind {
            CodeKind::Bool => ordinal as u64,
            CodeKind::Integer(format) => encode::low_bits(format, &Integer::from(ordinal)),
            CodeKind::Float(format) => {
                let sign = if ordinal < 0 { format.sign_bit() } else { 0 };
                ordinal.unsigned_abs() as u64 | sign
            }
        })
    }

    /// The number of an ordinal.
    pub fn number(&self, ordinal: i128) -> Option<Rational> {
        decode(&self.kind, self.code(ordinal)?).as_ref().and_then(Value::number)
    }

    /// Returns the ordinal of the largest number not above `x`. If every number is above `x`, that
    /// is the one before the first ordinal; if no number is above `x`, it is the last.
    pub fn floor(&self, x: &Rational) -> i128 {
        let (first, last) = self.ends();
        let ordinal = match &self.kind {
            CodeKind::Bool | CodeKind::Integer(_) => {
                let beyond = if *x < 0 { first - 1 } else { last };
                Integer::from(x.floor_ref()).to_i128().unwrap_or(beyond)
            }
            CodeKind::Float(format) if *x < 0 => {
                -magnitude(format, x, MagnitudeRounding::AwayFromZero)
            }
            CodeKind::Float(format) => magnitude(format, x, MagnitudeRounding::TowardZero),
        };
        ordinal.clamp(first - 1, last)
    }
}

/// Returns the code without sign of |x| rounded. Returns one beyond the largest if it is too large,
/// and -1 if it is too small for a format without zero.
fn magnitude(format: &FloatFormat, x: &Rational, rounding: MagnitudeRounding) -> i128 {
    let x = Rational::from(x.abs_ref());
    let largest = format.largest_code();
    if x > decode::finite(format, largest) {
        return i128::from(largest) + i128::from(rounding == MagnitudeRounding::AwayFromZero);
    }
    if !format.has_subnormals() && x < decode::finite(format, 0) {
        return -1;
    }
    encode::magnitude(format, &round::to_format(&x, format, rounding)).into()
}
