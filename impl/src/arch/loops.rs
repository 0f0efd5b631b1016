//! What a loop is, and when it may run.

use super::table::Table;
use crate::rules::Rules;
use crate::{Backend, InstructionSet};
use castproof_vectors::DType;

/// How a loop writes its output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stores {
    /// The usual way, through the caches.
    Plain,
    /// Past the caches where the loop can and the output is aligned to 16 bytes; [`fence`] must
    /// follow.
    Streaming,
}

impl Stores {
    /// Does this target have stores past the caches, and may the loop use them?
    #[inline(always)]
    pub(crate) fn pass_caches(self) -> bool {
        cfg!(target_arch = "x86_64") && self == Stores::Streaming
    }
}

/// A loop over elements: reads all of the input, writes all of the output. Written once, without
/// regard to instruction sets; `run` is `#[inline(always)]` so that it is compiled for each.
pub(crate) trait Body {
    /// How a plan calls it: its path below `kernels`.
    const NAME: &'static str;
    fn run(rules: &Rules, input: &[u8], output: &mut [u8], stores: Stores);
}

/// The function of a loop that computes.
pub(crate) type Compute = unsafe fn(&Rules, &[u8], &mut [u8], Stores);

/// The function of a loop that replaces every element by its entry in a table.
pub(crate) type Find = unsafe fn(&Table, &[u8], &mut [u8], Stores);

/// A loop, and the instruction set without which it must not run.
#[derive(Clone, Copy)]
pub(crate) struct Loop<F> {
    /// How a plan calls it.
    pub(crate) name: &'static str,
    needs: InstructionSet,
    function: F,
}

impl<F> Loop<F> {
    /// # Safety
    /// Any machine for which [`Backend::detect`] finds `needs` can run the function.
    pub(super) const unsafe fn new(
        needs: InstructionSet,
        name: &'static str,
        function: F,
    ) -> Loop<F> {
        Loop { name, needs, function }
    }

    /// The instruction set that it is compiled for.
    pub(crate) fn needs(&self) -> InstructionSet {
        self.needs
    }

    /// Returns the loop, ready to run, or `None` if the backend does not include what it needs.
    pub(crate) fn ready(self, backend: Backend) -> Option<Ready<F>> {
        let includes = backend.instruction_set().and_next().any(|set| set == self.needs);
        includes.then_some(Ready(self.function))
    }
}

/// A loop that this machine can run: it was made from a [`Backend`] that includes what it needs.
#[derive(Clone, Copy)]
pub(crate) struct Ready<F>(F);

impl Ready<Compute> {
    /// Runs the loop.
    pub(crate) fn run(self, rules: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
        // SAFETY: `Loop::ready` checked that the backend includes what the function needs, and
        // backends are made only by detection.
        unsafe { (self.0)(rules, input, output, stores) }
    }
}

impl Ready<Find> {
    /// Runs the loop.
    pub(crate) fn run(self, table: &Table, input: &[u8], output: &mut [u8], stores: Stores) {
        // SAFETY: as for `Ready<Compute>`.
        unsafe { (self.0)(table, input, output, stores) }
    }
}

/// Something for which an instruction set may have a loop of its own.
#[derive(Clone, Copy)]
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code, reason = "only x86-64 and aarch64 have own loops of every kind")
)]
pub(crate) enum Task {
    /// Packed elements of so many bits to a byte each.
    Unpack(u32),
    /// A byte each to packed elements of so many bits.
    Pack(u32),
    /// A whole cast. Elements of less than a byte take a byte each.
    Cast(DType, DType),
    /// To float32, rounded to odd where that is inexact.
    ToOddFloat32(DType),
}
