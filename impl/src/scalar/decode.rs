//! The code of a bool or a float to its value.

use super::unpacked::{Class, Unpacked};
use crate::format::{FloatFormat, Format, Specials};

/// Any byte but 0 is true (B-08 leaves others than 0 and 1 open), and true is one (B-06, B-07).
pub(super) fn bools(code: u64) -> Unpacked {
    Unpacked::finite(false, u64::from(code != 0), 0)
}

/// Decodes a code of a float format.
pub(super) fn floats<F: FloatFormat>(code: u64) -> Unpacked {
    float(F::FORMAT, code)
}

fn float(format: Format, code: u64) -> Unpacked {
    let negative = code & format.sign() != 0;
    let magnitude = code & format.magnitude_mask();
    let field = magnitude >> format.significand_bits;
    // Subnormal numbers lack the leading one and take the exponent of field 1.
    let leading = u64::from(field != 0) << format.significand_bits;
    let significand = magnitude & !format.exponent_mask() | leading;
    let exponent = field.max(1) as i32 - format.bias;
    let value = Unpacked::finite(negative, significand, exponent - format.significand_bits as i32);
    Unpacked { class: classify(format, code), ..value }
}

fn classify(format: Format, code: u64) -> Class {
    let magnitude = code & format.magnitude_mask();
    match format.specials {
        Specials::Ieee if magnitude > format.exponent_mask() => Class::Nan,
        Specials::Ieee if magnitude == format.exponent_mask() => Class::Infinite,
        Specials::AllOnesNan if magnitude == format.magnitude_mask() => Class::Nan,
        Specials::NegativeZeroNan if code == format.sign() => Class::Nan,
        _ => Class::Finite,
    }
}
