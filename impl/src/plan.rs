//! Which loops a cast runs through, chosen once per call.
//!
//! A cast is a chain of at most four: packed elements to a byte each, to float32 (or, from an integer
//! to a target of little range, to a narrow integer), from there to the target, and back to packed. For a long slice of few codes a table stands in for as much of the
//! chain as possible.

mod steps;

use crate::Backend;
use crate::arch::{self, Lookup, Step, Stores, Table};
use crate::cast::{Cast, Rules};
use crate::kernels::integer::CLAMPED_BITS;
use castproof_vectors::DType::Bool;
#[cfg(feature = "rayon")]
use rayon::prelude::*;
use steps::{is_clamped, is_integer, middle, pack, unpack};

/// Bytes of a block of elements in their widest form on the way: few enough for the first-level
/// cache, and enough elements to begin and end at whole bytes.
const BLOCK_BYTES: usize = 4096;

/// How much smaller the buffers are for casts that need no more.
const SMALLER: usize = 16;

/// Bytes of an output from which on it is written past the caches: half of a last-level cache of
/// 32 MiB, which an input as large fills together with it. Measured to win from there on.
const STREAM_FROM: usize = 16 << 20;

/// Elements from which on it pays to make a table first.
const TABLE_FROM: usize = 4096;

/// Elements from which on a cast is shared among threads.
#[cfg(feature = "rayon")]
const PARALLEL_FROM: usize = 4 * PIECE;

/// Elements that a thread takes at a time: a multiple of 8, so that each piece begins at a byte.
#[cfg(feature = "rayon")]
const PIECE: usize = 1 << 16;

/// Casts `count` elements between two numeric dtypes; the slices hold exactly as many.
pub(crate) fn run(cast: &Cast, count: usize, input: &[u8], output: &mut [u8]) {
    let stores = if output.len() < STREAM_FROM { Stores::Plain } else { Stores::Streaming };
    let chain = Chain::new(cast);
    let tabled = (count >= TABLE_FROM && pays_by_table(cast)).then(|| Tabled::new(chain, cast));
    match tabled.flatten() {
        Some(tabled) => tabled.run(stores, &cast.rules, count, input, output),
        None => chain.run_all(stores, &cast.rules, count, input, output),
    }
}

/// A chain of which as much as possible is replaced by a table that the chain itself has made.
struct Tabled {
    chain: Chain,
    table: Table,
    /// What is left over from whole bytes goes through here, if table entries stand for packed
    /// elements: they would take padding for some.
    rest: Option<Chain>,
}

impl Tabled {
    /// `None` where this backend computes no slower than it looks up.
    fn new(chain: Chain, cast: &Cast) -> Option<Tabled> {
        let Chain { links: [unpack, to_middle, from_middle, pack], from_bits, to_bits } = chain;
        let last = from_middle.or(to_middle)?;
        let bytes = |links| Chain { links, from_bits: 8, to_bits: last.bits };
        let find = |from, to, entries| {
            let stage = Stage::LookUp(Lookup::new(from, to, entries, cast.backend)?);
            Some(Link { stage, bits: to })
        };
        let mut rest = None;
        let (tabled, entries, links) = if is_clamped(cast.from, cast.to) {
            let entries = 1 << CLAMPED_BITS;
            let links = match find(8, to_bits, entries) {
                Some(all) => [None, to_middle, Some(all), None],
                None => [None, to_middle, Some(find(8, 8, entries)?), pack],
            };
            (bytes([None, None, from_middle, None]), entries, links)
        } else if let Some(bits) = whole_bytes(from_bits, to_bits, cast.backend) {
            rest = Some(chain);
            (chain, 256, [Some(find(8, bits, 256)?), None, None, None])
        } else {
            let entries = 1 << from_bits;
            let packed = from_bits < 8 || to_bits < 8;
            let links = match find(from_bits, to_bits, entries).filter(|_| packed) {
                Some(all) => {
                    rest = Some(chain);
                    [Some(all), None, None, None]
                }
                None => [unpack, Some(find(8, last.bits, entries)?), None, pack],
            };
            (bytes([None, to_middle, from_middle, None]), entries, links)
        };
        let mut table = Table([0; 512]);
        table.fill(tabled, entries, &cast.rules);
        Some(Tabled { chain: Chain { links, ..chain }, table, rest })
    }

    /// Casts `count` elements; the slices hold exactly as many.
    fn run(&self, stores: Stores, rules: &Rules, count: usize, input: &[u8], output: &mut [u8]) {
        let setup = Setup { rules, table: &self.table, stores };
        let Chain { from_bits, to_bits, .. } = self.chain;
        let whole = if self.rest.is_some() { count / 8 * 8 } else { count };
        let (input, rest_input) = input.split_at(bytes(from_bits, whole));
        let (output, rest_output) = output.split_at_mut(bytes(to_bits, whole));
        self.chain.share(setup, whole, input, output);
        if let Some(rest) = self.rest {
            rest.run_all(Stores::Plain, rules, count - whole, rest_input, rest_output);
        }
    }
}

/// For chains that look nothing up.
static NO_TABLE: Table = Table([0; 512]);

impl Table {
    /// What a chain makes of the first `entries` bytes.
    fn fill(&mut self, chain: Chain, entries: usize, rules: &Rules) {
        let codes: [u8; 256] = core::array::from_fn(|code| code as u8);
        let (count, bits) = (entries * 8 / chain.from_bits, chain.to_bits * 8 / chain.from_bits);
        let output = &mut self.0[..entries * bits / 8];
        chain.run_all(Stores::Plain, rules, count, &codes[..entries], output);
        if bits == 4 {
            // From the last one on, so that none is overwritten before it is read.
            for entry in (0..entries).rev() {
                self.0[entry] = self.0[entry / 2] >> (entry % 2 * 4) & 0xf;
            }
        }
    }
}

/// The bits that a whole byte of packed elements becomes, where a backend is best at finding those
/// at once.
fn whole_bytes(from_bits: usize, to_bits: usize, backend: Backend) -> Option<usize> {
    let whole = match (from_bits, to_bits) {
        (2, 2) | (4, 4) => true,
        (4, 2) => backend == Backend::Avx512,
        // AVX2 finds one of 16 entries far faster than one of 256.
        (2, 4) => backend != Backend::Avx2,
        (4, 8) => backend == Backend::Portable,
        _ => false,
    };
    whole.then_some(to_bits * 8 / from_bits)
}

/// Has the source few codes, or few that matter? Bytes that are integers or bool need hardly any
/// work to become other integers.
fn pays_by_table(cast: &Cast) -> bool {
    if is_clamped(cast.from, cast.to) {
        return true;
    }
    let simple = |dtype| is_integer(dtype) || dtype == Bool;
    let hardly_any_work = cast.from.bits() == 8 && simple(cast.from) && simple(cast.to);
    cast.from.bits() <= 8 && cast.from != cast.to && !hardly_any_work
}

/// What is the same for all elements of a call.
#[derive(Clone, Copy)]
struct Setup<'a> {
    rules: &'a Rules,
    table: &'a Table,
    /// Of the last loop.
    stores: Stores,
}

/// Loops through which elements go, one behind the other; none where nothing changes.
#[derive(Clone, Copy)]
struct Chain {
    links: [Option<Link>; 4],
    /// Per element of the input.
    from_bits: usize,
    /// Per element of the output.
    to_bits: usize,
}

/// A loop of a chain.
#[derive(Clone, Copy)]
struct Link {
    stage: Stage,
    /// Per element that it writes.
    bits: usize,
}

#[derive(Clone, Copy)]
enum Stage {
    Compute(Step),
    LookUp(Lookup),
}

impl Link {
    fn run(&self, setup: Setup, input: &[u8], output: &mut [u8], stores: Stores) {
        match self.stage {
            Stage::Compute(step) => step.run(setup.rules, input, output, stores),
            Stage::LookUp(lookup) => lookup.run(setup.table, input, output, stores),
        }
    }
}

impl Chain {
    fn new(cast: &Cast) -> Chain {
        let (from, to, backend) = (cast.from, cast.to, cast.backend);
        let (from_bits, to_bits) = (from.bits() as usize, to.bits() as usize);
        let same = from == to || (is_integer(from) && is_integer(to) && from_bits == to_bits);
        if same && !cast.may_change() {
            return Chain { links: [None; 4], from_bits, to_bits };
        }
        let link = |bits: usize| move |step| Link { stage: Stage::Compute(step), bits };
        let (to_middle, from_middle) = middle(from, to, backend);
        let bits = to_bits.max(8);
        let between = if is_clamped(from, to) { 8 } else { 32 };
        let links = [
            unpack(from.bits(), backend).map(link(8)),
            to_middle.map(link(if from_middle.is_some() { between } else { bits })),
            from_middle.map(link(bits)),
            pack(to.bits(), backend).map(link(to_bits)),
        ];
        Chain { links, from_bits, to_bits }
    }

    /// Casts `count` elements without a table.
    fn run_all(
        &self,
        stores: Stores,
        rules: &Rules,
        count: usize,
        input: &[u8],
        output: &mut [u8],
    ) {
        self.share(Setup { rules, table: &NO_TABLE, stores }, count, input, output);
    }

    /// Casts `count` elements, many of them on as many threads as there are.
    fn share(&self, setup: Setup, count: usize, input: &[u8], output: &mut [u8]) {
        #[cfg(feature = "rayon")]
        if count >= PARALLEL_FROM && rayon::current_num_threads() > 1 {
            let inputs = input.par_chunks(bytes(self.from_bits, PIECE));
            let outputs = output.par_chunks_mut(bytes(self.to_bits, PIECE));
            return inputs.zip(outputs).enumerate().for_each(|(index, (input, output))| {
                let count = PIECE.min(count - index * PIECE);
                self.run_aligned(setup, count, input, output);
            });
        }
        self.run_aligned(setup, count, input, output);
    }

    /// Casts `count` elements; those that are written past the caches begin with a cache line.
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
        if self.links.iter().flatten().count() < 2 {
            // One loop reads and writes as it likes.
            return self.run_block(setup, count, input, output, [&mut [], &mut [], &mut []]);
        }
        // To clear buffers takes as long as a short cast.
        let block = self.block();
        if count <= block / SMALLER {
            let mut buffers = [const { Buffer([0; BLOCK_BYTES / SMALLER]) }; 3];
            let buffers = buffers.each_mut().map(|Buffer(bytes)| &mut bytes[..]);
            return self.run_block(setup, count, input, output, buffers);
        }
        let mut buffers = [const { Buffer([0; BLOCK_BYTES]) }; 3];
        let inputs = input.chunks(bytes(self.from_bits, block));
        let outputs = output.chunks_mut(bytes(self.to_bits, block));
        for (index, (input, output)) in inputs.zip(outputs).enumerate() {
            let count = block.min(count - index * block);
            let buffers = buffers.each_mut().map(|Buffer(bytes)| &mut bytes[..]);
            self.run_block(setup, count, input, output, buffers);
        }
    }

    /// Elements of an output before the first of its cache lines that is whole, and with it all
    /// that follow; 0 where input or output cannot be divided there.
    fn elements_before_line(&self, output: &[u8]) -> usize {
        let bits = output.as_ptr().addr().wrapping_neg() % 64 * 8;
        let elements = bits / self.to_bits;
        let divides =
            bits.is_multiple_of(self.to_bits) && (elements * self.from_bits).is_multiple_of(8);
        if divides { elements } else { 0 }
    }

    /// Elements of a block.
    fn block(&self) -> usize {
        let widest =
            self.links.iter().flatten().map(|link| link.bits).fold(self.from_bits, usize::max);
        BLOCK_BYTES * 8 / widest.next_power_of_two()
    }

    /// Casts `count` elements, no more than a block if there is more than one loop.
    fn run_block(
        &self,
        setup: Setup,
        count: usize,
        input: &[u8],
        output: &mut [u8],
        buffers: [&mut [u8]; 3],
    ) {
        let mut links = self.links.iter().flatten().peekable();
        if links.peek().is_none() {
            return copy(setup.stores, self.from_bits, count, input, output);
        }
        let mut buffers = buffers.into_iter();
        let mut source = input;
        while let Some(link) = links.next() {
            let next = buffers.next().filter(|_| links.peek().is_some());
            let Some(target) = next else {
                return link.run(setup, source, output, setup.stores);
            };
            let target = &mut target[..bytes(link.bits, count)];
            link.run(setup, source, target, Stores::Plain);
            source = target;
        }
    }
}

/// What lies between two loops, for one block.
#[repr(align(64))]
struct Buffer<const BYTES: usize>([u8; BYTES]);

/// Bytes of `count` elements, where that is known to be small.
fn bytes(bits: usize, count: usize) -> usize {
    (count * bits).div_ceil(8)
}

/// The same codes; padding bits are cleared.
fn copy(stores: Stores, bits: usize, count: usize, input: &[u8], output: &mut [u8]) {
    match stores {
        Stores::Plain => output.copy_from_slice(input),
        Stores::Streaming => arch::stream(input, output),
    }
    let used = count % 8 * bits % 8;
    if let (Some(last), 1..) = (output.last_mut(), used) {
        *last &= (1 << used) - 1;
    }
}

#[cfg(test)]
mod tests;
