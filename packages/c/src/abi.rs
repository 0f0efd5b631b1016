//! The functions of `castproof.h`. Here, and nowhere else, pointers become words and slices.
//!
//! A panic would be a fault of ours; it is told as a text and does not reach the caller. An exception of
//! C++ passes through `report`, but ends the program in a kernel. `castproof.hpp` carries it around.
#![allow(unsafe_code, reason = "the C interface has pointers")]

use crate::question::{self, Asked, Ended};
use castproof_check::vectors::packed_len;
use castproof_check::{DType, Request, Terms, request_of_words};
use std::any::Any;
use std::ffi::{CStr, CString, c_char, c_int, c_uchar, c_ulonglong, c_void};
use std::io::Write;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// `castproof_kernel` of `castproof.h`.
type Kernel = unsafe extern "C-unwind" fn(*const c_void, *mut c_void, usize, *mut c_void);

/// `castproof_report` of `castproof.h`.
type Report = unsafe extern "C-unwind" fn(c_int, *const c_char, *mut c_void);

/// `castproof_progress` of `castproof.h`.
type Progress = unsafe extern "C-unwind" fn(c_ulonglong, c_ulonglong, *mut c_void);

/// `castproof_terms` of `castproof.h`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct GivenTerms {
    elements: usize,
    multiple_of: usize,
    no_empty: c_int,
    seconds: f64,
    progress: Option<Progress>,
}

/// The words that name a cast.
struct Words {
    from: *const c_char,
    to: *const c_char,
    attributes: *const c_char,
}

/// `castproof_check` of `castproof.h`.
///
/// # Safety
/// Words are null or end with a zero. `kernel` reads `count` elements of its input and writes as many of
/// its output, or what it does instead is on trial; `report` only reads its text.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn castproof_check(
    from: *const c_char,
    to: *const c_char,
    attributes: *const c_char,
    kernel: Option<Kernel>,
    context: *mut c_void,
    report: Option<Report>,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        castproof_check_within(from, to, attributes, std::ptr::null(), kernel, context, report)
    }
}

/// `castproof_check_within` of `castproof.h`.
///
/// # Safety
/// The same as that of [`castproof_check()`]; `terms` are terms or null.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn castproof_check_within(
    from: *const c_char,
    to: *const c_char,
    attributes: *const c_char,
    terms: *const GivenTerms,
    kernel: Option<Kernel>,
    context: *mut c_void,
    report: Option<Report>,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let given = terms.as_ref().copied();
        let ended = whole(|| {
            let terms = given.map_or(Ok(Terms::default()), terms_of)?;
            let words = Words { from, to, attributes };
            let mut tell = |asked, all| {
                if let Some(progress) = given.and_then(|it| it.progress) {
                    progress(asked, all, context);
                }
            };
            check(&words, &mut Asked::Whole(terms, &mut tell), kernel, context)
        });
        tell(ended, report, context)
    }
}

/// # Errors
/// If the time is none.
fn terms_of(given: GivenTerms) -> Result<Terms, String> {
    let some = |number: usize| (number > 0).then_some(number);
    let time = Duration::try_from_secs_f64(given.seconds)
        .map_err(|_| format!("seconds is {}, which is no time", given.seconds))?;
    Ok(Terms {
        elements: some(given.elements),
        multiple_of: some(given.multiple_of),
        no_empty: given.no_empty != 0,
        time: Some(time).filter(|time| !time.is_zero()),
    })
}

/// `castproof_fuzz` of `castproof.h`.
///
/// # Safety
/// The same as that of `castproof_check`; `data` has `size` bytes, or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn castproof_fuzz(
    data: *const c_uchar,
    size: usize,
    from: *const c_char,
    to: *const c_char,
    attributes: *const c_char,
    kernel: Option<Kernel>,
    context: *mut c_void,
    report: Option<Report>,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        let ended = whole(|| {
            let data = given("data", data.cast(), size)?;
            check(&Words { from, to, attributes }, &mut Asked::Fuzzed(data), kernel, context)
        });
        tell(ended, report, context)
    }
}

/// `castproof_expect` of `castproof.h`.
///
/// # Safety
/// Words are null or end with a zero. `input`, `output` and `kinds` have room for `count` elements or are
/// null, and do not overlap; `report` only reads its text.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn castproof_expect(
    from: *const c_char,
    to: *const c_char,
    attributes: *const c_char,
    input: *const c_void,
    count: usize,
    output: *mut c_void,
    kinds: *mut c_uchar,
    context: *mut c_void,
    report: Option<Report>,
) -> c_int {
    let ended = whole(|| {
        // SAFETY: the caller's promise.
        let request = unsafe { request(&Words { from, to, attributes }) }?;
        // SAFETY: the caller's promise: so many elements, which nothing else uses during the call.
        let (input, output, kinds) = unsafe {
            (
                given("input", input, packed_len(request.from, count)?)?,
                room("output", output, packed_len(request.to, count)?)?,
                room("kinds", kinds.cast(), count)?,
            )
        };
        question::expect(&request, input, output, kinds)?;
        Ok(Ended::Passed(String::new()))
    });
    // SAFETY: the caller's promise.
    unsafe { tell(ended, report, context) }
}

/// `castproof_admits` of `castproof.h`.
///
/// # Safety
/// Words are null or end with a zero. `input`, `results` and `admitted` have room for `count` elements or
/// are null, and do not overlap; `report` only reads its text.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn castproof_admits(
    from: *const c_char,
    to: *const c_char,
    attributes: *const c_char,
    input: *const c_void,
    count: usize,
    results: *const c_void,
    admitted: *mut c_uchar,
    context: *mut c_void,
    report: Option<Report>,
) -> c_int {
    let ended = whole(|| {
        // SAFETY: the caller's promise.
        let request = unsafe { request(&Words { from, to, attributes }) }?;
        // SAFETY: the caller's promise: so many elements, which nothing else uses during the call.
        let (input, results, admitted) = unsafe {
            (
                given("input", input, packed_len(request.from, count)?)?,
                given("results", results, packed_len(request.to, count)?)?,
                room("admitted", admitted.cast(), count)?,
            )
        };
        Ok(match question::admits(&request, input, results, admitted)? {
            0 => Ended::Passed(String::new()),
            wrong => Ended::Failed(format!("{request}: {wrong} of {count} results are wrong")),
        })
    });
    // SAFETY: the caller's promise.
    unsafe { tell(ended, report, context) }
}

/// `castproof_bits` of `castproof.h`.
///
/// # Safety
/// The name is null or ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn castproof_bits(dtype: *const c_char) -> c_int {
    // SAFETY: the caller's promise.
    let dtype = unsafe { word("the dtype", dtype) }.and_then(DType::named);
    dtype.map_or(0, |dtype| if dtype.is_numeric() { dtype.bits() as c_int } else { 0 })
}

/// Checks a kernel with every code that matters, or with those of a fuzzer's input.
///
/// # Safety
/// The same as that of [`castproof_check`].
unsafe fn check(
    words: &Words,
    asked: &mut Asked<'_>,
    kernel: Option<Kernel>,
    context: *mut c_void,
) -> Result<Ended, String> {
    // SAFETY: the caller's promise.
    let request = unsafe { request(words) }?;
    let kernel = kernel.ok_or("the kernel is NULL")?;
    Ok(question::check(&request, asked, |input, count, output| {
        // SAFETY: both buffers have as many elements as is said, begin at multiples of an element's
        // bytes, and live until the call returns. What a kernel does with them is on trial here.
        unsafe { kernel(input.as_ptr().cast(), output.as_mut_ptr().cast(), count, context) }
    }))
}

/// Answers a question, whatever happens in it.
fn whole(question: impl FnOnce() -> Result<Ended, String>) -> Ended {
    let ended = catch_unwind(AssertUnwindSafe(question));
    let ended = ended.unwrap_or_else(|panic| Err(format!("castproof failed: {}", said(&*panic))));
    ended.unwrap_or_else(Ended::NotAsked)
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic")
}

/// Hands the text over, or prints it, unless there is none. Returns the status.
///
/// # Safety
/// `report` reads its text and nothing more.
unsafe fn tell(ended: Ended, report: Option<Report>, context: *mut c_void) -> c_int {
    let (status, text) = match ended {
        Ended::Passed(text) => (0, text),
        Ended::Failed(text) => (1, text),
        Ended::NotAsked(text) => (2, text),
    };
    match report {
        _ if text.is_empty() => {}
        // SAFETY: the text ends with a zero and lives until the call returns.
        Some(report) => unsafe {
            report(status, CString::new(text).unwrap_or_default().as_ptr(), context);
        },
        // Nothing is left to be done where standard error is closed.
        None => drop(writeln!(std::io::stderr(), "{text}")),
    }
    status
}

/// Returns the request that the words name.
///
/// # Errors
/// The word that is not known.
///
/// # Safety
/// Words are null or end with a zero.
unsafe fn request(words: &Words) -> Result<Request, String> {
    // SAFETY: the caller's promise.
    unsafe {
        let attributes = if words.attributes.is_null() { c"".as_ptr() } else { words.attributes };
        let (from, to) = (word("the source", words.from)?, word("the target", words.to)?);
        request_of_words(from, to, word("the text of attributes", attributes)?)
    }
}

/// # Errors
/// If the word is null, or not UTF-8.
///
/// # Safety
/// The word is null or ends with a zero, and is not changed while it is used.
unsafe fn word<'a>(name: &str, word: *const c_char) -> Result<&'a str, String> {
    if word.is_null() {
        return Err(format!("{name} is NULL"));
    }
    // SAFETY: it is not null; the rest is the caller's promise.
    let word = unsafe { CStr::from_ptr(word) };
    word.to_str().map_err(|_| format!("{name} is not UTF-8"))
}

/// Returns the bytes that a pointer leads to.
///
/// # Errors
/// If it is null, unless no byte is there.
///
/// # Safety
/// It is null, or so many bytes are there and are not changed while they are used.
unsafe fn given<'a>(name: &str, start: *const c_void, length: usize) -> Result<&'a [u8], String> {
    if is_empty(name, start, length)? {
        return Ok(&[]);
    }
    // SAFETY: it is not null; the rest is the caller's promise. `packed_len` took the length in bits, so
    // the bytes are at most half of `usize::MAX`.
    Ok(unsafe { std::slice::from_raw_parts(start.cast(), length) })
}

/// Returns the bytes that a pointer leads to, which may hold nothing yet.
///
/// # Errors
/// The same as those of [`given`].
///
/// # Safety
/// It is null, or so many bytes are there and nothing else uses them.
unsafe fn room<'a>(
    name: &str,
    start: *mut c_void,
    length: usize,
) -> Result<&'a mut [MaybeUninit<u8>], String> {
    if is_empty(name, start, length)? {
        return Ok(&mut []);
    }
    // SAFETY: as in `given`.
    Ok(unsafe { std::slice::from_raw_parts_mut(start.cast(), length) })
}

/// Is there no byte where a pointer leads to?
///
/// # Errors
/// If there is one, but the pointer is null.
fn is_empty(name: &str, start: *const c_void, length: usize) -> Result<bool, String> {
    match length {
        0 => Ok(true),
        _ if start.is_null() => Err(format!("{name} is NULL")),
        _ => Ok(false),
    }
}
