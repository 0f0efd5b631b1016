//! Codes of every binade: kernels go wrong in a single one when a shift or a table is indexed by the exponent. A
//! shift by 64 and more, taken modulo 64, is wrong from one exponent on.

use crate::draw::Draw;
use castproof_vectors::random::Random;

/// Highest bits of a significand that its short code keeps. Such numbers have few digits, as most that people write.
const SHORT: u32 = 3;

impl Draw {
    /// Returns codes of every exponent field and sign of a float: one with any significand, one with a short one, and
    /// of subnormal numbers one for each highest bit. Of an integer it is one of each length and sign. Codes that must
    /// be refused are left out.
    pub fn fields(&self, random: &mut Random) -> Vec<u64> {
        let request = self.request();
        let (bits, is_signed) = (request.from.bits(), request.from.is_signed());
        let signs = if is_signed { 2 } else { 1 };
        let one = self.one();
        let mut codes = Vec::new();
        if one == 1 {
            for length in 0..bits {
                let number = of_length(length, random);
                codes.extend([number, number.wrapping_neg()].into_iter().take(signs));
            }
        } else {
            // The lowest bit of the code of one is the lowest bit of its exponent field.
            let below = one.trailing_zeros();
            let significand = (1_u64 << below) - 1;
            let short = significand & !(significand >> SHORT.min(below));
            for field in 0..1_u64 << (bits - below) {
                codes.extend([significand, short].map(|it| field << below | random.number() & it));
            }
            for sign in (0..2).take(signs) {
                codes.extend((0..below).map(|it| of_length(it, random) | sign << (bits - 1)));
            }
        }
        codes.iter_mut().for_each(|code| *code &= request.from.code_mask());
        codes.retain(|&code| self.is_cast(code));
        codes
    }
}

/// Returns a number with this highest bit.
fn of_length(bit: u32, random: &mut Random) -> u64 {
    1 << bit | random.number() & ((1 << bit) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::{DType, Request};
    use std::collections::BTreeSet;

    fn fields(from: DType, to: DType, seed: u64) -> BTreeSet<u64> {
        let draw = Draw::of(&Request::cast(from, to, 28)).expect("a request of the book");
        draw.fields(&mut Random::new(seed)).into_iter().collect()
    }

    #[test]
    fn every_field_sign_and_length_has_a_code() {
        for (from, below) in [(DType::Float32, 23), (DType::Float64, 52)] {
            let codes = fields(from, DType::Float16, 7);
            let of: BTreeSet<u64> = codes.iter().map(|code| code >> below).collect();
            assert_eq!(of.len(), 1 << (from.bits() - below), "{from}");
            let subnormal = codes.iter().filter(|code| **code >> below == 0);
            let highest: BTreeSet<u32> = subnormal.map(|code| code.leading_zeros()).collect();
            assert!(highest.len() >= below as usize, "{from}: {highest:?}");
        }
        for (from, due) in [(DType::Uint64, 64), (DType::Int64, 126), (DType::Int32, 62)] {
            let codes = fields(from, DType::Float16, 7);
            let shift = 64 - from.bits();
            let length = |code: &u64| {
                let number = (code << shift).cast_signed() >> shift;
                match from.is_signed() {
                    true => (number < 0, number.unsigned_abs().leading_zeros()),
                    false => (false, code.leading_zeros()),
                }
            };
            let of: BTreeSet<_> = codes.iter().map(length).collect();
            assert!(of.len() >= due, "{from}: {} of {due}", of.len());
        }
    }

    #[test]
    fn another_seed_gives_other_significands() {
        let [one, other] = [1, 2].map(|seed| fields(DType::Float64, DType::Float32, seed));
        assert!(one.intersection(&other).count() < one.len() / 2);
    }
}
