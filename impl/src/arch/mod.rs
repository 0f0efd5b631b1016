//! Loops compiled for one instruction set each. All `unsafe` code of the crate is in this folder.
#![allow(unsafe_code)]

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
mod aarch64;
mod abilities;
#[cfg(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"),
    all(target_arch = "wasm32", target_feature = "simd128")
))]
mod chunks;
pub(crate) mod float_to_integer;
mod loops;
mod one_by_one;
mod stream;
mod table;
pub(crate) mod view;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm32;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use crate::InstructionSet;
pub(crate) use abilities::{Abilities, ToWideInteger};
pub(crate) use loops::{Body, Compute, Find, Loop, Ready, Stores, Task};
pub(crate) use stream::{fence, stream};
pub(crate) use table::Table;

/// Returns a body compiled for an instruction set.
pub(crate) fn compiled<B: Body>(set: InstructionSet) -> Loop<Compute> {
    let portable: Compute = B::run;
    #[cfg(target_arch = "x86_64")]
    let function = match set {
        InstructionSet::Portable => portable,
        InstructionSet::Avx2 => x86_64::avx2::compiled::<B>,
        InstructionSet::Avx512 => x86_64::avx512::compiled::<B>,
        InstructionSet::Neon | InstructionSet::Simd128 => portable,
    };
    #[cfg(not(target_arch = "x86_64"))]
    // A target with NEON or `simd128` compiles everything for it.
    let function = match set {
        InstructionSet::Portable
        | InstructionSet::Avx2
        | InstructionSet::Avx512
        | InstructionSet::Neon
        | InstructionSet::Simd128 => portable,
    };
    // SAFETY: each wrapper enables only features that its set is detected by.
    unsafe { Loop::new(set, B::NAME, function) }
}

/// What an instruction set can do.
pub(crate) fn abilities(set: InstructionSet) -> &'static Abilities {
    abilities::ABILITIES.of(set)
}

/// Returns the loop that an instruction set has for a task, or else the loop of the next
/// instruction set that it includes.
pub(crate) fn own(set: InstructionSet, task: Task) -> Option<Loop<Compute>> {
    set.and_next().find_map(|set| (abilities(set).own)(task))
}

/// Returns the loop that looks up entries of `to` bits for elements of `from` bits. All indices are
/// below `entries`. `None` if there is no such loop or computing is not slower. Entries of less
/// than a byte take a byte each in the table.
pub(crate) fn find(set: InstructionSet, from: u32, to: u32, entries: usize) -> Option<Loop<Find>> {
    if to == 16 && entries > abilities(set).most_entries_of_16_bits {
        return None;
    }
    set.and_next().find_map(|set| (abilities(set).find)(from, to, entries))
}
