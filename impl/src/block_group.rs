//! The scales of groups of 128 numbers, which follow from the largest magnitude m by steps of float32.

use crate::block_power::over_power;

/// The largest element of float8e4m3fn.
const MOST: f32 = 448.0;

/// How the scale follows from m, and what is done to numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Steps {
    /// The scale m/448, whose inverse multiplies (FB-08, FB-19).
    Inverse,
    /// The same as a power of two, rounded up (FB-09).
    InverseOfPower,
    /// The scale m/448, which divides (FB-08, FB-20).
    Divide,
    /// The scale m*(1/448), beside which 448/m multiplies (FB-10, FB-21).
    Product,
    /// 448/m multiplies, and the scale is its inverse (FB-11).
    Encode,
}

/// A way to quantise groups.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Groups {
    /// The bits of the float32 that smaller m count as (FB-06, FB-07).
    floor: u32,
    steps: Steps,
}

impl Groups {
    pub(crate) const DEEPGEMM: Groups = Groups { floor: 1e-4f32.to_bits(), steps: Steps::Inverse };
    pub(crate) const DEEPGEMM_UE8M0: Groups =
        Groups { floor: 1e-4f32.to_bits(), steps: Steps::InverseOfPower };
    pub(crate) const VLLM: Groups = Groups { floor: 1e-10f32.to_bits(), steps: Steps::Divide };
    pub(crate) const SGLANG: Groups = Groups { floor: 1e-10f32.to_bits(), steps: Steps::Product };
    pub(crate) const TRANSFORMER_ENGINE: Groups = Groups { floor: 0, steps: Steps::Encode };

    /// Are scales float32, rather than a byte?
    pub(crate) const fn has_float32(self) -> bool {
        !matches!(self.steps, Steps::InverseOfPower)
    }

    /// Is a NaN left out of m (FB-16, FB-17)? In DeepGEMM it enters (FB-13, FB-14).
    pub(crate) const fn drops_nan(self) -> bool {
        !matches!(self.steps, Steps::Inverse | Steps::InverseOfPower)
    }

    /// Is the factor a divisor?
    pub(crate) const fn divides(self) -> bool {
        matches!(self.steps, Steps::Divide)
    }

    /// Do zeros fill a shorter last group (FB-04)?
    pub(crate) const fn takes_short(self) -> bool {
        matches!(self.steps, Steps::Inverse | Steps::InverseOfPower)
    }

    /// Writes the codes of the scales of groups with these m, by the bits of float32, and the factors, NaN
    /// where the scale is NaN. `most` is the largest number of the source.
    pub(crate) fn find(
        self,
        most: f32,
        magnitudes: &[[u8; 4]],
        codes: &mut [u8],
        factors: &mut [[u8; 4]],
    ) {
        let width = if self.has_float32() { 4 } else { 1 };
        let codes = codes.chunks_exact_mut(width);
        for ((magnitude, code), factor) in magnitudes.iter().zip(codes).zip(factors) {
            let (scale, by) = self.scale(most, f32::from_le_bytes(*magnitude));
            code.copy_from_slice(&scale.to_le_bytes()[..width]);
            *factor = by.to_le_bytes();
        }
    }

    /// The code of the scale, and the factor.
    fn scale(self, most: f32, amax: f32) -> (u32, f32) {
        let floor = f32::from_bits(self.floor);
        // A NaN is not below the floor.
        let m = if amax < floor { floor } else { amax };
        match self.steps {
            Steps::Inverse => ((m / MOST).to_bits(), 1.0 / (m / MOST)),
            Steps::InverseOfPower => {
                let code = power_up((m / MOST).to_bits());
                (code.into(), f32::from_bits(over_power(code)))
            }
            Steps::Divide => ((m / MOST).to_bits(), m / MOST),
            Steps::Product => ((m * (1.0 / MOST)).to_bits(), MOST / m),
            Steps::Encode => {
                let encoding = match MOST / m {
                    // Of a zero the quotient is infinite, of an infinity it is zero (FB-12).
                    _ if m == 0.0 || m == f32::INFINITY => 1.0,
                    f32::INFINITY => most,
                    quotient => quotient,
                };
                ((1.0 / encoding).to_bits(), encoding)
            }
        }
    }
}

/// The code of the power of two for the bits of a float32 without sign: its exponent, plus one if any bit of the
/// significand is set, from 0x01 to 0xfe. That of infinity and of NaN is beyond.
fn power_up(bits: u32) -> u8 {
    let field = bits >> 23;
    let up = u32::from(bits << 9 != 0);
    (field + up).clamp(1, 254) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits of the scale of an m, and those of the factor.
    fn scale(groups: Groups, amax: u32) -> (u32, u32) {
        let (code, factor) = groups.scale(f32::MAX, f32::from_bits(amax));
        (code, factor.to_bits())
    }

    /// Scales that were computed apart: at the floor, where quotient and product part, and at the ends.
    #[test]
    fn scales_of_magnitudes() {
        for (amax, due) in [
            (0, [0x346f_acad, 0x69, 0x2a7b_5124, 0x3f80_0000]),
            (0x43e0_0000, [0x3f80_0000, 0x7f, 0x3f80_0000, 0x3f80_0000]),
            (0x43e0_8000, [0x3f80_4925, 0x80, 0x3f80_4925, 0x3f80_4925]),
            (0x4053_3333, [0x3bf1_5f16, 0x78, 0x3bf1_5f16, 0x3bf1_5f15]),
            (0x4028_0000, [0x3bc0_0000, 0x78, 0x3bc0_0001, 0x3bc0_0000]),
            (0x7f80_0000, [0x7f80_0000, 0xfe, 0x7f80_0000, 0x3f80_0000]),
            (0x7f7f_ffff, [0x7b12_4924, 0xf7, 0x7b12_4924, 0x7b12_4924]),
        ] {
            let all = [
                Groups::DEEPGEMM,
                Groups::DEEPGEMM_UE8M0,
                Groups::SGLANG,
                Groups::TRANSFORMER_ENGINE,
            ];
            assert_eq!(all.map(|it| scale(it, amax).0), due, "{amax:x}");
        }
        assert_eq!(scale(Groups::DEEPGEMM_UE8M0, 0x7fc0_0000), (0xfe, 0x0040_0000));
        assert!(f32::from_bits(scale(Groups::DEEPGEMM, 0x7fc0_0000).0).is_nan());
    }

    /// 448 over the smallest number is infinite.
    #[test]
    fn the_largest_factor_is_that_of_the_source() {
        for most in [f32::MAX, f32::from_bits(0x7f7f_0000)] {
            let (scale, factor) = Groups::TRANSFORMER_ENGINE.scale(most, f32::from_bits(1));
            assert_eq!((factor, scale), (most, (1.0 / most).to_bits()));
        }
    }
}
