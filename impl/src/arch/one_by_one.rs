//! Portable loops that look up table entries one by one.

use super::loops::{Find, Loop, Stores};
use super::table::Table;
use crate::InstructionSet;

/// Returns the portable loop for elements of one byte and entries of one or two bytes.
pub(super) fn find_one_by_one(from: u32, to: u32, _: usize) -> Option<Loop<Find>> {
    let (name, function): (_, Find) = match (from, to) {
        (8, 8) => ("one_by_one::bytes", find::<1>),
        (8, 16) => ("one_by_one::pairs", find::<2>),
        _ => return None,
    };
    // SAFETY: the function enables no feature.
    Some(unsafe { Loop::new(InstructionSet::Portable, name, function) })
}

/// Looks up entries of `N` bytes.
fn find<const N: usize>(table: &Table, input: &[u8], output: &mut [u8], _: Stores) {
    let entries: &[[u8; N]] = &table.0.as_chunks().0[..256];
    let entries: &[[u8; N]; 256] = entries.try_into().expect("as long as the table is made");
    for (to, from) in output.as_chunks_mut().0.iter_mut().zip(input) {
        *to = entries[usize::from(*from)];
    }
}
