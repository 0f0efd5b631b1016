//! Which loops a cast runs through, chosen once per call.
//!
//! A cast is a chain of at most four: packed elements to a byte each, to 32 bits (a float32 or,
//! between integers, the low 32 bits), from there to the target, and back to packed. For a long
//! slice of few codes a table stands in for as much of the chain as possible.

use crate::Backend;
use crate::arch::{self, Lookup, Step, Stores, Table};
use crate::cast::{Cast, Rules};
use crate::format::{self, FloatFormat};
use crate::kernels::packing::{Pack, Unpack};
use crate::kernels::{direct, float, integer, power, short};
use castproof_vectors::DType::{self, *};
#[cfg(feature = "rayon")]
use rayon::prelude::*;

/// Bytes of a block of elements in their widest form on the way: few enough for the first-level
/// cache, and enough elements to begin and end at whole bytes.
const BLOCK_BYTES: usize = 4096;

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

/// How a cast is done.
pub(crate) struct Plan {
    chain: Chain,
    table: Table,
    /// What is left over from whole bytes of the source goes through here, if the chain is a table
    /// of whole bytes: it would take padding for elements.
    rest: Option<Chain>,
}

impl Plan {
    /// The plan for a cast of `count` elements between two numeric dtypes.
    pub(crate) fn new(cast: &Cast, count: usize) -> Plan {
        let plan = Plan::computed(cast);
        if count >= TABLE_FROM && pays_by_table(cast) { plan.with_table(cast) } else { plan }
    }

    fn computed(cast: &Cast) -> Plan {
        Plan { chain: Chain::new(cast), table: Table([0; 512]), rest: None }
    }

    /// Casts `count` elements; the slices hold exactly as many.
    pub(crate) fn run(&self, rules: &Rules, count: usize, input: &[u8], output: &mut [u8]) {
        let stores = if output.len() < STREAM_FROM { Stores::Plain } else { Stores::Streaming };
        self.run_by(stores, rules, count, input, output);
    }

    fn run_by(&self, stores: Stores, rules: &Rules, count: usize, input: &[u8], output: &mut [u8]) {
        let setup = Setup { rules, table: &self.table, stores };
        let Chain { from_bits, to_bits, .. } = self.chain;
        let whole = if self.rest.is_some() { count / 8 * 8 } else { count };
        let (input, rest_input) = input.split_at(bytes(from_bits, whole));
        let (output, rest_output) = output.split_at_mut(bytes(to_bits, whole));
        self.chain.share(setup, whole, input, output);
        if let Some(rest) = self.rest {
            let plain = Setup { stores: Stores::Plain, ..setup };
            rest.run(plain, count - whole, rest_input, rest_output);
        }
    }

    /// As much of the chain as possible replaced by a table that it makes itself, if this backend
    /// looks up faster than it computes.
    fn with_table(mut self, cast: &Cast) -> Plan {
        let Chain { links, from_bits, to_bits } = self.chain;
        let [unpack, to_word, from_word, pack] = links;
        let Some(last) = from_word.or(to_word) else { return self };
        // One byte of the source alone may make whole bytes of the target; else one code does.
        // AVX2 looks up one of 16 entries far faster than one of 256.
        let doubles = to_bits == 2 * from_bits && cast.backend != Backend::Avx2;
        let whole = 8 % from_bits == 0 && (to_bits == from_bits || doubles);
        let (replaced, entries) = if whole {
            (self.chain, 256)
        } else {
            let links = [None, to_word, from_word, None];
            (Chain { links, from_bits: 8, to_bits: last.bits }, 1 << from_bits)
        };
        let width = replaced.to_bits / replaced.from_bits;
        let Some(lookup) = Lookup::new(width, entries, cast.backend) else { return self };
        let codes: [u8; 256] = core::array::from_fn(|code| code as u8);
        let setup = Setup { rules: &cast.rules, table: &Table([0; 512]), stores: Stores::Plain };
        let entries = &mut self.table.0[..entries * width];
        let input = &codes[..entries.len() / width];
        replaced.run(setup, input.len() * 8 / replaced.from_bits, input, entries);
        let link = Link { stage: Stage::LookUp(lookup), bits: replaced.to_bits };
        self.rest = whole.then_some(self.chain);
        self.chain.links =
            if whole { [Some(link), None, None, None] } else { [unpack, Some(link), None, pack] };
        self
    }
}

/// Has the source few codes? Bytes that are integers or bool need hardly any work to become other
/// integers.
fn pays_by_table(cast: &Cast) -> bool {
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
        let (to_word, from_word) = middle(from, to, backend);
        let bits = to_bits.max(8);
        let links = [
            unpack(from.bits(), backend).map(link(8)),
            to_word.map(link(if from_word.is_some() { 32 } else { bits })),
            from_word.map(link(bits)),
            pack(to.bits(), backend).map(link(to_bits)),
        ];
        Chain { links, from_bits, to_bits }
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
            return self.run_block(setup, count, input, output, &mut []);
        }
        let mut buffers = [const { Buffer([0; BLOCK_BYTES]) }; 3];
        let block = self.block();
        let inputs = input.chunks(bytes(self.from_bits, block));
        let outputs = output.chunks_mut(bytes(self.to_bits, block));
        for (index, (input, output)) in inputs.zip(outputs).enumerate() {
            let count = block.min(count - index * block);
            self.run_block(setup, count, input, output, &mut buffers);
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
        buffers: &mut [Buffer],
    ) {
        let mut links = self.links.iter().flatten().peekable();
        if links.peek().is_none() {
            return copy(setup.stores, self.from_bits, count, input, output);
        }
        let mut buffers = buffers.iter_mut();
        let mut source = input;
        while let Some(link) = links.next() {
            let next = buffers.next().filter(|_| links.peek().is_some());
            let Some(Buffer(target)) = next else {
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
struct Buffer([u8; BLOCK_BYTES]);

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

fn is_integer(dtype: DType) -> bool {
    signedness(dtype).is_some()
}

/// Is an integer signed? `None` for bool and floats.
fn signedness(dtype: DType) -> Option<bool> {
    match dtype {
        Int2 | Int4 | Int8 | Int16 | Int32 | Int64 => Some(true),
        Uint2 | Uint4 | Uint8 | Uint16 | Uint32 | Uint64 => Some(false),
        _ => None,
    }
}

/// The loops to and from 32 bits (a float32 or, between integers, the low 32 bits); one of them
/// alone where source or target has that form or where there is a loop for the pair. Sub-byte
/// elements take a byte each here.
fn middle(from: DType, to: DType, backend: Backend) -> (Option<Step>, Option<Step>) {
    let integer_or_bool = |dtype| is_integer(dtype) || dtype == Bool;
    if to == Bool && integer_or_bool(from) {
        return (Some(to_bool(from, backend)), None);
    }
    let step = arch::truncate(from, to, backend).or_else(|| direct(from, to, backend));
    if let Some(step) = step.or_else(|| from_short(from, to, backend)) {
        return (Some(step), None);
    }
    if integer_or_bool(from) && is_integer(to) {
        let signed = signedness(from) == Some(true);
        return (to_word(from, backend), from_word(signed, to.bits(), backend));
    }
    (to_float(from, backend), from_float(to, backend))
}

fn unpack(bits: u32, backend: Backend) -> Option<Step> {
    arch::unpack(bits, backend).or_else(|| match bits {
        2 => Some(Step::new::<Unpack<2>>(backend)),
        4 => Some(Step::new::<Unpack<4>>(backend)),
        6 => Some(Step::new::<Unpack<6>>(backend)),
        _ => None,
    })
}

fn pack(bits: u32, backend: Backend) -> Option<Step> {
    arch::pack(bits, backend).or_else(|| match bits {
        2 => Some(Step::new::<Pack<2>>(backend)),
        4 => Some(Step::new::<Pack<4>>(backend)),
        6 => Some(Step::new::<Pack<6>>(backend)),
        _ => None,
    })
}

/// Bool and integers to bool.
fn to_bool(from: DType, backend: Backend) -> Step {
    let make = match from.bits() {
        16 => Step::new::<integer::ToBool<u16>>,
        32 => Step::new::<integer::ToBool<u32>>,
        64 => Step::new::<integer::ToBool<u64>>,
        _ => Step::new::<integer::ToBool<u8>>,
    };
    make(backend)
}

/// Bool and integers to 32 bits; `None` where they have 32.
fn to_word(from: DType, backend: Backend) -> Option<Step> {
    use integer::{FromBool, ToWord};
    let make = match from {
        Bool => Step::new::<FromBool>,
        Int2 => Step::new::<ToWord<u8, 2, true>>,
        Int4 => Step::new::<ToWord<u8, 4, true>>,
        Int8 => Step::new::<ToWord<u8, 8, true>>,
        Int16 => Step::new::<ToWord<u16, 16, true>>,
        Uint2 | Uint4 | Uint8 => Step::new::<ToWord<u8, 8, false>>,
        Uint16 => Step::new::<ToWord<u16, 16, false>>,
        Int64 | Uint64 => Step::new::<ToWord<u64, 64, false>>,
        _ => return None,
    };
    Some(make(backend))
}

/// float16 and bfloat16 to floats of at most 8 bits, where that takes 16 bits all the way.
fn from_short(from: DType, to: DType, backend: Backend) -> Option<Step> {
    // Shifts of 16 bits by differing amounts are an instruction of AVX-512. Elsewhere only a shift
    // by one amount pays, which is enough where the source has no more range than the target.
    match (from, to) {
        (Float16, Float8E5M2 | Float8E5M2FNUZ) => narrow_short::<format::Float16>(to, backend),
        _ if backend == Backend::Portable => None,
        (Float16, _) => narrow_short::<format::Float16>(to, backend),
        (Bfloat16, _) => narrow_short::<format::BFloat16>(to, backend),
        _ => None,
    }
}

fn narrow_short<S: FloatFormat>(to: DType, backend: Backend) -> Option<Step> {
    use short::Narrow;
    let make = match to {
        Float4E2M1 => Step::new::<Narrow<S, format::Float4E2M1>>,
        Float6E2M3 => Step::new::<Narrow<S, format::Float6E2M3>>,
        Float6E3M2 => Step::new::<Narrow<S, format::Float6E3M2>>,
        Float8E4M3FN => Step::new::<Narrow<S, format::Float8E4M3FN>>,
        Float8E4M3FNUZ => Step::new::<Narrow<S, format::Float8E4M3FNUZ>>,
        Float8E5M2 => Step::new::<Narrow<S, format::Float8E5M2>>,
        Float8E5M2FNUZ => Step::new::<Narrow<S, format::Float8E5M2FNUZ>>,
        _ => return None,
    };
    Some(make(backend))
}

/// 32 bits to integers; `None` where they have 32.
fn from_word(signed: bool, bits: u32, backend: Backend) -> Option<Step> {
    use integer::{Extend, FromWord};
    let make = match bits {
        2 => Step::new::<FromWord<u8, 2>>,
        4 => Step::new::<FromWord<u8, 4>>,
        8 => Step::new::<FromWord<u8, 8>>,
        16 => Step::new::<FromWord<u16, 16>>,
        64 if signed => Step::new::<Extend<true>>,
        64 => Step::new::<Extend<false>>,
        _ => return None,
    };
    Some(make(backend))
}

/// Pairs that cannot go through float32, or that keep what it would lose. A cast to the same dtype
/// comes here only where it changes some codes.
fn direct(from: DType, to: DType, backend: Backend) -> Option<Step> {
    let make = match (from, to) {
        (Float8E5M2, Float8E5M2) => Step::new::<float::SaturateInfinity>,
        (Float64, Float32) => Step::new::<direct::Float64ToFloat32>,
        (Float64, Int32) => Step::new::<direct::Float64ToInt32>,
        (Float64, Uint32) => Step::new::<direct::Float64ToUint32>,
        (Float64, Int64) => Step::new::<direct::Float64ToInt64>,
        (Float64, Uint64) => Step::new::<direct::Float64ToUint64>,
        (Int32, Float32) => Step::new::<direct::Int32ToFloat32>,
        (Uint32, Float32) => Step::new::<direct::Uint32ToFloat32>,
        (Int64, Float32) => Step::new::<direct::Int64ToFloat32>,
        (Uint64, Float32) => Step::new::<direct::Uint64ToFloat32>,
        (Int32, Float64) => Step::new::<direct::Int32ToFloat64>,
        (Uint32, Float64) => Step::new::<direct::Uint32ToFloat64>,
        (Int64, Float64) => Step::new::<direct::Int64ToFloat64>,
        (Uint64, Float64) => Step::new::<direct::Uint64ToFloat64>,
        _ => return None,
    };
    Some(make(backend))
}

/// To float32, exactly or rounded to odd; `None` for float32 itself.
fn to_float(from: DType, backend: Backend) -> Option<Step> {
    use float::Widen;
    use integer::ToFloat;
    if let (Float16, Some(step)) = (from, arch::float16_to_float32(backend)) {
        return Some(step);
    }
    let make = match from {
        Bool => Step::new::<float::FromBool>,
        Int2 => Step::new::<ToFloat<u8, 2, true>>,
        Int4 => Step::new::<ToFloat<u8, 4, true>>,
        Int8 => Step::new::<ToFloat<u8, 8, true>>,
        Int16 => Step::new::<ToFloat<u16, 16, true>>,
        Int32 => Step::new::<ToFloat<u32, 32, true>>,
        Int64 => Step::new::<ToFloat<u64, 64, true>>,
        Uint2 | Uint4 | Uint8 => Step::new::<ToFloat<u8, 8, false>>,
        Uint16 => Step::new::<ToFloat<u16, 16, false>>,
        Uint32 => Step::new::<ToFloat<u32, 32, false>>,
        Uint64 => Step::new::<ToFloat<u64, 64, false>>,
        Float4E2M1 => Step::new::<Widen<format::Float4E2M1, u8>>,
        Float6E2M3 => Step::new::<Widen<format::Float6E2M3, u8>>,
        Float6E3M2 => Step::new::<Widen<format::Float6E3M2, u8>>,
        Float8E4M3FN => Step::new::<Widen<format::Float8E4M3FN, u8>>,
        Float8E4M3FNUZ => Step::new::<Widen<format::Float8E4M3FNUZ, u8>>,
        Float8E5M2 => Step::new::<Widen<format::Float8E5M2, u8>>,
        Float8E5M2FNUZ => Step::new::<Widen<format::Float8E5M2FNUZ, u8>>,
        Float8E8M0 => Step::new::<power::Widen>,
        Float16 => Step::new::<Widen<format::Float16, u16>>,
        Bfloat16 => Step::new::<Widen<format::BFloat16, u16>>,
        Float64 => {
            let odd = arch::float64_to_odd_float32(backend);
            return Some(odd.unwrap_or_else(|| Step::new::<float::Odd>(backend)));
        }
        Float32 | String | Complex64 | Complex128 | Qint8 | Quint8 | Qint16 | Quint16 | Qint32 => {
            return None;
        }
    };
    Some(make(backend))
}

/// From float32; `None` for float32 itself.
fn from_float(to: DType, backend: Backend) -> Option<Step> {
    use float::Narrow;
    use integer::FromFloat;
    if let Some(step) = from_float_by_instruction(to, backend) {
        return Some(step);
    }
    let make = match to {
        Bool => Step::new::<float::ToBool>,
        Int2 => Step::new::<FromFloat<u8, 2, true>>,
        Int4 => Step::new::<FromFloat<u8, 4, true>>,
        Int8 => Step::new::<FromFloat<u8, 8, true>>,
        Int16 => Step::new::<FromFloat<u16, 16, true>>,
        Int32 => Step::new::<FromFloat<u32, 32, true>>,
        Int64 => Step::new::<direct::Float32ToInt64>,
        Uint2 => Step::new::<FromFloat<u8, 2, false>>,
        Uint4 => Step::new::<FromFloat<u8, 4, false>>,
        Uint8 => Step::new::<FromFloat<u8, 8, false>>,
        Uint16 => Step::new::<FromFloat<u16, 16, false>>,
        Uint32 => Step::new::<FromFloat<u32, 32, false>>,
        Uint64 => Step::new::<direct::Float32ToUint64>,
        Float4E2M1 => Step::new::<Narrow<format::Float4E2M1, u8>>,
        Float6E2M3 => Step::new::<Narrow<format::Float6E2M3, u8>>,
        Float6E3M2 => Step::new::<Narrow<format::Float6E3M2, u8>>,
        Float8E4M3FN => Step::new::<Narrow<format::Float8E4M3FN, u8>>,
        Float8E4M3FNUZ => Step::new::<Narrow<format::Float8E4M3FNUZ, u8>>,
        Float8E5M2 => Step::new::<Narrow<format::Float8E5M2, u8>>,
        Float8E5M2FNUZ => Step::new::<Narrow<format::Float8E5M2FNUZ, u8>>,
        Float8E8M0 => Step::new::<power::Narrow>,
        Float16 => Step::new::<Narrow<format::Float16, u16>>,
        Bfloat16 => Step::new::<Narrow<format::BFloat16, u16>>,
        Float64 => Step::new::<direct::Float32ToFloat64>,
        Float32 | String | Complex64 | Complex128 | Qint8 | Quint8 | Qint16 | Quint16 | Qint32 => {
            return None;
        }
    };
    Some(make(backend))
}

fn from_float_by_instruction(to: DType, backend: Backend) -> Option<Step> {
    match to {
        Float16 => arch::float32_to_float16(backend),
        Int8 => arch::float32_to_int8(backend),
        _ => arch::truncate(Float32, to, backend),
    }
}

#[cfg(test)]
mod tests;
