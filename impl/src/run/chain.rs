//! Chains of loops, which run one after another.

use crate::Backend;
use crate::arch::{self, Compute, Find, Ready, Stores, Table};
use crate::plan::{Places, Plan};
use crate::rules::Rules;
use crate::sizes::{BLOCK_BYTES, SMALL_BLOCK_BYTES, TINY_BLOCK_BYTES};
#[cfg(feature = "rayon")]
use crate::sizes::{PARALLEL_FROM, PIECE};
#[cfg(feature = "rayon")]
use rayon::prelude::*;
#[cfg(feature = "rayon")]
use std::{error::Error, sync::OnceLock};

/// Loops that run one after another; none if codes do not change.
#[derive(Clone, Copy)]
pub(super) struct Chain {
    pub(super) links: Places<Link>,
    /// Bits per element of the input.
    pub(super) from_bits: u8,
    /// Bits per element of the output.
    pub(super) to_bits: u8,
    /// How many loops there are.
    count: u8,
    /// Elements of a block, where there is more than one loop.
    block: u16,
}

/// A loop of a chain.
#[derive(Clone, Copy)]
pub(super) struct Link {
    pub(super) stage: Stage,
    /// Bits per element that it writes.
    pub(super) bits: u8,
}

#[derive(Clone, Copy)]
pub(super) enum Stage {
    Compute(Ready<Compute>),
    LookUp(Ready<Find>),
}

/// What is the same for all elements of a call.
#[derive(Clone, Copy)]
pub(super) struct Setup<'a> {
    pub(super) rules: &'a Rules,
    pub(super) table: &'a Table,
    /// How the last loop stores its output.
    pub(super) stores: Stores,
}

/// The table of chains without a lookup.
static NO_TABLE: Table = Table([0; 512]);

/// Whether the current rayon pool has more than one thread. The first use of the global pool starts
/// its threads, and rayon panics if the system gives none. A cast is right without them, so this
/// starts the pool itself, and remembers a failure.
#[cfg(feature = "rayon")]
fn has_threads() -> bool {
    static GLOBAL_POOL: OnceLock<bool> = OnceLock::new();
    let start = || match rayon::ThreadPoolBuilder::new().build_global() {
        Ok(()) => true,
        // An error without a source says that the pool exists already.
        Err(error) => error.source().is_none(),
    };
    let is_in_pool = rayon::current_thread_index().is_some();
    (is_in_pool || *GLOBAL_POOL.get_or_init(start)) && rayon::current_num_threads() > 1
}

impl Link {
    #[inline]
    fn run(&self, setup: Setup, input: &[u8], output: &mut [u8], stores: Stores) {
        match self.stage {
            Stage::Compute(step) => step.run(setup.rules, input, output, stores),
            Stage::LookUp(lookup) => lookup.run(setup.table, input, output, stores),
        }
    }
}

impl Chain {
    pub(super) fn new(plan: &Plan, backend: Backend) -> Chain {
        let [from_bits, to_bits] = plan.bits().map(|bits| bits as u8);
        let links = plan.chain().map(|planned| {
            let planned = planned?;
            let step = planned.computes.ready(backend).expect("planned for the backend");
            Some(Link { stage: Stage::Compute(step), bits: planned.writes.bits() as u8 })
        });
        Chain::of(links, from_bits, to_bits)
    }

    pub(super) fn of(links: Places<Link>, from_bits: u8, to_bits: u8) -> Chain {
        let written = links.iter().flatten();
        let count = written.clone().count() as u8;
        let widest = written.fold(from_bits, |widest, link| widest.max(link.bits));
        let block = (BLOCK_BYTES * 8 / usize::from(widest.next_power_of_two())) as u16;
        Chain { links, from_bits, to_bits, count, block }
    }

    /// Casts `count` elements without a table.
    pub(super) fn run_all(
        &self,
        stores: Stores,
        rules: &Rules,
        count: usize,
        input: &[u8],
        output: &mut [u8],
    ) {
        self.share(Setup { rules, table: &NO_TABLE, stores }, count, input, output);
    }

    /// Casts `count` elements. With the feature `rayon`, the threads share large slices.
    pub(super) fn share(&self, setup: Setup, count: usize, input: &[u8], output: &mut [u8]) {
        #[cfg(feature = "rayon")]
        if count >= PARALLEL_FROM && has_threads() {
            let inputs = input.par_chunks(bytes(self.from_bits, PIECE));
            let outputs = output.par_chunks_mut(bytes(self.to_bits, PIECE));
            return inputs.zip(outputs).enumerate().for_each(|(index, (input, output))| {
                let count = PIECE.min(count - index * PIECE);
                self.run_aligned(setup, count, input, output);
            });
        }
        self.run_aligned(setup, count, input, output);
    }

    /// Casts `count` elements. Stores past the caches begin at a cache line.
    fn run_aligned(&self, setup: Setup, count: usize, input: &[u8], output: &mut [u8]) {
        if setup.stores == Stores::Plain {
            return self.run(setup, count, input, output);
        }
        let head = self.elements_before_line(output).min(count);
        let (head_input, input) = input.split_at(bytes(self.from_bits, head));
        let (head_output, output) = output.split_at_mut(bytes(self.to_bits, head));
        let plain = Setup { stores: Stores::Plain, ..setup };
        self.run(plain, head, head_input, head_output);
        self.run(setup, count - head, input, output);
        arch::fence();
    }

    /// Casts `count` elements.
    fn run(&self, setup: Setup, count: usize, input: &[u8], output: &mut [u8]) {
        let mut links = self.links.iter().flatten();
        match (self.count, links.next()) {
            (_, None) => copy(setup.stores, self.from_bits, count, input, output),
            // One loop needs no buffer. Of several, each two have a buffer between them.
            (1, Some(only)) => only.run(setup, input, output, setup.stores),
            (2, _) => self.run_in_blocks::<1>(setup, count, input, output),
            (3, _) => self.run_in_blocks::<2>(setup, count, input, output),
            _ => self.run_in_blocks::<3>(setup, count, input, output),
        }
    }

    /// Casts `count` elements by loops with `BUFFERS` buffers between them.
    fn run_in_blocks<const BUFFERS: usize>(
        &self,
        setup: Setup,
        count: usize,
        input: &[u8],
        output: &mut [u8],
    ) {
        let block = usize::from(self.block);
        // Clearing large buffers takes longer than a short cast.
        if count <= block / (BLOCK_BYTES / TINY_BLOCK_BYTES) {
            return self.run_block::<TINY_BLOCK_BYTES, BUFFERS>(setup, count, input, output);
        }
        if count <= block / (BLOCK_BYTES / SMALL_BLOCK_BYTES) {
            return self.run_block::<SMALL_BLOCK_BYTES, BUFFERS>(setup, count, input, output);
        }
        let mut buffers = [const { Buffer([0; BLOCK_BYTES]) }; BUFFERS];
        let inputs = input.chunks(bytes(self.from_bits, block));
        let outputs = output.chunks_mut(bytes(self.to_bits, block));
        for (index, (input, output)) in inputs.zip(outputs).enumerate() {
            let count = block.min(count - index * block);
            self.run_through(setup, count, input, output, &mut buffers);
        }
    }

    /// Casts `count` elements that take at most `BYTES` in their widest form.
    fn run_block<const BYTES: usize, const BUFFERS: usize>(
        &self,
        setup: Setup,
        count: usize,
        input: &[u8],
        output: &mut [u8],
    ) {
        let mut buffers = [const { Buffer([0; BYTES]) }; BUFFERS];
        self.run_through(setup, count, input, output, &mut buffers);
    }

    /// Casts `count` elements through buffers that are large enough.
    fn run_through<const BYTES: usize, const BUFFERS: usize>(
        &self,
        setup: Setup,
        count: usize,
        input: &[u8],
        output: &mut [u8],
        buffers: &mut [Buffer<BYTES>; BUFFERS],
    ) {
        let mut links = self.links.iter().flatten();
        let last = links.next_back();
        let mut source = input;
        for (link, Buffer(target)) in links.zip(buffers) {
            let target = &mut target[..bytes(link.bits, count)];
            link.run(setup, source, target, Stores::Plain);
            source = target;
        }
        if let Some(last) = last {
            last.run(setup, source, output, setup.stores);
        }
    }

    /// Returns the number of elements before the first whole cache line of an output; 0 if the
    /// input or the output cannot be divided there.
    fn elements_before_line(&self, output: &[u8]) -> usize {
        let bits = output.as_ptr().addr().wrapping_neg() % 64 * 8;
        let [from_bits, to_bits] = [self.from_bits, self.to_bits].map(usize::from);
        let elements = bits / to_bits;
        let divides = bits.is_multiple_of(to_bits) && (elements * from_bits).is_multiple_of(8);
        if divides { elements } else { 0 }
    }
}

/// What lies between two loops, for one block.
#[repr(align(64))]
struct Buffer<const BYTES: usize>([u8; BYTES]);

/// Returns the bytes of `count` elements, for counts that are known not to overflow.
pub(super) fn bytes(bits: u8, count: usize) -> usize {
    (count * usize::from(bits)).div_ceil(8)
}

/// Copies the codes and clears the padding bits.
fn copy(stores: Stores, bits: u8, count: usize, input: &[u8], output: &mut [u8]) {
    match stores {
        Stores::Plain => output.copy_from_slice(input),
        Stores::Streaming => arch::stream(input, output),
    }
    let used = count % 8 * usize::from(bits) % 8;
    if let (Some(last), 1..) = (output.last_mut(), used) {
        *last &= (1 << used) - 1;
    }
}
