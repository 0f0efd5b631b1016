//! Typed slices as bytes.

use crate::Element;
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
