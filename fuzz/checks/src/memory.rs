//! The largest allocation that a piece of code asks for.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Runs `work`; returns its result and the largest allocation that it asked for, in bytes.
pub(crate) fn largest_allocation<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = LARGEST.replace(0);
    let result = work();
    let largest = LARGEST.get();
    LARGEST.set(before.max(largest));
    (result, largest)
}

thread_local! {
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

#[global_allocator]
static ALLOCATOR: Watched = Watched;

/// The system's allocator, which records the largest request.
struct Watched;

// SAFETY: every call goes to `System` unchanged. The record is a thread-local without initialiser
// or destructor, so that using it allocates nothing.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        record(layout.size());
        // SAFETY: the caller's promises are those that `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        record(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        record(size);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

fn record(size: usize) {
    LARGEST.set(LARGEST.get().max(size));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_request_is_seen() {
        let work = || drop((vec![0u8; 100], Vec::<u8>::with_capacity(5000), Box::new(1)));
        assert_eq!(largest_allocation(work).1, 5000);
        assert_eq!(largest_allocation(|| ()).1, 0);
    }
}
