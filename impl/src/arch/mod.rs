//! Kernels compiled for one instruction set each. All `unsafe` code of the crate is in this folder.
#![allow(unsafe_code)]

pub(crate) mod float_to_integer;
#[cfg(not(target_arch = "x86_64"))]
mod other;
pub(crate) mod view;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use crate::Backend;
use crate::cast::Rules;
#[cfg(not(target_arch = "x86_64"))]
pub(crate) use other::*;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::*;

/// How a loop writes its output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stores {
    /// The usual way, through the caches.
    Plain,
    /// Past the caches where the loop can and the output is aligned to 16 bytes; [`fence`] must
    /// follow.
    Streaming,
}

/// A loop over elements: reads all of the input, writes all of the output. Written once, without
/// regard to instruction sets; `run` is `#[inline(always)]` so that it is compiled for each.
pub(crate) trait Body {
    fn run(rules: &Rules, input: &[u8], output: &mut [u8], stores: Stores);
}

/// A loop compiled for a backend that this machine can run.
#[derive(Clone, Copy)]
pub(crate) struct Step(unsafe fn(&Rules, &[u8], &mut [u8], Stores));

impl Step {
    /// Compiles `B` for `backend`, which the machine must be able to run: every `Backend` inside a
    /// `Cast` has been through `Backend::checked` or `Backend::preferred`.
    pub(crate) fn new<B: Body>(backend: Backend) -> Step {
        debug_assert!(backend.is_available(), "{backend} was not checked");
        match backend {
            #[cfg(target_arch = "x86_64")]
            Backend::Avx2 => Step(avx2::<B>),
            #[cfg(target_arch = "x86_64")]
            Backend::Avx512 => Step(avx512::<B>),
            _ => Step(B::run),
        }
    }

    /// Runs the loop.
    pub(crate) fn run(self, rules: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
        // SAFETY: the function asks for nothing but the instruction set of the backend that `self`
        // was made for, and that backend has been found available.
        unsafe { (self.0)(rules, input, output, stores) }
    }
}

/// What every byte becomes: 256 entries of one or two bytes, one behind the other.
#[repr(align(64))]
pub(crate) struct Table(pub(crate) [u8; 512]);

/// A loop that replaces every element by its entry in a table, for a backend that this machine can
/// run.
#[derive(Clone, Copy)]
pub(crate) struct Lookup(unsafe fn(&Table, &[u8], &mut [u8], Stores));

impl Lookup {
    /// The loop from elements of `from` bits to entries of `to` bits, where indices are below
    /// `entries`; `None` where there is none or computing is no slower. Entries of less than a byte
    /// take one in the table.
    pub(crate) fn new(from: usize, to: usize, entries: usize, backend: Backend) -> Option<Lookup> {
        lookup(from, to, entries, backend).or(match (from, to) {
            (8, 8) => Some(Lookup(find::<1>)),
            (8, 16) if backend == Backend::Portable => Some(Lookup(find::<2>)),
            _ => None,
        })
    }

    /// Runs the loop.
    pub(crate) fn run(self, table: &Table, input: &[u8], output: &mut [u8], stores: Stores) {
        // SAFETY: as in `Step::run`.
        unsafe { (self.0)(table, input, output, stores) }
    }
}

/// Entries of `N` bytes, one by one.
fn find<const N: usize>(table: &Table, input: &[u8], output: &mut [u8], _: Stores) {
    let entries: &[[u8; N]] = &table.0.as_chunks().0[..256];
    let entries: &[[u8; N]; 256] = entries.try_into().expect("as long as the table is made");
    for (to, from) in output.as_chunks_mut().0.iter_mut().zip(input) {
        *to = entries[usize::from(*from)];
    }
}
