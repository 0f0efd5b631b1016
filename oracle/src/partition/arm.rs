//! The codes of a source that are numbers of one sign, in the order of their magnitude.

use crate::decode;
use crate::encode;
use crate::format::{CodeKind, FloatFormat, ZeroEncoding};
use crate::number::{Integer, Rational};
use crate::round::{self, MagnitudeRounding};

/// The numbers of one sign. An index counts them by magnitude: for a float it is the code
/// without its sign, for an integer the magnitude itself.
pub(super) struct Arm {
    pub(super) kind: CodeKind,
    pub(super) negative: bool,
    /// First and last index.
    pub(super) ends: (u64, u64),
    /// The code of index 0, which need not be in the arm.
    pub(super) origin: u64,
    /// Do codes fall as magnitudes grow? They do in two's complement below zero.
    pub(super) descending: bool,
}

/// Returns the arms of a source. Codes in no arm are not numbers.
pub(super) fn arms(kind: &CodeKind) -> Vec<Arm> {
    let arm = |negative, ends, origin| Arm {
        kind: *kind,
        negative,
        ends,
        origin,
        descending: negative && matches!(kind, CodeKind::Integer(_)),
    };
    match kind {
        CodeKind::Bool => vec![arm(false, (0, 1), 0)],
        CodeKind::Integer(format) => {
            let limit = 1u64.checked_shl(format.magnitude_bits()).unwrap_or(0);
            let mut arms = vec![arm(false, (0, limit.wrapping_sub(1)), 0)];
            if format.signed {
                // Two's complement: the code of magnitude m is 2^bits - m.
                let origin = 1u64.checked_shl(format.bits).unwrap_or(0);
                arms.push(arm(true, (1, limit), origin));
            }
            arms
        }
        CodeKind::Float(format) => {
            let largest = format.largest_code();
            let mut arms = vec![arm(false, (0, largest), 0)];
            if format.signed {
                let first = u64::from(format.zero == ZeroEncoding::Unsigned);
                arms.push(arm(true, (first, largest), format.sign_bit()));
            }
            arms
        }
    }
}

impl Arm {
    /// The code of an index.
    pub(super) fn code(&self, index: u64) -> u64 {
        if self.descending {
            self.origin.wrapping_sub(index)
        } else {
            self.origin.wrapping_add(index)
        }
    }

    /// First and last code, ascending.
    pub(super) fn codes(&self) -> (u64, u64) {
        self.range(self.ends.0, self.ends.1)
    }

    /// The codes from one index to another, ascending.
    pub(super) fn range(&self, first: u64, last: u64) -> (u64, u64) {
        let (a, b) = (self.code(first), self.code(last));
        if self.descending { (b, a) } else { (a, b) }
    }

    /// Returns the first index whose magnitude is at least `x`; `None` if there is none.
    pub(super) fn at_least(&self, x: &Rational) -> Option<u64> {
        let index = match &self.kind {
            CodeKind::Bool | CodeKind::Integer(_) => {
                round::to_integer(x, MagnitudeRounding::AwayFromZero).count
            }
            CodeKind::Float(format) => rounded_up(format, x),
        };
        let index = index.max(Integer::from(self.ends.0));
        (index <= self.ends.1).then(|| index.to_u64().expect("at most the last index"))
    }

    /// Returns the first index whose magnitude is above `x`; `None` if there is none.
    pub(super) fn above(&self, x: &Rational) -> Option<u64> {
        let at_least = self.at_least(x)?;
        let exact = self.magnitude(at_least) == *x;
        let next = if exact { at_least.checked_add(1)? } else { at_least };
        (next <= self.ends.1).then_some(next)
    }

    /// The magnitude of an index.
    fn magnitude(&self, index: u64) -> Rational {
        match &self.kind {
            CodeKind::Bool | CodeKind::Integer(_) => Rational::from(index),
            CodeKind::Float(format) => decode::finite(format, index),
        }
    }
}

/// The code of the smallest number not below `x`; above the largest code if there is none.
fn rounded_up(format: &FloatFormat, x: &Rational) -> Integer {
    let largest = format.largest_code();
    if *x > decode::finite(format, largest) {
        return Integer::from(largest) + 1u32;
    }
    if !format.has_subnormals() && *x < decode::finite(format, 0) {
        return Integer::new();
    }
    Integer::from(encode::magnitude(
        format,
        &round::to_format(x, format, MagnitudeRounding::AwayFromZero),
    ))
}

/// Indices of an arm over which the magnitude is `(index - origin) * 2^quantum`.
pub(super) struct Stride {
    pub(super) last: u64,
    pub(super) origin: u64,
    pub(super) quantum: i32,
}

impl Arm {
    /// The stride that holds an index.
    pub(super) fn stride(&self, index: u64) -> Stride {
        let CodeKind::Float(format) = &self.kind else {
            return Stride { last: self.ends.1, origin: 0, quantum: 0 };
        };
        // Subnormal numbers and the first binade share their quantum, and the code without sign
        // is the whole significand there.
        let field = index >> format.significand_bits;
        let first_field = u64::from(format.has_subnormals());
        let field = field.max(first_field);
        let exponent = format.min_exponent() + (field - first_field) as i32;
        let next = (field + 1) << format.significand_bits;
        Stride {
            last: (next - 1).min(self.ends.1),
            origin: (field << format.significand_bits).wrapping_sub(1 << format.significand_bits),
            quantum: format.quantum(exponent),
        }
    }
}
