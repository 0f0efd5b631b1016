//! Elements of 2, 4 and 6 bits, 64 at a time: packed to a byte each, and back (P-01 to P-09). Loads
//! and stores of structures take every second, third or fourth byte.

use super::memory::{load, store, store_pairs};
use crate::arch::chunks::by_chunks;
use crate::arch::loops::{Compute, Stores};
use crate::rules::Rules;
use core::arch::aarch64::*;

/// Packed elements of `bits` bits to a byte each.
pub(super) fn unpacked(bits: u32) -> Option<(&'static str, Compute)> {
    Some(match bits {
        2 => ("neon::packing::unpack_2", unpack_2),
        4 => ("neon::packing::unpack_4", unpack_4),
        6 => ("neon::packing::unpack_6", unpack_6),
        _ => return None,
    })
}

/// A byte each to packed elements of `bits` bits. Bits of a byte above an element must be clear, as
/// all loops leave them.
pub(super) fn packed(bits: u32) -> Option<(&'static str, Compute)> {
    Some(match bits {
        2 => ("neon::packing::pack_2", pack_2),
        4 => ("neon::packing::pack_4", pack_4),
        6 => ("neon::packing::pack_6", pack_6),
        _ => return None,
    })
}

#[target_feature(enable = "neon")]
fn unpack_2(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    by_chunks::<16, 64>(input, output, stores, |from: &[u8; 16], to| {
        let (packed, mask) = (load(from, 0), vdupq_n_u8(3));
        let second = vandq_u8(vshrq_n_u8::<2>(packed), mask);
        let third = vandq_u8(vshrq_n_u8::<4>(packed), mask);
        store_fours(
            to,
            uint8x16x4_t(vandq_u8(packed, mask), second, third, vshrq_n_u8::<6>(packed)),
        );
    });
}

#[target_feature(enable = "neon")]
fn unpack_4(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    by_chunks::<32, 64>(input, output, stores, |from: &[u8; 32], to| {
        for number in 0..2 {
            let packed = load(from, number);
            let low = vandq_u8(packed, vdupq_n_u8(0xf));
            store_pairs(to, number, uint8x16x2_t(low, vshrq_n_u8::<4>(packed)));
        }
    });
}

#[target_feature(enable = "neon")]
fn unpack_6(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    by_chunks::<48, 64>(input, output, stores, |from: &[u8; 48], to| {
        // SAFETY: 48 bytes are read, of an array of just that size; unaligned access.
        let uint8x16x3_t(first, second, third) = unsafe { vld3q_u8(from.as_ptr()) };
        let mask = vdupq_n_u8(0x3f);
        // The high bits of a byte continue in the low bits of the next one.
        let across_2 = vsliq_n_u8::<2>(vshrq_n_u8::<6>(first), second);
        let across_4 = vsliq_n_u8::<4>(vshrq_n_u8::<4>(second), third);
        store_fours(
            to,
            uint8x16x4_t(
                vandq_u8(first, mask),
                vandq_u8(across_2, mask),
                vandq_u8(across_4, mask),
                vshrq_n_u8::<2>(third),
            ),
        );
    });
}

#[target_feature(enable = "neon")]
fn pack_2(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    by_chunks::<64, 16>(input, output, stores, |from, to: &mut [u8; 16]| {
        let uint8x16x4_t(first, second, third, fourth) = load_fours(from);
        let (low, high) = (vsliq_n_u8::<2>(first, second), vsliq_n_u8::<2>(third, fourth));
        store(to, 0, vsliq_n_u8::<4>(low, high));
    });
}

#[target_feature(enable = "neon")]
fn pack_4(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    by_chunks::<64, 32>(input, output, stores, |from: &[u8; 64], to: &mut [u8; 32]| {
        for (number, from) in from.as_chunks::<32>().0.iter().enumerate() {
            // SAFETY: 32 bytes are read, of an array of just that size; unaligned access.
            let uint8x16x2_t(low, high) = unsafe { vld2q_u8(from.as_ptr()) };
            store(to, number, vsliq_n_u8::<4>(low, high));
        }
    });
}

#[target_feature(enable = "neon")]
fn pack_6(_: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    by_chunks::<64, 48>(input, output, stores, |from, to: &mut [u8; 48]| {
        let uint8x16x4_t(first, second, third, fourth) = load_fours(from);
        let packed = uint8x16x3_t(
            vsliq_n_u8::<6>(first, second),
            vsliq_n_u8::<4>(vshrq_n_u8::<2>(second), third),
            vsliq_n_u8::<2>(vshrq_n_u8::<4>(third), fourth),
        );
        // SAFETY: 48 bytes are written, to an array of just that size; unaligned access.
        unsafe { vst3q_u8(to.as_mut_ptr(), packed) }
    });
}

/// Every fourth byte in a vector.
#[inline]
#[target_feature(enable = "neon")]
fn load_fours(from: &[u8; 64]) -> uint8x16x4_t {
    // SAFETY: 64 bytes are read, of an array of just that size; unaligned access.
    unsafe { vld4q_u8(from.as_ptr()) }
}

/// The reverse of [`load_fours`].
#[inline]
#[target_feature(enable = "neon")]
fn store_fours(to: &mut [u8; 64], fours: uint8x16x4_t) {
    // SAFETY: 64 bytes are written, to an array of just that size; unaligned access.
    unsafe { vst4q_u8(to.as_mut_ptr(), fours) }
}
