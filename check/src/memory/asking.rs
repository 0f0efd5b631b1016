//! What becomes of a program that a kernel ends: it has not passed.

use std::io::Write;
use std::sync::Once;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// How many checks are under way.
static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);

/// The process in which they are. A child that a kernel forks may end as it likes.
static PROCESS: AtomicU32 = AtomicU32::new(0);

const LAST_WORDS: &str = "castproof: the program ends in the middle of a check, by `exit`: a kernel under test must return. \
     The status is 1\n";

/// Says until it is dropped that a kernel is asked. A program that calls `exit` until then, such as by
/// `exit(0)` in the kernel, ends with status 1 and a line on standard error, because what was not asked has
/// not passed. `_exit` cannot be noticed.
#[derive(Debug)]
pub struct Asking(());

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
        Asking(())
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        UNDER_WAY.fetch_sub(1, Ordering::SeqCst);
    }
}

extern "C" fn at_exit() {
    if UNDER_WAY.load(Ordering::SeqCst) == 0 || PROCESS.load(Ordering::SeqCst) != std::process::id()
    {
        return;
    }
    // Nothing is left to be done where standard error is closed.
    let _ = std::io::stderr().write_all(LAST_WORDS.as_bytes());
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
            if code.is_none() {
                assert_eq!(output.status.signal(), Some(libc::SIGSEGV), "{said}");
                assert!(said.contains("a signal of faults that was sent"), "{said}");
            }
        }
    }
}
