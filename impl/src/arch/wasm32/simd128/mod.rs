//! Loops of the vectors of WebAssembly. A module with them is refused by an engine without, so the build
//! decides: with the feature `simd128`, everything is compiled for it.

mod float_to_integer;
mod integer;
mod memory;
mod to_float64;

use crate::InstructionSet;
use crate::arch::loops::{Compute, Loop, Task};

/// The loop of this instruction set for a task, where there is one.
pub(in crate::arch) fn own(task: Task) -> Option<Loop<Compute>> {
    let Task::Cast(from, to) = task else { return None };
    let (name, function) = float_to_integer::convert(from, to)
        .or_else(|| integer::convert(from, to))
        .or_else(|| to_float64::convert(from, to))?;
    // SAFETY: the functions of this folder enable only the feature that the target is built with.
    Some(unsafe { Loop::new(InstructionSet::Simd128, name, function) })
}
