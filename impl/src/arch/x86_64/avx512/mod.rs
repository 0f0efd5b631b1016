//! Loops of AVX-512. A function here enables no feature beyond `avx512f`, `avx512bw`, `avx512dq`,
//! `avx512vl` and `avx512vbmi`, by which the instruction set is detected, and those of AVX2.

mod float_to_float;
mod float_to_narrow_integer;
mod float_to_wide_integer;
mod integer;
mod lookup;
mod memory;
mod packing;
mod round_to_odd;
mod to_16_bit_float;

use crate::InstructionSet;
use crate::arch::loops::{Body, Compute, Find, Loop, Stores, Task};
use crate::rules::Rules;
use castproof_vectors::DType;

/// A body compiled for this instruction set.
#[target_feature(enable = "avx2,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
pub(in crate::arch) fn compiled<B: Body>(
    rules: &Rules,
    input: &[u8],
    output: &mut [u8],
    stores: Stores,
) {
    B::run(rules, input, output, stores);
}

/// The loop of this instruction set for a task, where there is one.
pub(in crate::arch) fn own(task: Task) -> Option<Loop<Compute>> {
    let (name, function) = match task {
        Task::Unpack(bits) => packing::unpacked(bits)?,
        Task::Pack(bits) => packing::packed(bits)?,
        Task::ToOddFloat32(DType::Float16) => {
            float_to_float::convert(DType::Float16, DType::Float32)?
        }
        Task::ToOddFloat32(from) => round_to_odd::to_float32(from)?,
        Task::Cast(from, to) => float_to_wide_integer::convert(from, to)
            .or_else(|| float_to_narrow_integer::convert(from, to))
            .or_else(|| to_16_bit_float::convert(from, to))
            .or_else(|| float_to_float::convert(from, to))
            .or_else(|| integer::convert(from, to))?,
    };
    // SAFETY: the functions of this folder enable only features by which this set, or AVX2, is
    // detected.
    Some(unsafe { Loop::new(InstructionSet::Avx512, name, function) })
}

/// The loop of this instruction set that finds entries of a table, where there is one.
pub(in crate::arch) fn find(from: u32, to: u32, entries: usize) -> Option<Loop<Find>> {
    let (name, function) = lookup::find(from, to, entries)?;
    // SAFETY: as in `own`.
    Some(unsafe { Loop::new(InstructionSet::Avx512, name, function) })
}
