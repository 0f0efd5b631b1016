//! The form between source and target. It holds every value of every dtype exactly, so that a
//! cast rounds once.

/// A number, infinity or NaN.
///
/// A finite value is `significand * 2^(exponent - 63)`, negated where `negative` says so. The
/// highest bit of the significand is set unless the value is zero.
#[derive(Clone, Copy)]
pub(crate) struct Unpacked {
    /// Meaningful for finite values.
    pub(crate) significand: u64,
    /// Exponent of the leading bit; [`Unpacked::ZERO`]'s is below that of any number.
    pub(crate) exponent: i32,
    pub(crate) negative: bool,
    pub(crate) class: Class,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Finite,
    Infinite,
    Nan,
}

impl Unpacked {
    /// Positive zero. Its exponent makes every target round it to zero without a check.
    pub(crate) const ZERO: Unpacked =
        Unpacked { significand: 0, exponent: -0x1_0000, negative: false, class: Class::Finite };

    /// The value `magnitude * 2^scale`, negated where `negative` says so.
    pub(crate) fn finite(negative: bool, magnitude: u64, scale: i32) -> Unpacked {
        let shift = magnitude.leading_zeros();
        let exponent = scale + 63 - shift as i32;
        Unpacked {
            significand: magnitude.wrapping_shl(shift),
            exponent: if magnitude == 0 { Unpacked::ZERO.exponent } else { exponent },
            negative,
            class: Class::Finite,
        }
    }

    /// Is the value a zero of either sign?
    pub(crate) fn is_zero(&self) -> bool {
        self.class == Class::Finite && self.significand == 0
    }
}

/// `significand / 2^drop`, rounded to nearest, ties to even; `drop` is at least 1.
pub(super) fn round_shift(significand: u64, drop: u32) -> u64 {
    // The last bit of `halves` is worth a half. The bits below it tell a tie from a value above the
    // tie. If `drop` is at least 65, the dropped part is less than a half.
    let halves = significand.checked_shr(drop - 1).unwrap_or(0);
    let sticky = u64::from(halves.wrapping_shl(drop - 1) != significand);
    let kept = halves >> 1;
    kept + (halves & (sticky | kept) & 1)
}

#[cfg(test)]
mod tests {
    use super::round_shift;

    #[test]
    fn round_shift_goes_to_nearest_even() {
        let rows = [
            (0b1010, 2, 0b10),
            (0b1001, 2, 0b10),
            (0b1011, 2, 0b11),
            (0b1110, 2, 0b100),
            (u64::MAX, 1, 1 << 63),
            (1 << 63, 63, 1),
            (3 << 62, 63, 2),
            (1 << 63, 64, 0),
            ((1 << 63) + 1, 64, 1),
            (u64::MAX, 65, 0),
            (u64::MAX, u32::MAX, 0),
        ];
        for (significand, drop, expected) in rows {
            assert_eq!(round_shift(significand, drop), expected, "{significand:#x} >> {drop}");
        }
    }
}
