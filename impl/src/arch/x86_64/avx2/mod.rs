//! Loops of AVX2 and F16C. A function here enables no feature beyond `avx2` and `f16c`, by which
//! the instruction set is detected.

mod float_to_float;
mod float_to_integer;
mod integer;
mod lookup;
mod memory;
mod thirty_two;

use crate::InstructionSet;
use crate::arch::loops::{Body, Compute, Find, Loop, Stores, Task};
use crate::rules::Rules;
use castproof_vectors::DType;

/// A body compiled for this instruction set.
#[target_feature(enable = "avx2,f16c")]
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
        Task::ToOddFloat32(from @ (DType::Float16 | DType::Bfloat16)) => {
            float_to_float::convert(from, DType::Float32)?
        }
        Task::Cast(from, to) => float_to_float::convert(from, to)
            .or_else(|| float_to_integer::convert(from, to))
            .or_else(|| integer::convert(from, to))?,
        Task::Unpack(_) | Task::Pack(_) | Task::ToOddFloat32(_) => return None,
    };
    // SAFETY: the functions of this folder enable only features that the set is detected by.
    Some(unsafe { Loop::new(InstructionSet::Avx2, name, function) })
}

/// The loop of this instruction set that finds entries of a table, where there is one.
pub(in crate::arch) fn find(from: u32, to: u32, entries: usize) -> Option<Loop<Find>> {
    let (name, function) = lookup::find(from, to, entries)?;
    // SAFETY: as in `own`.
    Some(unsafe { Loop::new(InstructionSet::Avx2, name, function) })
}
