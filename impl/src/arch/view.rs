//! Typed slices as bytes.

use crate::Element;
use castproof_vectors::DType;
use core::slice;

/// The bytes of a slice, in the byte order of the machine.
pub(crate) fn bytes<T: Element>(slice: &[T]) -> &[u8] {
    // SAFETY: `Element` is sealed; its implementors are integers, floats, `bool` and transparent
    // wrappers of integers, so all bytes are initialised. Pointer and size are those of `slice`,
    // and bytes need no alignment.
    unsafe { slice::from_raw_parts(slice.as_ptr().cast(), size_of_val(slice)) }
}

/// The bytes of a slice, to be written by a cast to `T::DTYPE`.
pub(crate) fn bytes_mut<T: Element>(slice: &mut [T]) -> &mut [u8] {
    // SAFETY: as in `bytes`, and the borrow is exclusive. Any bytes are valid elements, save for
    // `bool`: casts to bool write 0 and 1 only.
    unsafe { slice::from_raw_parts_mut(slice.as_mut_ptr().cast(), size_of_val(slice)) }
}

/// Bytes as a slice of elements, in the byte order of the machine; `None` where they are not
/// aligned, are no whole number of elements, or are no bools.
pub(crate) fn typed<T: Element>(bytes: &[u8]) -> Option<&[T]> {
    if T::DTYPE == DType::Bool && bytes.iter().any(|&byte| byte > 1) {
        return None;
    }
    // SAFETY: `Element` is sealed; its implementors are integers, floats and transparent wrappers
    // of integers, for which any bytes are a valid value, and `bool`, whose bytes were just found
    // to be 0 and 1. `align_to` cares for alignment and length.
    let (before, elements, after) = unsafe { bytes.align_to::<T>() };
    (before.is_empty() && after.is_empty()).then_some(elements)
}
