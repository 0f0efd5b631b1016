//! x86-64: wrappers that compile a loop for AVX2 and AVX-512, and loops of instructions that
//! compilers do not find on their own.

mod half;
mod lookup;
mod odd;
mod packing;
mod short;
mod small;
mod stream;
mod truncate;

use super::{Body, Stores};
use crate::cast::Rules;
pub(crate) use half::{float16_to_float32, float32_to_float16, float64_to_float32};
pub(crate) use lookup::lookup;
pub(crate) use odd::{float64_to_odd_float32, integer_to_odd_float32};
pub(crate) use packing::{pack, unpack};
pub(crate) use short::short;
pub(crate) use small::small;
pub(crate) use stream::{fence, stream};
pub(crate) use truncate::truncate;

#[target_feature(enable = "avx2,f16c")]
pub(crate) fn avx2<B: Body>(rules: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    B::run(rules, input, output, stores);
}

#[target_feature(enable = "avx2,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")]
pub(crate) fn avx512<B: Body>(rules: &Rules, input: &[u8], output: &mut [u8], stores: Stores) {
    B::run(rules, input, output, stores);
}

/// Chunks that are converted before they are written past the caches, as in `kernels`.
const GROUP: usize = 4;

/// Calls `convert` for whole chunks of `N` bytes in and `M` bytes out; what is left over goes
/// through a copy, filled up with zeros.
#[inline(always)]
fn by_chunks<const N: usize, const M: usize>(
    input: &[u8],
    output: &mut [u8],
    stores: Stores,
    convert: impl Fn(&[u8; N], &mut [u8; M]),
) {
    let (mut whole, mut whole_out) = (input.as_chunks().0, output.as_chunks_mut().0);
    let done = whole.len().min(whole_out.len());
    if stores == Stores::Streaming {
        let (groups, groups_out) = (whole.as_chunks::<GROUP>(), whole_out.as_chunks_mut::<GROUP>());
        for (from, to) in groups.0.iter().zip(groups_out.0) {
            let mut results = [[0; M]; GROUP];
            for (from, to) in from.iter().zip(&mut results) {
                convert(from, to);
            }
            stream(results.as_flattened(), to.as_flattened_mut());
        }
        (whole, whole_out) = (groups.1, groups_out.1);
    }
    for (from, to) in whole.iter().zip(whole_out) {
        convert(from, to);
    }
    // Packed bytes may fill a chunk where their elements do not.
    let (rest, rest_out) = (&input[done * N..], &mut output[done * M..]);
    if !rest_out.is_empty() {
        let (mut from, mut to) = ([0; N], [0; M]);
        from[..rest.len()].copy_from_slice(rest);
        convert(&from, &mut to);
        rest_out.copy_from_slice(&to[..rest_out.len()]);
    }
}
