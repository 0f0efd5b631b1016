//! Binades: the numbers of one sign between two powers of two.

use super::flag::Flag;
use castproof_oracle::format::{CodeKind, IntegerFormat, kind};
use castproof_vectors::{DType, Element, sha256_hex};
use std::collections::BTreeSet;

/// A binade of one sign.
pub(super) struct Binade {
    /// The exponent field of a float; the position of the leading bit of an integer.
    number: u64,
    negative: bool,
}

impl Binade {
    pub(super) fn of(source: &CodeKind, code: u64) -> Binade {
        match source {
            CodeKind::Bool => Binade { number: 0, negative: false },
            CodeKind::Integer(format) => {
                let negative = format.signed && code >> (format.bits - 1) == 1;
                let mask = u64::MAX >> (64 - format.bits);
                let magnitude = if negative { code.wrapping_neg() & mask } else { code };
                Binade { number: magnitude.max(1).ilog2().into(), negative }
            }
            CodeKind::Float(format) => {
                let number = (code & format.magnitude_mask()) >> format.significand_bits;
                Binade { number, negative: code & format.sign_bit() != 0 }
            }
        }
    }

    /// Is the lower part taken before the upper part? `None` where the other sign is taken.
    pub(super) fn lower_first(&self) -> Option<bool> {
        let turns = [(false, true), (true, false), (false, false), (true, true)];
        let (negative, lower) = turns[(self.number % 4) as usize];
        (self.negative == negative).then_some(lower)
    }
}

/// Returns numbers of the binades in which none of the elements `there` lies, of either sign in turn. Of a float64,
/// whose binades are many, it takes one of each eight binades in a row.
///
/// A kernel may be wrong in few binades: one that shifts by `exponent mod 64` makes 6.1e-5 of 2^-78 in float16,
/// where 0 is due, and is right from 2^-63 on. No answer changes near 2^-78, so no other case lies there.
pub(crate) fn missing_binades(from: DType, there: &BTreeSet<Element>) -> Vec<(Element, Flag)> {
    let Some(source) = kind(from) else { return vec![] };
    let step = match &source {
        CodeKind::Bool => return vec![],
        CodeKind::Float(format) if format.exponent_bits > 8 => 8,
        _ => 1,
    };
    let there = there.iter().filter_map(Element::as_code);
    let there: BTreeSet<u64> = there.map(|code| Binade::of(&source, code).number / step).collect();
    let groups = (0..=last_binade(&source) / step).filter(|group| !there.contains(group));
    let number = |group: u64| (group * step + step / 2).min(last_binade(&source));
    let code = |group| {
        number_in(&source, from, &Binade { number: number(group), negative: group % 2 == 1 })
    };
    groups.map(|group| (Element::code(code(group), from), Flag::Binade)).collect()
}

/// Returns the last binade in which every code is a number of either sign.
fn last_binade(source: &CodeKind) -> u64 {
    match source {
        CodeKind::Bool => 0,
        CodeKind::Integer(IntegerFormat { bits, signed }) => {
            u64::from(bits - 1 - u32::from(*signed))
        }
        CodeKind::Float(format) => ((format.largest_code() + 1) >> format.significand_bits) - 1,
    }
}

/// Returns a number of a binade, drawn from a fixed seed.
fn number_in(source: &CodeKind, from: DType, binade: &Binade) -> u64 {
    let Binade { number, negative } = *binade;
    let digest = sha256_hex(format!("castproof binade {from} {number}").as_bytes());
    let drawn = u64::from_str_radix(&digest[..16], 16).expect("hex digits");
    match source {
        CodeKind::Bool => 0,
        CodeKind::Float(format) => {
            let significand = drawn & ((1 << format.significand_bits) - 1);
            let sign = if negative { format.sign_bit() } else { 0 };
            number << format.significand_bits | significand | sign
        }
        CodeKind::Integer(format) => {
            let magnitude = 1 << number | drawn & ((1 << number) - 1);
            if negative && format.signed {
                magnitude.wrapping_neg() & from.code_mask()
            } else {
                magnitude
            }
        }
    }
}
