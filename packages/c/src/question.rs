//! The questions that C asks, on slices.

use castproof_check::bytes::{self, RuleNames, Written, width};
use castproof_check::vectors::{pack, unpack};
use castproof_check::verdict::thousands;
use castproof_check::{DType, Request, Terms, answers, check_foreign_within, fuzz};
use std::cell::Cell;
use std::mem::MaybeUninit;

/// Elements that are answered at a time. They take whole bytes, whatever their dtype is.
const BATCH: usize = 1 << 16;

/// How a question ended, with its text. The numbers are those of `castproof.h`.
pub(crate) enum Ended {
    /// All is right.
    Passed(String),
    /// Something is wrong.
    Failed(String),
    /// It cannot be asked.
    NotAsked(String),
}

thread_local! {
    static IS_CHECKING: Cell<bool> = const { Cell::new(false) };
}

/// Says until it is dropped that this thread checks a kernel.
struct Checking;

impl Checking {
    /// # Errors
    /// If the kernel that this thread checks calls a check, which would wait for itself.
    fn begin() -> Result<Checking, String> {
        match IS_CHECKING.replace(true) {
            false => Ok(Checking),
            true => Err("a kernel that is checked calls castproof_check".into()),
        }
    }
}

impl Drop for Checking {
    fn drop(&mut self) {
        IS_CHECKING.set(false);
    }
}

/// What a kernel is asked.
pub(crate) enum Asked<'a> {
    /// Every code that matters, by terms; and whom to tell how far the check is.
    Whole(Terms, &'a mut dyn FnMut(u64, u64)),
    /// The codes of a fuzzer's input.
    Fuzzed(&'a [u8]),
}

/// Checks a kernel.
pub(crate) fn check(
    request: &Request,
    asked: &mut Asked<'_>,
    mut kernel: impl FnMut(&[u8], usize, &mut [u8]),
) -> Ended {
    let checking = match answers(request).and_then(|_| Checking::begin()) {
        Ok(checking) => checking,
        Err(problem) => return Ended::NotAsked(problem),
    };
    let (mut calls, mut elements) = (0_u64, 0_u64);
    let cast = |input: &[u8], count: usize, output: &mut [u8]| {
        calls += 1;
        elements += count as u64;
        kernel(input, count, output);
    };
    let checked = match asked {
        Asked::Whole(terms, progress) => check_foreign_within(request, terms, progress, cast),
        Asked::Fuzzed(input) => fuzz::check_foreign_request(input, request, cast),
    };
    drop(checking);
    match checked {
        Ok(checked) => {
            let Asked::Whole(terms, _) = asked else { return Ended::Passed(String::new()) };
            let limits = match terms.words() {
                none if none.is_empty() => none,
                limits => format!("; within limits: {limits}"),
            };
            let [codes, calls, elements] = [checked.asked, calls, elements].map(thousands);
            let tolerated = match checked.tolerated {
                0 => String::new(),
                some => format!(", {} of them tolerated", thousands(some)),
            };
            Ended::Passed(format!(
                "{request}: passed; {codes} codes{tolerated}; {elements} elements in {calls} calls{limits}"
            ))
        }
        // There was no memory for its buffers.
        Err(failed) if calls == 0 => Ended::NotAsked(failed.to_string()),
        Err(failed) => Ended::Failed(failed.to_string()),
    }
}

/// Writes what the cast must make of each packed element: one that is right, and a byte that says what
/// else is. `kinds` has as many bytes as there are elements.
///
/// # Errors
/// If the request is refused.
pub(crate) fn expect(
    request: &Request,
    input: &[u8],
    output: &mut [MaybeUninit<u8>],
    kinds: &mut [MaybeUninit<u8>],
) -> Result<(), String> {
    let (draw, mut names) = (answers(request)?, RuleNames::default());
    let (from, to) = (request.from, request.to);
    let parts = input.chunks(batch(from)).zip(output.chunks_mut(batch(to)));
    for ((input, output), kinds) in parts.zip(kinds.chunks_mut(BATCH)) {
        let count = kinds.len();
        let input = spread(from, input, count)?;
        let (mut codes, mut others) = (vec![0; count * width(to)], vec![0; count]);
        let mut rules = vec![0; count];
        let mut written = Written { codes: &mut codes, kinds: &mut others, rules: &mut rules };
        bytes::expect(&draw, &input, &mut written, &mut names)?;
        let codes: Vec<u64> = bytes::codes(to, &codes).collect();
        output.write_copy_of_slice(&pack(to, &codes)?);
        kinds.write_copy_of_slice(&others);
    }
    Ok(())
}

/// Writes 1 for each packed result that is right or tolerated, and 0 for any other. Returns the number
/// of others. `admitted` has as many bytes as there are elements.
///
/// # Errors
/// If the request is refused.
pub(crate) fn admits(
    request: &Request,
    input: &[u8],
    results: &[u8],
    admitted: &mut [MaybeUninit<u8>],
) -> Result<usize, String> {
    let draw = answers(request)?;
    let (from, to) = (request.from, request.to);
    let mut wrong = 0;
    let parts = input.chunks(batch(from)).zip(results.chunks(batch(to)));
    for ((input, results), admitted) in parts.zip(admitted.chunks_mut(BATCH)) {
        let count = admitted.len();
        let (input, results) = (spread(from, input, count)?, spread(to, results, count)?);
        let mut are_right = vec![false; count];
        bytes::admits(&draw, &input, &results, false, &mut are_right)?;
        wrong += are_right.iter().filter(|is_right| !**is_right).count();
        let are_right: Vec<u8> = are_right.into_iter().map(u8::from).collect();
        admitted.write_copy_of_slice(&are_right);
    }
    Ok(wrong)
}

/// Returns the bytes that a batch takes.
fn batch(dtype: DType) -> usize {
    BATCH / 8 * dtype.bits() as usize
}

/// Returns packed elements as codes of whole bytes.
fn spread(dtype: DType, packed: &[u8], count: usize) -> Result<Vec<u8>, String> {
    let codes = unpack(dtype, packed, count)?;
    let mut spread = vec![0; count * width(dtype)];
    bytes::write(dtype, codes, &mut spread);
    Ok(spread)
}
