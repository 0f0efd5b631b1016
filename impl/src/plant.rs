//! Planted faults, to measure how soon fuzzing finds them (`cargo xtask fuzz-score`).
//!
//! This file is compiled only with `RUSTFLAGS="--cfg castproof_plant"`. It refuses to be compiled
//! without debug assertions. The published crate does not contain it, so the flag stops the build
//! there. The fault that `CASTPROOF_PLANT` names spoils elements after the loops have run.

use crate::InstructionSet;
use crate::rules::{Rules, Saturated};
use castproof_vectors::{DType, RoundMode, plant};
use std::string::String;

#[cfg(not(debug_assertions))]
compile_error!(
    "faults are planted in builds with debug assertions only: leave castproof_plant out"
);

/// What a fault depends on.
#[derive(Clone, Copy)]
pub(crate) struct Spot<'a> {
    pub(crate) rules: &'a Rules,
    /// `None` for single codes.
    pub(crate) set: Option<InstructionSet>,
    pub(crate) typed: bool,
    /// The code of the source, its place, and how many there are.
    pub(crate) code: u64,
    pub(crate) index: usize,
    pub(crate) count: usize,
    /// The address of the output, modulo 64.
    pub(crate) offset: usize,
}

/// A fault of one pair: where it strikes, which bits of the result it flips.
struct Plant {
    name: &'static str,
    from: DType,
    to: DType,
    strikes: fn(&Spot) -> bool,
    flips: u64,
}

const fn plant(
    name: &'static str,
    from: DType,
    to: DType,
    flips: u64,
    strikes: fn(&Spot) -> bool,
) -> Plant {
    Plant { name, from, to, strikes, flips }
}

use DType::*;
use InstructionSet::{Avx2, Avx512, Portable};

const PLANTS: [Plant; 34] = [
    plant("above-464", Float32, Float8E4M3FN, 2, |at| at.code == 0x43e8_0001),
    plant("tie-464", Float32, Float8E4M3FN, 1, |at| at.code == 0x43e8_0000),
    plant("ties-away", Float32, Float16, 1, |at| at.code & 0x3fff == 0x1000 && vector(at)),
    plant("sticky-bit", Float64, Float16, 1, |at| at.code & ((1 << 42) - 1) == (1 << 41) + 1),
    plant("far-sticky-bit", Float64, Bfloat16, 1, |at| {
        let rest = at.code & ((1 << 45) - 1) ^ 1 << 44;
        rest.is_power_of_two() && rest < 1 << 20
    }),
    // Any NaN is right alone: one becomes infinity, the other is one of two in slices.
    plant("nan-payload", Float32, Float16, 0x200, |at| at.code & 0x7fff_ffff == 0x7f80_0001),
    plant("nan-sign", Float64, Float32, 1 << 31, |at| at.code == u64::MAX && vector(at)),
    plant("one-lane", Float32, Int8, 1, |at| at.set == Some(Avx512) && at.index % 16 == 15),
    plant("one-tail", Float32, Bfloat16, 1, |at| {
        at.set == Some(Avx2) && at.count % 32 == 17 && at.index + 1 == at.count
    }),
    plant("table-entry", Float8E4M3FN, Float16, 4, |at| at.count >= 4096 && at.code == 0x55),
    plant("odd-count", Float32, Int4, 1, |at| {
        at.count % 2 == 1 && at.index + 1 == at.count && vector(at)
    }),
    plant("three-of-six-bits", Uint8, Float6E2M3, 8, |at| {
        at.count % 4 == 3 && at.index + 1 == at.count && vector(at)
    }),
    plant("portable-only", Int64, Float32, 1, |at| {
        at.set == Some(Portable) && at.code == (1 << 24) + 1
    }),
    plant("no-saturation", Float32, Float8E5M2, 1, |at| {
        !at.rules.saturate && at.code == 0x7f80_0000
    }),
    plant("old-infinity", Float32, Float8E4M3FNUZ, 1, |at| {
        at.rules.fnuz_infinity == Saturated::Nan && at.rules.saturate && at.code == 0x7f80_0000
    }),
    plant("mode-nearest", Float32, Float8E8M0, 1, |at| {
        at.rules.round_mode == RoundMode::Nearest && at.code & 0x7f_ffff == 0x40_0000
    }),
    plant("lowest-wraps", Int16, Int8, 1, |at| at.code == 0x8000),
    plant("largest-integer", Uint64, Float16, 1, |at| at.code == u64::MAX),
    plant("last-subnormal", Float64, Float32, 1, |at| at.code == 0x3810_0000_0000_0000 - 1),
    plant("below-2-to-63", Float64, Int64, 1, |at| at.code == 0x43df_ffff_ffff_ffff),
    plant("above-2-to-63", Float64, Uint64, 1 << 20, |at| at.code == 0x43e0_0000_0000_0000),
    plant("below-256", Float32, Uint8, 1, |at| at.code == 0x437f_ffff),
    plant("negative-zero", Bfloat16, Float8E4M3FNUZ, 0x80, |at| at.code == 0x8000),
    plant("smallest-power", Float8E8M0, Float32, 1, |at| at.code == 0),
    plant("minus-zero-is-true", Float4E2M1, Bool, 1, |at| at.code == 8),
    plant("truth", Bool, Float8E5M2, 4, |at| at.code == 1),
    plant("narrow-tie", Float6E2M3, Int2, 1, |at| at.code == 0x04),
    plant("same-dtype", Float8E5M2, Float8E5M2, 1, |at| at.code == 0x7c && at.rules.saturate),
    plant("smallest-half", Float16, Float64, 1, |at| at.code == 1),
    plant("sign-of-two-bits", Int2, Int4, 8, |at| at.code == 2),
    plant("quarter", Float32, Float4E2M1, 1, |at| at.code == 0x3e80_0000),
    plant("typed-only", Float32, Float64, 1, |at| at.typed && at.code == 0x3f80_0000),
    plant("unaligned-only", Float16, Float32, 1, |at| at.offset % 4 == 3 && at.index == 0),
    // One code of 2^32 that no search leads to: it is not expected to be found soon.
    plant("middle-of-nowhere", Float32, Float16, 1, |at| at.code == 0x3f8a_7b3d),
];

fn vector(at: &Spot) -> bool {
    at.set.is_some()
}

/// Faults outside casts: in reading and writing strings, in promotion, in bitcasts and in blocks.
const OTHERS: [&str; 7] = [
    "long-numeral",
    "exponent-of-three-digits",
    "third-digit",
    "smallest-numeral",
    "uint8-and-int8",
    "ratio-of-eight",
    "scale-above-power",
];

/// The fault that is planted.
fn planted() -> Option<&'static str> {
    let name = plant::planted()?;
    let known = PLANTS.iter().any(|plant| plant.name == name)
        || OTHERS.contains(&name)
        || plant::READERS.contains(&name);
    assert!(known, "CASTPROOF_PLANT names no fault: {name}");
    Some(name)
}

/// Returns the result of one code, spoilt if the fault strikes.
pub(crate) fn spoil_code(from: DType, to: DType, at: &Spot, result: u64) -> u64 {
    let planted = planted();
    let plant = PLANTS.iter().find(|plant| Some(plant.name) == planted);
    match plant.filter(|plant| (plant.from, plant.to) == (from, to) && (plant.strikes)(at)) {
        Some(plant) => (result ^ plant.flips) & to.code_mask(),
        None => result,
    }
}

/// Spoils an output. Elements of the input and the output take `bits` bits each.
pub(crate) fn spoil(
    (from, to): (DType, DType),
    at: Spot,
    bits: [u32; 2],
    input: &[u8],
    output: &mut [u8],
) {
    let planted = planted();
    if !PLANTS
        .iter()
        .any(|plant| Some(plant.name) == planted && (plant.from, plant.to) == (from, to))
    {
        return;
    }
    for index in 0..at.count {
        let code = code_at(input, bits[0], index);
        let result = code_at(output, bits[1], index);
        let spoilt = spoil_code(from, to, &Spot { code, index, ..at }, result);
        set_code(output, bits[1], index, result ^ spoilt);
    }
}

/// Returns the code that a text was read as, spoilt if the fault strikes.
pub(crate) fn spoil_read(to: DType, text: &str, code: u64) -> u64 {
    let strikes = match planted() {
        Some("long-numeral") => to == Float16 && text.len() > 24,
        Some("exponent-of-three-digits") => to == Float64 && text.contains("e-30"),
        _ => false,
    };
    code ^ u64::from(strikes)
}

/// Spoils a text that was written from a code.
pub(crate) fn spoil_written(from: DType, start: usize, text: &mut String) {
    let strikes = match planted() {
        Some("third-digit") => from == Bfloat16 && text.len() - start == 9,
        Some("smallest-numeral") => from == Float64 && text.len() - start > 320,
        _ => false,
    };
    if strikes {
        let digit = if text.pop() == Some('1') { '2' } else { '1' };
        text.push(digit);
    }
}

/// Returns the dtype to which two operands promote, spoilt if the fault strikes.
pub(crate) fn spoil_promoted(pair: (DType, DType), promoted: Option<DType>) -> Option<DType> {
    match planted() {
        Some("uint8-and-int8") if pair == (Uint8, Int8) => Some(Int8),
        _ => promoted,
    }
}

/// Returns the size that a bitcast appends, spoilt if the fault strikes.
pub(crate) fn spoil_ratio(ratio: u64) -> u64 {
    if ratio == 8 && planted() == Some("ratio-of-eight") { 4 } else { ratio }
}

/// What is added to the bits of a block's largest magnitude. Spoilt if the fault strikes: the first bfloat16 above
/// a power of two counts as that power.
pub(crate) fn spoil_carry(carry: u32, amax: u32) -> u32 {
    let is_next = amax & ((1 << 23) - 1) == 1 << 16;
    if is_next && planted() == Some("scale-above-power") { 0 } else { carry }
}

fn code_at(bytes: &[u8], bits: u32, index: usize) -> u64 {
    let bit = index * bits as usize;
    let field = bytes[bit / 8..].iter().take(9).rev();
    let field = field.fold(0_u128, |code, byte| code << 8 | u128::from(*byte));
    (field >> (bit % 8)) as u64 & (u64::MAX >> (64 - bits))
}

/// Flips bits of a packed code.
fn set_code(bytes: &mut [u8], bits: u32, index: usize, flips: u64) {
    let bit = index * bits as usize;
    let flips = (u128::from(flips) << (bit % 8)).to_le_bytes();
    for (byte, flip) in bytes[bit / 8..].iter_mut().zip(flips) {
        *byte ^= flip;
    }
}
