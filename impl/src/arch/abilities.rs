//! What each instruction set can do besides running the loops that are compiled for every set.

use super::loops::{Compute, Find, Loop, Task};
use super::one_by_one::find_one_by_one;
use crate::instruction_set::PerSet;

/// What an instruction set can do. The figures that choose between two loops were measured.
pub(crate) struct Abilities {
    /// Its own loop for a task.
    pub(crate) own: fn(Task) -> Option<Loop<Compute>>,
    /// Its loop that looks entries up in a table. The arguments are the bits of an element, the
    /// bits of an entry and the number of entries.
    pub(crate) find: fn(u32, u32, usize) -> Option<Loop<Find>>,
    /// The largest number of entries of 16 bits for which a table is faster than computing.
    pub(crate) most_entries_of_16_bits: usize,
    /// Widths of packed elements, source and target, for which looking up whole bytes is fastest.
    pub(crate) whole_bytes: &'static [(u32, u32)],
    /// How floats become integers of 64 bits.
    pub(crate) to_wide_integer: ToWideInteger,
    /// Do floats of 16 bits become narrower ones faster in 16 bits than through float32?
    pub(crate) narrows_in_16_bits: bool,
}

/// How floats become integers of 64 bits.
#[cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, reason = "only x86-64 has a set of each kind")
)]
pub(crate) enum ToWideInteger {
    /// One after another.
    OneByOne,
    /// In vectors, by a detour of several instructions.
    Emulated,
    /// In vectors, by one instruction.
    ByInstruction,
}

const PORTABLE: Abilities = Abilities {
    own: |_| None,
    find: find_one_by_one,
    most_entries_of_16_bits: 256,
    whole_bytes: &[(2, 2), (4, 4), (2, 4), (4, 8)],
    to_wide_integer: ToWideInteger::OneByOne,
    narrows_in_16_bits: false,
};

/// The abilities of each instruction set. Those of another target than this one are never asked for.
pub(super) const ABILITIES: PerSet<Abilities> =
    PerSet { portable: PORTABLE, avx2: AVX2, avx512: AVX512, neon: NEON, simd128: SIMD128 };

#[cfg(target_arch = "x86_64")]
const AVX2: Abilities = Abilities {
    own: super::x86_64::avx2::own,
    find: super::x86_64::avx2::find,
    // One instruction looks up one of 16 entries.
    most_entries_of_16_bits: 16,
    whole_bytes: &[(2, 2), (4, 4)],
    to_wide_integer: ToWideInteger::Emulated,
    narrows_in_16_bits: true,
};

#[cfg(target_arch = "x86_64")]
const AVX512: Abilities = Abilities {
    own: super::x86_64::avx512::own,
    find: super::x86_64::avx512::find,
    most_entries_of_16_bits: 256,
    whole_bytes: &[(2, 2), (4, 4), (4, 2), (2, 4)],
    to_wide_integer: ToWideInteger::ByInstruction,
    narrows_in_16_bits: true,
};

#[cfg(not(target_arch = "x86_64"))]
const AVX2: Abilities = PORTABLE;

#[cfg(not(target_arch = "x86_64"))]
const AVX512: Abilities = PORTABLE;

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
const NEON: Abilities = Abilities {
    own: super::aarch64::neon::own,
    find: super::aarch64::neon::find,
    most_entries_of_16_bits: 256,
    whole_bytes: &[(2, 2)],
    to_wide_integer: ToWideInteger::ByInstruction,
    narrows_in_16_bits: true,
};

#[cfg(not(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")))]
const NEON: Abilities = PORTABLE;

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
const SIMD128: Abilities = Abilities { own: super::wasm32::simd128::own, ..PORTABLE };

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
const SIMD128: Abilities = PORTABLE;
