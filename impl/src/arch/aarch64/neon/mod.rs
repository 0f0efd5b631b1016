//! Loops of Advanced SIMD. A function here enables no feature beyond `neon`, with which the target
//! is built: loops that are written once are compiled for it anyway.
//!
//! Conversions are by the default floating-point control, which Rust assumes: to nearest, nothing
//! is flushed to zero, and half precision is that of IEEE 754.

mod float_to_float;
mod float_to_integer;
mod from_integer;
mod from_narrow_float;
mod lookup;
mod memory;
mod packing;
mod sixteen;
mod to_narrow_float;

use crate::InstructionSet;
use crate::arch::loops::{Compute, Find, Loop, Task};

/// The loop of this instruction set for a task, where there is one.
pub(in crate::arch) fn own(task: Task) -> Option<Loop<Compute>> {
    let (name, function) = match task {
        Task::Unpack(bits) => packing::unpacked(bits)?,
        Task::Pack(bits) => packing::packed(bits)?,
        Task::ToOddFloat32(from) => float_to_float::to_odd_float32(from)
            .or_else(|| from_narrow_float::to_float32(from))
            .or_else(|| from_integer::to_odd_float32(from))?,
        Task::Cast(from, to) => float_to_float::convert(from, to)
            .or_else(|| float_to_integer::convert(from, to))
            .or_else(|| from_narrow_float::convert(from, to))
            .or_else(|| from_integer::convert(from, to))
            .or_else(|| to_narrow_float::convert(from, to))?,
    };
    // SAFETY: the functions of this folder enable only the feature that the set is detected by.
    Some(unsafe { Loop::new(InstructionSet::Neon, name, function) })
}

/// The loop of this instruction set that finds entries of a table, where there is one.
pub(in crate::arch) fn find(from: u32, to: u32, entries: usize) -> Option<Loop<Find>> {
    let (name, function) = lookup::find(from, to, entries)?;
    // SAFETY: as in `own`.
    Some(unsafe { Loop::new(InstructionSet::Neon, name, function) })
}
