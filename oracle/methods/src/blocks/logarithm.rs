//! The binary logarithm as float32 has it, near integers.

use castproof_oracle::number::{Pow, Rational};
use castproof_oracle::round;

/// Returns the integer that the logarithm of x, rounded to float32, is; `None` if it is no integer. x is
/// a number of float32 above zero.
///
/// Where x is 2^n(1 + d), the logarithm is n + d/ln 2 as far as float32 tells: d is a multiple of 2^-24,
/// and half a unit of n is at least 1% away from each of them.
pub(super) fn rounded_to_integer(x: &Rational) -> Option<i32> {
    let exponent = round::exponent(x);
    let power = |n: i32| Rational::from(2).pow(n);
    if *x == power(exponent) {
        return Some(exponent);
    }
    let above = Rational::from(x / &power(exponent)) - Rational::from(1);
    let below = Rational::from(1) - Rational::from(x / &power(exponent + 1));
    if is_within(exponent, true, &above) {
        Some(exponent)
    } else if is_within(exponent + 1, false, &below) {
        Some(exponent + 1)
    } else {
        None
    }
}

/// Is a number that is this far above or below 2^n, as a share of it, within half a unit of n?
fn is_within(n: i32, is_above: bool, distance: &Rational) -> bool {
    if n == 0 {
        return false; // next to zero float32 tells all numbers apart
    }
    let size = n.unsigned_abs();
    // The binade in which the logarithm lies: below a power of two it is the one before.
    let is_larger = (n > 0) == is_above;
    let binade = size.ilog2() as i32 - i32::from(!is_larger && size.is_power_of_two());
    let ln2 = Rational::from((693_147_180_559_945u64, 1_000_000_000_000_000u64));
    *distance < (ln2 << (binade - 24))
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_oracle::decode;
    use castproof_oracle::format::{CodeKind, kind};
    use castproof_vectors::DType;

    /// Against a logarithm in float64, rounded to float32.
    #[test]
    fn integers_are_those_of_the_machine() {
        let Some(CodeKind::Float(format)) = kind(DType::Float32) else { panic!("a float") };
        let mut integers = 0;
        for field in 1..255u32 {
            for distance in -40..40i32 {
                let code = (field << 23).wrapping_add_signed(distance);
                let x = decode::finite(&format, code.into());
                let log = f64::from(f32::from_bits(code)).log2() as f32;
                let due = (log.fract() == 0.0).then_some(log as i32);
                assert_eq!(rounded_to_integer(&x), due, "{code:x}");
                integers += u32::from(due.is_some());
            }
        }
        assert!(integers > 2000);
    }
}
