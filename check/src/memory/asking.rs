//! What becomes of a program that a kernel ends: it has not passed, and its last line names the call.

use castproof_vectors::{DType, Request};
use std::sync::Once;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// How many checks are under way.
static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);

/// The process in which they are. A child that a kernel forks may end as it likes.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Checks whose calls are noted. One more than these is under way without a note.
const NOTES: usize = 64;

/// The last call of each check, as [`Call`] packs it; 0: the place is free.
static CALLS: [AtomicU64; NOTES] = [const { AtomicU64::new(0) }; NOTES];

const EXITED: &str = "the program ends in the middle of a check, by `exit`: a kernel under test must return. \
     The status is 1";

/// A call of a kernel. Packed into 64 bits: the numbers of both dtypes plus 1, 8 bits each, and the count.
#[derive(Clone, Copy)]
struct Call {
    from: DType,
    to: DType,
    count: usize,
}

impl Call {
    const COUNT: u64 = (1 << 48) - 1;

    fn packed(self) -> u64 {
        let number = |dtype: DType| dtype as u64 + 1;
        number(self.from) << 56 | number(self.to) << 48 | self.count as u64 & Self::COUNT
    }

    /// Returns `None` for the 0 of a free place.
    fn unpacked(packed: u64) -> Option<Call> {
        let dtype = |number: u64| DType::ALL.get(number.checked_sub(1)? as usize).copied();
        let (from, to) = (dtype(packed >> 56)?, dtype(packed >> 48 & 0xff)?);
        Some(Call { from, to, count: (packed & Self::COUNT) as usize })
    }
}

/// Says until it is dropped that a kernel is asked. A program that calls `exit` until then, such as by
/// `exit(0)` in the kernel, ends with status 1 and a line on standard error, because what was not asked has
/// not passed. `_exit` cannot be noticed.
#[derive(Debug)]
pub struct Asking {
    note: Option<usize>,
}

impl Asking {
    /// Begins.
    pub fn begin() -> Asking {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            // SAFETY: the handler takes and returns nothing, and does not unwind.
            let _ = unsafe { libc::atexit(at_exit) };
        });
        PROCESS.store(std::process::id(), Ordering::SeqCst);
        UNDER_WAY.fetch_add(1, Ordering::SeqCst);
        Asking { note: None }
    }

    /// Notes that the next call of the kernel casts so many elements. The last line of a program that this
    /// call ends names it.
    pub(crate) fn calls(&mut self, request: &Request, count: usize) {
        let call = Call { from: request.from, to: request.to, count }.packed();
        match self.note {
            Some(note) => CALLS[note].store(call, Ordering::SeqCst),
            None => {
                self.note = CALLS.iter().position(|place| {
                    place.compare_exchange(0, call, Ordering::SeqCst, Ordering::SeqCst).is_ok()
                });
            }
        }
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        if let Some(note) = self.note {
            CALLS[note].store(0, Ordering::SeqCst);
        }
        UNDER_WAY.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Writes a line on standard error that names the calls under way and says what ended them. `unnamed` stands before it
/// where no call is noted. A signal handler may call it: it takes no memory and no lock.
pub(super) fn last_words(unnamed: &str, what: &str) {
    let mut line = Line { bytes: [0; LONGEST], length: 0 };
    for call in CALLS.iter().filter_map(|place| Call::unpacked(place.load(Ordering::SeqCst))) {
        let before = if line.length == 0 { "castproof: " } else { "" };
        for part in [before, call.from.name(), " -> ", call.to.name(), " of "] {
            line.push(part);
        }
        line.push_number(call.count);
        line.push(if call.count == 1 { " element: " } else { " elements: " });
    }
    if line.length == 0 {
        line.push(unnamed);
    }
    line.push(what);
    line.push("\n");
    // SAFETY: the bytes are valid for the call. Nothing is left to be done where standard error is closed.
    unsafe { libc::write(2, line.bytes.as_ptr().cast(), line.length) };
}

/// Most bytes of a last line. What is longer, as where many threads check, is cut.
const LONGEST: usize = 1024;

/// A text in an array.
struct Line {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Line {
    fn push(&mut self, text: &str) {
        let room = &mut self.bytes[self.length..];
        let length = text.len().min(room.len());
        room[..length].copy_from_slice(&text.as_bytes()[..length]);
        self.length += length;
    }

    fn push_number(&mut self, number: usize) {
        let mut digits = [b'0'; 20];
        let (mut first, mut rest) = (digits.len() - 1, number);
        while rest > 9 {
            digits[first] = b'0' + (rest % 10) as u8;
            (first, rest) = (first - 1, rest / 10);
        }
        digits[first] = b'0' + rest as u8;
        self.push(str::from_utf8(&digits[first..]).unwrap_or_default());
    }
}

extern "C" fn at_exit() {
    if UNDER_WAY.load(Ordering::SeqCst) == 0 || PROCESS.load(Ordering::SeqCst) != std::process::id()
    {
        return;
    }
    last_words("castproof: ", EXITED);
    // SAFETY: both may be called at the end of a program. What it has printed so far is not lost.
    unsafe {
        libc::fflush(std::ptr::null_mut());
        libc::_exit(1);
    }
}

#[cfg(test)]
mod tests {
    use crate::{DType, check, check_slices};
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, Output};

    /// Runs one of the tests below in a program of its own.
    fn run(test: &str) -> Output {
        let mut program = Command::new(std::env::current_exe().expect("this program"));
        program.args(["--exact", &format!("memory::asking::tests::{test}"), "--nocapture"]);
        program.env("CASTPROOF_TEST_ENDS", "1").output().expect("it starts")
    }

    /// Is this the program that [`run`] starts?
    fn ends() -> bool {
        std::env::var_os("CASTPROOF_TEST_ENDS").is_some()
    }

    #[test]
    fn exits_in_a_slice() {
        let mut calls = 0;
        let kernel = |x: &[u8], y: &mut [f32]| {
            calls += 1;
            if ends() && calls == 700 {
                std::process::exit(0);
            }
            x.iter().zip(y).for_each(|(x, y)| *y = f32::from(*x));
        };
        check_slices(DType::Uint8, DType::Float32, kernel).expect("right");
    }

    #[test]
    fn exits_in_an_element() {
        let kernel = |x: u8| {
            if ends() && x == 77 {
                std::process::exit(0);
            }
            f32::from(x)
        };
        check(DType::Uint8, DType::Float32, kernel).expect("right");
    }

    #[test]
    fn exits_after_the_check() {
        check(DType::Uint8, DType::Float32, f32::from as fn(u8) -> f32).expect("right");
        if ends() {
            std::process::exit(0);
        }
    }

    #[test]
    fn raises() {
        let mut calls = 0;
        let kernel = |x: &[u8], y: &mut [f32]| {
            calls += 1;
            if ends() && calls == 700 {
                // SAFETY: ends the program, at most.
                unsafe { libc::raise(libc::SIGSEGV) };
            }
            x.iter().zip(y).for_each(|(x, y)| *y = f32::from(*x));
        };
        check_slices(DType::Uint8, DType::Float32, kernel).expect("right");
    }

    /// A kernel of slices that ends the program in some way at a count of 33.
    fn ends_at_33(end: impl Fn()) {
        let kernel = |x: &[u8], y: &mut [f32]| {
            if ends() && x.len() == 33 {
                end();
            }
            x.iter().zip(y).for_each(|(x, y)| *y = f32::from(*x));
        };
        check_slices(DType::Uint8, DType::Float32, kernel).expect("right");
    }

    #[test]
    fn aborts() {
        ends_at_33(|| std::process::abort());
    }

    #[test]
    fn stores_far_away() {
        let far = std::hint::black_box(64) as *mut u8;
        // SAFETY: none. The store is the planted fault; it ends the program.
        ends_at_33(|| unsafe { far.write_volatile(1) });
    }

    /// The last line names the cast and the count.
    #[test]
    fn a_crash_is_named() {
        for (test, signal, what) in [
            ("aborts", libc::SIGABRT, "the kernel ends the program, as by `abort`"),
            ("stores_far_away", libc::SIGSEGV, "a fault far from both buffers"),
        ] {
            let output = run(test);
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.signal(), Some(signal), "{said}");
            let due = format!("castproof: uint8 -> float32 of 33 elements: {what}");
            assert!(said.contains(&due), "{said}");
        }
    }

    /// A kernel that ends the program does not make it succeed, and a signal that it sends is not swallowed.
    #[test]
    fn a_program_that_a_kernel_ends_has_not_passed() {
        for (test, code) in [
            ("exits_in_a_slice", Some(1)),
            ("exits_in_an_element", Some(1)),
            ("exits_after_the_check", Some(0)),
            ("raises", None),
        ] {
            let output = run(test);
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), code, "{test}: {said}");
            assert_eq!(
                said.contains("in the middle of a check"),
                code == Some(1),
                "{test}: {said}"
            );
            let is_one =
                said.contains("castproof: uint8 -> float32 of 1 element: the program ends");
            assert_eq!(is_one, test == "exits_in_an_element", "{test}: {said}");
            if code.is_none() {
                assert_eq!(output.status.signal(), Some(libc::SIGSEGV), "{said}");
                assert!(said.contains("a signal of faults that was sent"), "{said}");
            }
        }
    }
}
