//! Slices that begin at a memory page.
//!
//! The position of input and output relative to each other changes the speed of a plain copy by a
//! quarter, and allocators place them by chance. So all contenders get the same positions.

use std::ops::{Deref, DerefMut};

const PAGE: usize = 4096;

/// A slice whose first element begins a page.
pub(super) struct Aligned<T> {
    room: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Copy> Aligned<T> {
    /// `len` times the same element.
    pub(super) fn new(element: T, len: usize) -> Aligned<T> {
        let room = vec![element; len + PAGE / size_of::<T>()];
        // The size of an element divides a page and its alignment is its size or less.
        let start = room.as_ptr().addr().wrapping_neg() % PAGE / size_of::<T>();
        Aligned { room, start, len }
    }

    /// The elements of another slice.
    pub(super) fn copy(elements: &[T], blank: T) -> Aligned<T> {
        let mut copy = Aligned::new(blank, elements.len());
        copy.copy_from_slice(elements);
        copy
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.room[self.start..self.start + self.len]
    }
}

impl<T> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.room[self.start..self.start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_begin_with_a_page() {
        for len in [0, 1, 5000] {
            assert!(Aligned::new(0_u8, len).as_ptr().addr().is_multiple_of(PAGE));
            assert_eq!(Aligned::copy(&vec![1.5_f64; len], 0.0)[..], vec![1.5; len]);
            assert!(Aligned::new(0_u16, len).as_ptr().addr().is_multiple_of(PAGE));
        }
    }
}
