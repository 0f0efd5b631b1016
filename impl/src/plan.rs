//! Which loops a cast runs through, chosen once per call.
//!
//! A cast is a chain of at most four: packed elements to a byte each, to 32 bits (a float32 or,
//! between integers, the low 32 bits), from there to the target, and back to packed.

use crate::arch::Step;
use crate::cast::{Cast, Rules};
use crate::format;
use crate::kernels::packing::{Pack, Unpack};
use crate::kernels::{direct, float, integer, power};
use crate::{Backend, arch};
use castproof_vectors::DType::{self, *};

/// Elements that go through a chain together: few enough for the first-level cache, and a multiple
/// of 4, so that every block of packed elements starts at a byte.
const BLOCK: usize = 1024;

/// Bytes of an element between two steps, at most.
const WORD: usize = 4;

/// The loops of a cast.
pub(crate) struct Plan {
    /// In order, with the bits per element that each writes.
    steps: [Option<(Step, usize)>; 4],
    from_bits: usize,
}

impl Plan {
    /// The chain for a cast between two numeric dtypes; empty where nothing changes.
    pub(crate) fn new(cast: &Cast) -> Plan {
        let (from, to, backend) = (cast.from, cast.to, cast.backend);
        let from_bits = from.bits() as usize;
        let same = from == to || (is_integer(from) && is_integer(to) && from.bits() == to.bits());
        if same && !cast.may_change() {
            return Plan { steps: [None; 4], from_bits };
        }
        let sized = |bits: u32| move |step| (step, bits as usize);
        let (to_word, from_word) = middle(from, to, backend);
        let word_bits = if from_word.is_some() { 32 } else { to.bits().max(8) };
        let steps = [
            unpack(from.bits(), backend).map(sized(8)),
            to_word.map(sized(word_bits)),
            from_word.map(sized(to.bits().max(8))),
            pack(to.bits(), backend).map(sized(to.bits())),
        ];
        Plan { steps, from_bits }
    }

    /// Casts `count` elements; the slices hold exactly as many.
    pub(crate) fn run(&self, rules: &Rules, count: usize, input: &[u8], output: &mut [u8]) {
        let mut steps = self.steps.iter().flatten();
        match (steps.next(), steps.next()) {
            (None, _) => copy(self.from_bits, count, input, output),
            (Some((step, _)), None) => step.run(rules, input, output),
            (Some(first), Some(_)) => self.run_blocks(first, rules, count, input, output),
        }
    }

    fn run_blocks(
        &self,
        first: &(Step, usize),
        rules: &Rules,
        count: usize,
        input: &[u8],
        output: &mut [u8],
    ) {
        let to_bits = self.steps.iter().flatten().last().map_or(0, |(_, bits)| *bits);
        let mut buffers = [Buffer([0; BLOCK * WORD]), Buffer([0; BLOCK * WORD])];
        let [a, b] = &mut buffers;
        let (mut source, mut target) = (&mut a.0[..], &mut b.0[..]);
        let inputs = input.chunks(bytes(self.from_bits, BLOCK));
        let outputs = output.chunks_mut(bytes(to_bits, BLOCK));
        for (block, (input, output)) in inputs.zip(outputs).enumerate() {
            let count = BLOCK.min(count - block * BLOCK);
            let (step, mut bits) = *first;
            step.run(rules, input, &mut source[..bytes(bits, count)]);
            let mut rest = self.steps.iter().flatten().skip(1).peekable();
            while let Some((step, out_bits)) = rest.next() {
                let from = &source[..bytes(bits, count)];
                if rest.peek().is_none() {
                    step.run(rules, from, output);
                } else {
                    step.run(rules, from, &mut target[..bytes(*out_bits, count)]);
                }
                (source, target) = (target, source);
                bits = *out_bits;
            }
        }
    }
}

/// What lies between two steps, for one block; aligned to a cache line.
#[repr(align(64))]
struct Buffer([u8; BLOCK * WORD]);

/// Bytes of `count` elements, where that is known to be small.
fn bytes(bits: usize, count: usize) -> usize {
    (count * bits).div_ceil(8)
}

/// The same codes; padding bits are cleared.
fn copy(bits: usize, count: usize, input: &[u8], output: &mut [u8]) {
    output.copy_from_slice(input);
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

/// The steps to and from 32 bits; one of them alone where source or target has that form or where
/// there is a loop for the pair. Sub-byte elements take a byte each here.
fn middle(from: DType, to: DType, backend: Backend) -> (Option<Step>, Option<Step>) {
    let integer_or_bool = |dtype| is_integer(dtype) || dtype == Bool;
    if to == Bool && integer_or_bool(from) {
        return (Some(to_bool(from, backend)), None);
    }
    if let Some(step) = direct(from, to, backend) {
        return (Some(step), None);
    }
    if integer_or_bool(from) && is_integer(to) {
        let signed = signedness(from) == Some(true);
        return (to_word(from, backend), from_word(signed, to.bits(), backend));
    }
    (to_float(from, backend), from_float(to, backend))
}

fn unpack(bits: u32, backend: Backend) -> Option<Step> {
    match bits {
        2 => Some(Step::new::<Unpack<u32, 2, 1>>(backend)),
        4 => Some(Step::new::<Unpack<u16, 4, 1>>(backend)),
        6 => Some(Step::new::<Unpack<u32, 6, 3>>(backend)),
        _ => None,
    }
}

fn pack(bits: u32, backend: Backend) -> Option<Step> {
    match bits {
        2 => Some(Step::new::<Pack<u32, 2, 1>>(backend)),
        4 => Some(Step::new::<Pack<u16, 4, 1>>(backend)),
        6 => Some(Step::new::<Pack<u32, 6, 3>>(backend)),
        _ => None,
    }
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
    #[cfg(target_arch = "x86_64")]
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
        Float64 => Step::new::<float::Odd>,
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
    #[cfg(target_arch = "x86_64")]
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

#[cfg(target_arch = "x86_64")]
fn from_float_by_instruction(to: DType, backend: Backend) -> Option<Step> {
    match to {
        Float16 => arch::float32_to_float16(backend),
        Int8 => arch::float32_to_int8(backend),
        _ => None,
    }
}
