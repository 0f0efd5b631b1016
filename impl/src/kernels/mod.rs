//! The loops of casts: branch-free bodies that compilers vectorise, each compiled for every backend
//! by `arch`. Most casts go through float32. It holds the value exactly or, for wider sources,
//! rounded to odd, with at least two significant bits more than the target has. Rounding that to
//! the target gives the same result as rounding the exact value once.

pub(crate) mod block;
pub(crate) mod by_mode;
pub(crate) mod float;
pub(crate) mod from_16_bit_float;
pub(crate) mod integer;
pub(crate) mod packing;
pub(crate) mod power_of_two;
pub(crate) mod replacing;
pub(crate) mod wide;

use crate::arch::{Body, Stores, stream};
use crate::rules::Rules;

/// The quiet NaN without payload, positive infinity and the sign bit, as float32.
pub(crate) const NAN: u32 = 0x7fc0_0000;
pub(crate) const INFINITY: u32 = 0x7f80_0000;
pub(crate) const SIGN: u32 = 0x8000_0000;

/// A conversion of one element. Sub-byte elements take a byte each here; `packing` does the rest.
pub(crate) trait Map {
    /// How a plan calls it: its path below this folder.
    const NAME: &'static str;
    type In: Word;
    type Out: Word;
    /// What is the same for all elements of a call.
    type Setup;
    fn setup(rules: &Rules) -> Self::Setup;
    fn map(setup: &Self::Setup, element: Self::In) -> Self::Out;
}

/// Elements that are converted before they are written past the caches. Their bytes stay in
/// registers; larger groups were measured to be slower than plain stores.
const GROUP: usize = 64;

impl<M: Map> Body for M {
    const NAME: &'static str = M::NAME;
    #[inline(always)]
    fn run(rules: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
        let setup = M::setup(rules);
        let (from, to) = (M::In::split(input), M::Out::split_mut(output));
        if !stores.pass_caches() {
            return convert::<M>(&setup, from, to);
        }
        let ((groups, rest), (groups_out, rest_out)) =
            (from.as_chunks::<GROUP>(), to.as_chunks_mut::<GROUP>());
        for (from, to) in groups.iter().zip(groups_out) {
            let mut results = [M::Out::low(0).write(); GROUP];
            convert::<M>(&setup, from, &mut results);
            stream(M::Out::bytes(&mut results), M::Out::bytes(to));
        }
        convert::<M>(&setup, rest, rest_out);
    }
}

#[inline(always)]
fn convert<M: Map>(
    setup: &M::Setup,
    from: &[<M::In as Word>::Bytes],
    to: &mut [<M::Out as Word>::Bytes],
) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = M::map(setup, M::In::read(*from)).write();
    }
}

/// An element in memory: an unsigned integer, little-endian.
pub(crate) trait Word: Copy {
    type Bytes: Copy;
    fn split(bytes: &[u8]) -> &[Self::Bytes];
    fn split_mut(bytes: &mut [u8]) -> &mut [Self::Bytes];
    /// The bytes of elements, one behind the other.
    fn bytes(elements: &mut [Self::Bytes]) -> &mut [u8];
    fn read(bytes: Self::Bytes) -> Self;
    fn write(self) -> Self::Bytes;
    /// Zero-extended or cut off to 32 bits.
    fn to_u32(self) -> u32;
    /// Zero-extended.
    fn to_u64(self) -> u64;
    /// Sign-extended.
    fn to_i64(self) -> i64;
    /// Clamps to a range, which the element's width holds; all numbers are in two's complement.
    fn clamped(self, low: i64, high: i64) -> Self;
    /// Returns the smaller of the element and `high`, which the element's width holds.
    fn at_most(self, high: u64) -> Self;
    /// The low bits.
    fn low(bits: u32) -> Self;
    /// The low bits.
    fn low_64(bits: u64) -> Self;
}

// A macro, because the functions of the standard library called here are not part of a trait.
macro_rules! words {
    ($($word:ident $signed:ident),*) => {$(
        impl Word for $word {
            type Bytes = [u8; size_of::<$word>()];
            #[inline(always)]
            fn split(bytes: &[u8]) -> &[Self::Bytes] {
                bytes.as_chunks().0
            }
            #[inline(always)]
            fn split_mut(bytes: &mut [u8]) -> &mut [Self::Bytes] {
                bytes.as_chunks_mut().0
            }
            #[inline(always)]
            fn bytes(elements: &mut [Self::Bytes]) -> &mut [u8] {
                elements.as_flattened_mut()
            }
            #[inline(always)]
            fn read(bytes: Self::Bytes) -> Self {
                $word::from_le_bytes(bytes)
            }
            #[inline(always)]
            fn write(self) -> Self::Bytes {
                self.to_le_bytes()
            }
            #[inline(always)]
            fn to_u32(self) -> u32 {
                self as u32
            }
            #[inline(always)]
            fn to_u64(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn to_i64(self) -> i64 {
                self as $signed as i64
            }
            #[inline(always)]
            fn clamped(self, low: i64, high: i64) -> Self {
                (self as $signed).clamp(low as $signed, high as $signed) as $word
            }
            #[inline(always)]
            fn at_most(self, high: u64) -> Self {
                self.min(high as $word)
            }
            #[inline(always)]
            fn low(bits: u32) -> Self {
                bits as $word
            }
            #[inline(always)]
            fn low_64(bits: u64) -> Self {
                bits as $word
            }
        }
    )*};
}

words!(u8 i8, u16 i16, u32 i32, u64 i64);
