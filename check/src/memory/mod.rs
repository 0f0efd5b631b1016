//! Buffers between pages that must not be touched.
//!
//! A kernel in this process reads and writes buffers that lie here. On Unix a page without access lies
//! directly before and after each buffer. An access to such a page raises a signal; the handler notes
//! the page, opens it, and lets the kernel go on. A write near a buffer that does not reach a page is
//! found by comparing the bytes there with the pattern that was put there. The input is read-only during a
//! call, so that a write is found even if it puts back what was there. Elsewhere there is only the
//! pattern.
//!
//! After a call the handler is looked at, since a kernel's own would hide all that, and the settings of
//! floating-point arithmetic.
#![allow(unsafe_code, reason = "pages and signals have no safe interface")]

#[cfg(unix)]
mod asking;
mod environment;
#[cfg(not(unix))]
mod heap;
mod line;
#[cfg(unix)]
mod pages;

use crate::trespass::Trespass;
use environment::Environment;
#[cfg(not(unix))]
use heap::{Region, Watch};
#[cfg(unix)]
use pages::{Region, Watch};
use std::io;

#[cfg(unix)]
pub use asking::Asking;
#[cfg(not(unix))]
pub use heap::Asking;
pub use line::LINE;

/// Bytes on each side of a buffer that hold a pattern: twice the longest vector of any machine.
const NEAR: usize = 128;

/// The pattern beside buffers. It differs from the bytes that fill an output before a call.
const BESIDE: u8 = 0x3c;

/// Where a buffer stands between its pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stand {
    /// It begins where the page before it ends.
    First,
    /// It ends where the page after it begins.
    Last,
    /// It fills the pages between both. A buffer that does not fill whole pages only ends there.
    Whole,
    /// It begins this many bytes, below [`LINE`], after a multiple of [`LINE`]. The number is rounded
    /// down to the alignment of the elements.
    Offset(usize),
}

/// The buffers of a kernel: input and output. Several threads may have some each.
pub struct Rooms {
    input: Room,
    output: Room,
    watch: Watch,
    /// The settings of floating-point arithmetic before the first call.
    environment: Environment,
    /// In how many calls the handler was replaced.
    replaced: u32,
}

/// What came of a call.
pub struct Called<'a, A, B, T> {
    /// What the kernel returned.
    pub result: T,
    /// The input as it is after the call.
    pub input: &'a [A],
    /// The output.
    pub output: &'a [B],
    /// What the kernel did beside writing its output.
    pub trespass: Option<Trespass>,
}

impl Rooms {
    /// Makes room for both buffers. On Unix a signal handler is installed until the rooms are dropped.
    ///
    /// # Errors
    /// If the system has no memory left, or refuses the handler.
    pub fn open() -> io::Result<Rooms> {
        let watch = Watch::begin()?;
        let [input, output] = [watch.region(0)?, watch.region(1)?].map(Room::new);
        let (environment, replaced) = (Environment::now(), 0);
        Ok(Rooms { input, output, watch, environment, replaced })
    }

    /// Calls `call` with `input` and an output of `count` elements, each of which is `fill`.
    ///
    /// # Errors
    /// If the system has no memory left for buffers of this length; the kernel was not called then.
    pub fn call<A: Copy, B: Copy, T>(
        &mut self,
        input: &[A],
        (count, fill): (usize, B),
        [from, to]: [Stand; 2],
        call: impl FnOnce(&[A], &mut [B]) -> T,
    ) -> io::Result<Called<'_, A, B, T>> {
        self.watch.unprotect(&self.input.region)?; // where the last call panicked
        let taken = self.input.place(input.len(), size_of::<A>(), from)?.cast::<A>();
        let given = self.output.place(count, size_of::<B>(), to)?.cast::<B>();
        // SAFETY: `place` returns the start of a part of a mapping that has room for so many elements,
        // is aligned for them, and belongs to this call alone until the rooms are used again. All
        // elements are written before a slice is made of them. The slices do not leave `call`, and the
        // returned ones borrow the rooms.
        let (result, taken, given) = unsafe {
            let filled = self.input.region.writable().add(self.input.last.0).cast::<A>();
            filled.copy_from_nonoverlapping(input.as_ptr(), input.len());
            fill_all(given, count, fill);
            self.watch.clear();
            let (start, end) = self.input.last;
            self.watch.protect(&self.input.region, start..end)?;
            // The input may have been filled at another address of the same memory, and a kernel of another
            // language may write over it. The compiler must not take what it knows for what is there.
            let shown = std::hint::black_box(taken);
            let result = call(
                std::slice::from_raw_parts(shown, input.len()),
                std::slice::from_raw_parts_mut(given, count),
            );
            (
                result,
                std::slice::from_raw_parts(taken, input.len()),
                std::slice::from_raw_parts(given, count),
            )
        };
        let trespass = self.trespass()?;
        Ok(Called { result, input: taken, output: given, trespass })
    }

    /// Returns what the kernel did in the last call beside writing its output, and makes everything ready
    /// for the next one.
    fn trespass(&mut self) -> io::Result<Option<Trespass>> {
        let touched = self.watch.touched();
        let written = self.watch.unprotect(&self.input.region)?.map(|address| {
            let place = address - self.input.region.base() as usize;
            match self.input.last {
                (start, end) if (start..end).contains(&place) => Trespass::Input,
                (_, end) => Trespass::Wrote { after: place >= end },
            }
        });
        self.input.region.close()?;
        self.output.region.close()?;
        let beside = || self.output.beside().or_else(|| self.input.beside());
        // A kernel may bring a library that installs its handler once, the first time.
        let is_replaced = self.watch.reinstall()?;
        self.replaced += u32::from(is_replaced);
        let handler = (is_replaced && self.replaced > 1).then_some(Trespass::Handler);
        let is_changed = Environment::now() != self.environment;
        if is_changed {
            self.environment.restore();
        }
        let environment = is_changed.then_some(Trespass::Environment);
        Ok(touched.or(written).or_else(beside).or(handler).or(environment))
    }
}

/// Writes `count` elements `fill` from `start` on. Each copy doubles what is written. A loop over the elements would be
/// compiled in the crate of the caller, which the tests hardly optimise.
///
/// # Safety
/// From `start` on there is room for `count` elements, aligned for them.
unsafe fn fill_all<B: Copy>(start: *mut B, count: usize, fill: B) {
    if count == 0 {
        return;
    }
    // SAFETY: as the caller promises; `done` is at most `count`, and the first `done` elements are written.
    unsafe {
        start.write(fill);
        let mut done = 1;
        while done < count {
            let more = done.min(count - done);
            start.add(done).copy_from_nonoverlapping(start, more);
            done += more;
        }
    }
}

/// The memory of one buffer.
struct Room {
    region: Region,
    /// Where the last buffer began and ended, from the start of the region.
    last: (usize, usize),
    /// Does the page after it lie within the region?
    is_whole: bool,
}

impl Room {
    fn new(region: Region) -> Room {
        Room { region, last: (0, 0), is_whole: false }
    }

    /// Returns where a buffer of `count` elements begins, with the pattern on both sides of it.
    fn place(&mut self, count: usize, size: usize, stand: Stand) -> io::Result<*mut u8> {
        let length = count.saturating_mul(size);
        if length > self.region.inside() - 2 * LINE {
            self.region.grow(length + 2 * LINE)?;
        }
        let is_whole = stand == Stand::Whole && length > 0 && self.region.end_at(length);
        if !is_whole {
            self.region.end_at(0);
        }
        self.region.close()?;
        let start = match stand {
            Stand::First => 0,
            Stand::Whole if is_whole => 0,
            Stand::Last | Stand::Whole => self.region.inside() - length,
            Stand::Offset(offset) => LINE + offset / size.max(1) * size,
        };
        self.last = (start, start + length);
        self.is_whole = is_whole;
        let [before, after] = self.sides();
        // SAFETY: what lies inside the region is writable there, and no slice of it is alive.
        unsafe {
            for side in [before, after] {
                self.region.writable().add(side.start).write_bytes(BESIDE, side.len());
            }
            Ok(self.region.base().add(start))
        }
    }

    /// Returns the bytes on both sides of the last buffer that hold the pattern.
    fn sides(&self) -> [std::ops::Range<usize>; 2] {
        let (start, end) = self.last;
        let near = if self.is_whole { 0 } else { NEAR };
        [start.saturating_sub(near)..start, end..self.region.inside().min(end + near)]
    }

    /// Reports a write beside the buffer.
    fn beside(&self) -> Option<Trespass> {
        let [before, after] = self.sides();
        let changed = |part: std::ops::Range<usize>| {
            // SAFETY: the pattern was written there, and no slice that can be written to is alive.
            let beside = unsafe {
                std::slice::from_raw_parts(self.region.base().add(part.start), part.len())
            };
            std::hint::black_box(beside).iter().any(|it| *it != BESIDE)
        };
        let wrote = |after| Trespass::Wrote { after };
        changed(after).then(|| wrote(true)).or_else(|| changed(before).then(|| wrote(false)))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Reads or writes at a distance from the start of a slice.
    fn touch(pointer: *mut u8, distance: isize, write: bool) {
        // SAFETY: the page is mapped; the handler opens it. That it is outside the slice is the
        // point of the test.
        unsafe {
            let place = pointer.wrapping_offset(distance);
            if write {
                place.write_volatile(1);
            } else {
                place.read_volatile();
            }
        }
    }

    #[test]
    fn what_is_touched_outside_is_told() {
        let mut rooms = Rooms::open().expect("memory");
        for length in [19, 4096, 5000, 16_384, 19] {
            let end = length as isize;
            for (stand, distance, write, trespass) in [
                (Stand::First, -1, false, Some(Trespass::Read { after: false })),
                (Stand::First, -1, true, Some(Trespass::Wrote { after: false })),
                (Stand::First, end, true, Some(Trespass::Wrote { after: true })),
                (Stand::Last, end, false, Some(Trespass::Read { after: true })),
                (Stand::Last, end + 6, true, Some(Trespass::Wrote { after: true })),
                (Stand::Last, -1, true, Some(Trespass::Wrote { after: false })),
                (Stand::Whole, end, false, Some(Trespass::Read { after: true })),
                (Stand::Whole, end + 7, true, Some(Trespass::Wrote { after: true })),
                (Stand::Whole, 0, true, None),
                (Stand::Offset(3), end, true, Some(Trespass::Wrote { after: true })),
                (Stand::Offset(3), -1, true, Some(Trespass::Wrote { after: false })),
                (Stand::Offset(63), end - 1, true, None),
                (Stand::First, 0, true, None),
            ] {
                for _ in 0..2 {
                    let input = vec![7; length];
                    let called = rooms.call(&input, (length, 9), [stand; 2], |_, output| {
                        touch(output.as_mut_ptr(), distance, write);
                        output.as_ptr() as usize % LINE
                    });
                    let called = called.expect("memory");
                    assert_eq!(called.trespass, trespass, "{stand:?} {distance} {write} {length}");
                    assert_eq!((called.input, called.output.len()), (&input[..], length));
                    assert!(called.output.iter().filter(|&&byte| byte != 9).count() <= 1);
                    if let Stand::Offset(offset) = stand {
                        assert_eq!(called.result, offset);
                    }
                }
                let called = rooms.call(&vec![7; length], (0, 9), [stand; 2], |input, _| {
                    touch(input.as_ptr().cast_mut(), distance, false);
                });
                let is_beside = matches!(stand, Stand::Offset(_))
                    || stand == Stand::First && distance > 0
                    || stand == Stand::Last && distance < 0;
                let read = trespass.filter(|_| !is_beside).map(|told| match told {
                    Trespass::Read { after } | Trespass::Wrote { after } => {
                        Trespass::Read { after }
                    }
                    other => other,
                });
                let told = called.expect("memory").trespass;
                assert_eq!(told, read, "{stand:?} {distance}: the input of {length}");
            }
        }
    }

    /// More threads than there can be watches: each waits for its turn, and is told of its own kernel
    /// alone, although others touch their pages at the same time.
    #[test]
    fn threads_are_told_of_their_own_kernels() {
        let each = |number: usize| {
            for round in 0..50 {
                let mut rooms = Rooms::open().expect("memory");
                let is_wrong = (number + round).is_multiple_of(2);
                let called = rooms.call(&[7u8; 19], (19, 9u8), [Stand::First; 2], |_, output| {
                    std::thread::yield_now();
                    touch(output.as_mut_ptr(), if is_wrong { -1 } else { 0 }, false);
                });
                let due = is_wrong.then_some(Trespass::Read { after: false });
                assert_eq!(called.expect("memory").trespass, due, "{number} {round}");
            }
        };
        std::thread::scope(|scope| {
            for number in 0..40 {
                scope.spawn(move || each(number));
            }
        });
    }

    /// A buffer that fills whole pages has a page on either side.
    #[test]
    fn both_ends_are_watched_at_once() {
        let mut rooms = Rooms::open().expect("memory");
        for after in [false, true] {
            for length in [4096, 1 << 16] {
                let distance = if after { length as isize } else { -1 };
                let input = vec![7u8; length];
                let called = rooms.call(&input, (length, 9u8), [Stand::Whole; 2], |input, _| {
                    touch(input.as_ptr().cast_mut(), distance, false);
                });
                assert_eq!(called.expect("memory").trespass, Some(Trespass::Read { after }));
            }
        }
    }

    /// Also where a kernel puts back what was there, or writes the same.
    #[test]
    fn a_write_to_the_input_is_told_whatever_it_writes() {
        let mut rooms = Rooms::open().expect("memory");
        for length in [19, 5000, 16_384] {
            for stand in [Stand::First, Stand::Last, Stand::Whole, Stand::Offset(3)] {
                for (at, writes) in [(0, true), (length - 1, true), (0, false)] {
                    let input = vec![7u8; length];
                    let called = rooms.call(&input, (length, 9u8), [stand; 2], |input, _| {
                        let place = input.as_ptr().cast_mut().wrapping_add(at);
                        // SAFETY: it stands in the input; the handler makes it writable.
                        unsafe {
                            let before = place.read_volatile();
                            if writes {
                                place.write_volatile(1);
                                place.write_volatile(before);
                            }
                        }
                    });
                    let called = called.expect("memory");
                    let due = writes.then_some(Trespass::Input);
                    assert_eq!(called.trespass, due, "{stand:?} {at} of {length}");
                    assert_eq!(called.input, input);
                }
            }
        }
    }

    /// A panic leaves nothing behind.
    #[test]
    fn a_kernel_that_panics_leaves_the_rooms_usable() {
        let mut rooms = Rooms::open().expect("memory");
        for length in [100_000, 19, 5000] {
            let input = vec![7u8; length];
            let panics = std::panic::AssertUnwindSafe(|| {
                let _ = rooms
                    .call(&input, (length, 9u8), [Stand::First; 2], |_, _| panic!("on purpose"));
            });
            assert!(std::panic::catch_unwind(panics).is_err());
            let called =
                rooms.call(&input, (length, 9u8), [Stand::Last; 2], |_, output| output.fill(1));
            assert_eq!(called.expect("memory").trespass, None);
        }
    }

    /// Of each length, and of elements of one byte and of more.
    #[test]
    fn a_kernel_sees_an_output_that_has_the_fill_everywhere() {
        // The kernel leaves another element everywhere, so that no call finds the fill of the one before.
        fn assert_filled<B: Copy + PartialEq>(rooms: &mut Rooms, fill: B, left: B) {
            for count in 0..=130 {
                let called =
                    rooms.call(&[7u8; 19], (count, fill), [Stand::Last; 2], |_, output| {
                        let filled = output.iter().filter(|it| **it == fill).count();
                        output.fill(left);
                        filled
                    });
                let called = called.expect("memory");
                assert_eq!((called.result, called.trespass), (count, None));
            }
        }
        let mut rooms = Rooms::open().expect("memory");
        assert_filled(&mut rooms, 0xa5_u8, 0x5a);
        assert_filled(&mut rooms, [1_u8, 2, 3], [3, 2, 1]);
        assert_filled(&mut rooms, 0x1234_5678_u32, 0);
        assert_filled(&mut rooms, 0.5_f64, 1.5);
    }

    /// A kernel's own handler hides what it reads outside. Once it may come with a library.
    #[test]
    fn a_replaced_handler_is_told_from_the_second_time_on() {
        extern "C" fn ignores(_: i32) {}
        // The handler is that of the process, so this test has one of its own.
        if std::env::var_os("CASTPROOF_TEST_HANDLER").is_none() {
            let mut program =
                std::process::Command::new(std::env::current_exe().expect("a program"));
            let name = "memory::tests::a_replaced_handler_is_told_from_the_second_time_on";
            program.args(["--exact", name]).env("CASTPROOF_TEST_HANDLER", "1");
            let output = program.output().expect("it starts");
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && said.contains("1 passed"), "{said}");
            return;
        }
        let mut rooms = Rooms::open().expect("memory");
        for (round, is_replaced) in [true, false, true, true, false].into_iter().enumerate() {
            let called = rooms.call(&[7u8; 19], (19, 9u8), [Stand::First; 2], |_, output| {
                if is_replaced {
                    // SAFETY: a handler that does nothing.
                    unsafe { libc::signal(libc::SIGSEGV, ignores as *const () as usize) };
                }
                output.fill(1);
            });
            let due = (is_replaced && round > 0).then_some(Trespass::Handler);
            assert_eq!(called.expect("memory").trespass, due, "{round}");
            // Ours is there again.
            let called = rooms.call(&[7u8; 19], (19, 9u8), [Stand::First; 2], |_, output| {
                touch(output.as_mut_ptr(), -1, false);
            });
            let told = called.expect("memory").trespass;
            assert_eq!(told, Some(Trespass::Read { after: false }), "{round}");
        }
    }

    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    #[test]
    fn changed_settings_of_arithmetic_are_told_and_put_back() {
        let before = Environment::now();
        let mut rooms = Rooms::open().expect("memory");
        for is_changed in [true, false, true] {
            let called = rooms.call(&[7u8; 19], (19, 9u8), [Stand::First; 2], |_, output| {
                output[0] = (std::hint::black_box(1.0_f32) / std::hint::black_box(3.0)) as u8;
                if is_changed {
                    before.flushing().restore();
                }
            });
            let due = is_changed.then_some(Trespass::Environment);
            assert_eq!(called.expect("memory").trespass, due);
            assert_eq!(Environment::now(), before);
        }
    }

    #[test]
    fn elements_are_aligned_and_a_changed_input_is_seen() {
        let mut rooms = Rooms::open().expect("memory");
        for stand in [Stand::First, Stand::Last, Stand::Whole, Stand::Offset(61)] {
            let called = rooms.call(&[1u64, 2, 3], (5, 0.5f32), [stand; 2], |input, output| {
                touch(input.as_ptr().cast_mut().cast(), 8, true);
                output[4] = 1.5;
                input.as_ptr() as usize % 8
            });
            let called = called.expect("memory");
            let due = Some(Trespass::Input);
            assert_eq!((called.result, called.trespass), (0, due), "{stand:?}");
            assert_eq!(
                (called.input, called.output),
                (&[1, 1, 3][..], &[0.5, 0.5, 0.5, 0.5, 1.5][..])
            );
        }
    }
}
