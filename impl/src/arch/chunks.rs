//! Runs a conversion over whole chunks of bytes and over the rest.

use super::loops::Stores;
use super::stream::stream;

/// Chunks that are converted before they are written past the caches, as in `kernels`.
const GROUP: usize = 4;

/// Calls `convert` for whole chunks of `N` bytes in and `M` bytes out. Chunks do not depend on each
/// other, so the last one may overlap the one before it. Fewer bytes than a chunk go through a copy
/// that is filled up with zeros.
#[inline(always)]
pub(super) fn by_chunks<const N: usize, const M: usize>(
    input: &[u8],
    output: &mut [u8],
    stores: Stores,
    convert: impl Fn(&[u8; N], &mut [u8; M]),
) {
    let (mut whole, mut whole_out) = (input.as_chunks().0, output.as_chunks_mut().0);
    let done = whole.len().min(whole_out.len());
    if stores.pass_caches() {
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
    let rest = &input[done * N..];
    if output.len() == done * M {
        return;
    }
    // Packed bytes, with their padding, can fill a chunk on one side when the elements do not fill
    // one on the other.
    let is_whole = input.len() * M == output.len() * N;
    if let (Some(from), Some(to), true) = (input.last_chunk(), output.last_chunk_mut(), is_whole) {
        // The last chunk begins in the one before it, and writes some results once more.
        convert(from, to);
    } else {
        let rest_out = &mut output[done * M..];
        let (mut from, mut to) = ([0; N], [0; M]);
        from[..rest.len()].copy_from_slice(rest);
        convert(&from, &mut to);
        rest_out.copy_from_slice(&to[..rest_out.len()]);
    }
}
