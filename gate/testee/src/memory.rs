//! Buffers between pages that must not be touched.
//!
//! A testee in this process reads and writes buffers of the gate. A page without access lies
//! directly before and after each buffer. An access to such a page raises a signal; the handler
//! notes the page, opens it, and lets the testee go on, so that the run continues. A write near a
//! buffer that does not reach a page is found by comparing the bytes there with the pattern that
//! was put there.
#![allow(unsafe_code, reason = "pages and signals have no safe interface")]

use crate::trespass::Trespass;
use std::io;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Where a buffer stands between its pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stand {
    /// It begins where the page before it ends.
    First,
    /// It ends where the page after it begins.
    Last,
    /// It begins this many bytes after a multiple of 64.
    Offset(usize),
}

/// The memory of one buffer with its two pages. Only one room exists at a time for each index.
struct Room {
    base: *mut u8,
    page: usize,
    /// Bytes between the two pages.
    inside: usize,
    index: usize,
}

/// Both buffers of a testee. Only one thread has them at a time.
pub struct Rooms {
    input: Room,
    output: Room,
    before: [Option<libc::sigaction>; SIGNALS.len()],
    _lock: MutexGuard<'static, ()>,
}

/// Longest buffer in bytes.
pub const LONGEST: usize = 4096;

/// Bytes on each side of a buffer that hold a pattern: twice the longest vector of any machine.
const NEAR: usize = 128;

/// The pattern beside buffers. It differs from the bytes that fill an output before a call.
const BESIDE: u8 = 0x3c;

/// The signals that an access to such a page raises.
const SIGNALS: [i32; 2] = [libc::SIGSEGV, libc::SIGBUS];

/// First addresses of the four pages: before and after the input, before and after the output.
static PAGES: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];

/// What was done to each page: nothing, read (or a first attempt to write), written.
static TOUCHED: [AtomicI32; 4] = [const { AtomicI32::new(0) }; 4];

static LOCK: Mutex<()> = Mutex::new(());

/// The message before a fault outside these pages ends the process.
const LAST_WORDS: &str =
    "a fault far from both buffers, or a load or store that needs them aligned\n";

fn page_size() -> usize {
    static SIZE: OnceLock<usize> = OnceLock::new();
    // SAFETY: asks for a constant of the system.
    *SIZE.get_or_init(|| unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize)
}

impl Rooms {
    /// Maps both buffers and installs the signal handler until the rooms are dropped.
    ///
    /// # Errors
    /// If the system has no memory left, or refuses the handler.
    pub fn open() -> io::Result<Rooms> {
        let lock = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        let (input, output) = (Room::open(0)?, Room::open(1)?);
        let mut rooms = Rooms { input, output, before: [None; SIGNALS.len()], _lock: lock };
        for (signal, before) in SIGNALS.into_iter().zip(&mut rooms.before) {
            // SAFETY: both structures are valid for the call; the handler does nothing but what
            // is allowed in one (see `on_signal`).
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = on_signal as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                let mut old: libc::sigaction = std::mem::zeroed();
                if libc::sigaction(signal, &raw const action, &raw mut old) != 0 {
                    return Err(io::Error::last_os_error());
                }
                *before = Some(old);
            }
        }
        Ok(rooms)
    }

    /// Calls `call` with `input` and an output of `length` bytes that is filled with `fill`.
    /// Returns its result, the output, and what was touched outside.
    pub fn call<T>(
        &mut self,
        input: &[u8],
        length: usize,
        fill: u8,
        stands: [Stand; 2],
        call: impl FnOnce(&[u8], &mut [u8]) -> T,
    ) -> (T, Vec<u8>, Option<Trespass>) {
        let [from, to] = stands;
        let taken = self.input.slice(input.len(), from);
        taken.copy_from_slice(input);
        let given = self.output.slice(length, to);
        given.fill(fill);
        for touched in &TOUCHED {
            touched.store(0, Ordering::SeqCst);
        }
        let result = call(taken, given);
        let output = given.to_vec();
        let trespass = self.pages().or_else(|| self.output.beside(length, to));
        let _ = (self.input.close(), self.output.close());
        (result, output, trespass)
    }

    /// Returns what was done to the pages; a write counts before a read.
    fn pages(&self) -> Option<Trespass> {
        let touched = TOUCHED.each_ref().map(|touched| touched.load(Ordering::SeqCst));
        let page = |how: i32| touched.iter().position(|touched| *touched == how);
        let wrote = page(2).map(|page| Trespass::Wrote { after: page % 2 == 1 });
        wrote.or_else(|| page(1).map(|page| Trespass::Read { after: page % 2 == 1 }))
    }
}

impl Drop for Rooms {
    fn drop(&mut self) {
        for (signal, before) in SIGNALS.into_iter().zip(&self.before) {
            if let Some(before) = before {
                // SAFETY: puts back what was there before.
                unsafe { libc::sigaction(signal, before, ptr::null_mut()) };
            }
        }
    }
}

impl Room {
    fn open(index: usize) -> io::Result<Room> {
        let page = page_size();
        let inside = LONGEST.next_multiple_of(page) + page;
        // SAFETY: a fresh private mapping, of which nobody else knows.
        let base = unsafe {
            libc::mmap(
                ptr::null_mut(),
                inside + 2 * page,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANON,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let room = Room { base: base.cast(), page, inside, index };
        room.close()?;
        Ok(room)
    }

    /// Removes the access to both pages.
    fn close(&self) -> io::Result<()> {
        let starts = [self.base as usize, self.base as usize + self.page + self.inside];
        for (after, start) in starts.into_iter().enumerate() {
            let number = 2 * self.index + after;
            if PAGES[number].swap(start, Ordering::SeqCst) == start
                && TOUCHED[number].load(Ordering::SeqCst) == 0
            {
                continue; // it is closed
            }
            // SAFETY: the page lies in our mapping, and no slice reaches into it.
            if unsafe { libc::mprotect(start as *mut _, self.page, libc::PROT_NONE) } != 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    }

    /// Returns the distance of the buffer from the end of the first page.
    fn start(&self, length: usize, stand: Stand) -> usize {
        match stand {
            Stand::First => 0,
            Stand::Last => self.inside - length,
            Stand::Offset(offset) => 64 + offset,
        }
    }

    /// Returns a buffer of `length` bytes, at most [`LONGEST`], with the pattern on both sides of
    /// it.
    fn slice<'a>(&mut self, length: usize, stand: Stand) -> &'a mut [u8] {
        let start = self.start(length.min(LONGEST), stand);
        // SAFETY: what lies inside is mapped, readable and writable, and ours alone; `call` is
        // over before the next slice is made, and its slices do not leave it.
        let inside =
            unsafe { std::slice::from_raw_parts_mut(self.base.add(self.page), self.inside) };
        let end = start + length.min(LONGEST);
        inside[start.saturating_sub(NEAR)..start].fill(BESIDE);
        let near = self.inside.min(end + NEAR);
        inside[end..near].fill(BESIDE);
        &mut inside[start..end]
    }

    /// Reports a write beside the buffer.
    fn beside(&self, length: usize, stand: Stand) -> Option<Trespass> {
        let start = self.start(length, stand);
        // SAFETY: as in `slice`; no other slice is alive.
        let inside = unsafe { std::slice::from_raw_parts(self.base.add(self.page), self.inside) };
        let changed = |bytes: &[u8]| bytes != &[BESIDE; NEAR][..bytes.len()];
        let end = start + length;
        if changed(&inside[end..self.inside.min(end + NEAR)]) {
            return Some(Trespass::Wrote { after: true });
        }
        let before = &inside[start.saturating_sub(NEAR)..start];
        changed(before).then_some(Trespass::Wrote { after: false })
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        for after in 0..2 {
            PAGES[2 * self.index + after].store(0, Ordering::SeqCst);
        }
        // SAFETY: our mapping, of which no slice is left.
        unsafe { libc::munmap(self.base.cast(), self.inside + 2 * self.page) };
    }
}

/// Opens the page that was touched and lets the testee go on. Any other fault ends the process, as
/// it would without this handler.
extern "C" fn on_signal(signal: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the system hands a valid structure to a handler with SA_SIGINFO; `mprotect`,
    // `sigaction` and loads and stores of atomics are all that is done here.
    unsafe {
        let address = (*info).si_addr() as usize;
        let size = page_size();
        for (page, touched) in PAGES.iter().zip(&TOUCHED) {
            let start = page.load(Ordering::SeqCst);
            if start != 0 && (start..start + size).contains(&address) {
                let access = match touched.fetch_add(1, Ordering::SeqCst) {
                    0 => libc::PROT_READ,
                    _ => libc::PROT_READ | libc::PROT_WRITE,
                };
                if libc::mprotect(start as *mut _, size, access) == 0 {
                    return;
                }
            }
        }
        libc::write(2, LAST_WORDS.as_ptr().cast(), LAST_WORDS.len());
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = libc::SIG_DFL;
        libc::sigaction(signal, &raw const action, ptr::null_mut());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads or writes at a distance from the start of a slice.
    fn touch(pointer: *mut u8, distance: isize, write: bool) {
        // SAFETY: the page is mapped; the handler opens it. That it is outside the slice is the
        // point of the test.
        unsafe {
            let place = pointer.wrapping_offset(distance);
            if write {
                ptr::write_volatile(place, 1);
            } else {
                ptr::read_volatile(place);
            }
        }
    }

    #[test]
    fn what_is_touched_outside_is_told() {
        let mut rooms = Rooms::open().expect("memory");
        for (stand, distance, write, trespass) in [
            (Stand::First, -1, false, Some(Trespass::Read { after: false })),
            (Stand::First, -1, true, Some(Trespass::Wrote { after: false })),
            (Stand::Last, 19, false, Some(Trespass::Read { after: true })),
            (Stand::Last, 25, true, Some(Trespass::Wrote { after: true })),
            (Stand::Offset(3), 19, true, Some(Trespass::Wrote { after: true })),
            (Stand::Offset(3), -1, true, Some(Trespass::Wrote { after: false })),
            (Stand::Offset(63), 18, true, None),
            (Stand::First, 0, true, None),
        ] {
            for _ in 0..2 {
                let (at, output, told) =
                    rooms.call(&[7; 19], 19, 9, [stand, stand], |_, output| {
                        touch(output.as_mut_ptr(), distance, write);
                        output.as_ptr() as usize % 64
                    });
                assert_eq!(told, trespass, "{stand:?} {distance} {write}");
                assert_eq!(output.len(), 19);
                assert!(output.iter().filter(|&&byte| byte != 9).count() <= 1);
                if let Stand::Offset(offset) = stand {
                    assert_eq!(at, offset);
                }
            }
            let (_, _, told) = rooms.call(&[7; 19], 0, 9, [stand, stand], |input, _| {
                touch(input.as_ptr().cast_mut(), distance, false);
            });
            let due = trespass.filter(|_| !matches!(stand, Stand::Offset(_)));
            let read = due.map(|told| match told {
                Trespass::Read { after } | Trespass::Wrote { after } => Trespass::Read { after },
            });
            assert_eq!(told, read, "{stand:?} {distance}: the input");
        }
    }
}
