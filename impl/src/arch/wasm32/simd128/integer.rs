//! Integers cut to shorter ones (II-02), by the instructions that narrow and saturate: the bits that are
//! lost are cleared before, so that nothing is beyond the range. 0x1234 would saturate to 0xff; as 0x0034 it gives 0x34.

use super::memory::{load, store};
use crate::arch::chunks::by_chunks;
use crate::arch::loops::{Compute, Stores};
use crate::rules::Rules;
use castproof_vectors::DType::{self, *};
use core::arch::wasm32::*;

/// The loop for a pair, where there is one.
pub(super) fn convert(from: DType, to: DType) -> Option<(&'static str, Compute)> {
    Some(match (from, to) {
        (Int16 | Uint16, Int8 | Uint8) => ("simd128::integer::b16_to_b8", b16_to_b8),
        (Int32 | Uint32, Int16 | Uint16) => ("simd128::integer::b32_to_b16", b32_to_b16),
        _ => return None,
    })
}

fn b16_to_b8(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    by_chunks::<32, 16>(input, output, stores, |from, to| {
        let low = u16x8_splat(0xff);
        let (first, last) = (v128_and(load(from, 0), low), v128_and(load(from, 1), low));
        store(to, 0, u8x16_narrow_i16x8(first, last));
    });
}

fn b32_to_b16(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    by_chunks::<32, 16>(input, output, stores, |from, to| {
        let low = u32x4_splat(0xffff);
        let (first, last) = (v128_and(load(from, 0), low), v128_and(load(from, 1), low));
        store(to, 0, u16x8_narrow_i32x4(first, last));
    });
}
