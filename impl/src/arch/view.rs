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
    // SAFETY: as in `bytes`, and the borrow is exclusive. Any bytes are valid elements, except for
    // `bool` and elements of less than a byte: casts to those write codes of the dtype only.
    unsafe { slice::from_raw_parts_mut(slice.as_mut_ptr().cast(), size_of_val(slice)) }
}

/// Returns bytes as a slice of elements, in the byte order of the machine; `None` if they are not
/// aligned, are not a whole number of elements, or are not codes of the dtype.
pub(crate) fn typed<T: Element>(bytes: &[u8]) -> Option<&[T]> {
    let highest = match T::DTYPE {
        DType::Bool => 1,
        dtype => dtype.code_mask().min(u8::MAX.into()) as u8,
    };
    if highest < u8::MAX && bytes.iter().any(|&byte| byte > highest) {
        return None;
    }
    // SAFETY: `Element` is sealed; its implementors are integers, floats and transparent wrappers
    // of integers, for which any bytes are a valid value, except for `bool` and those of less than
    // a byte, whose bytes were just checked to be codes. `align_to` handles alignment and length.
    let (before, elements, after) = unsafe { bytes.align_to::<T>() };
    (before.is_empty() && after.is_empty()).then_some(elements)
}
