//! One conversion: every operand is asked.

use super::due::{AT_ONCE, Due};
use super::names::cause;
use super::record::{Example, Operation};
use crate::record::Digest;
use castproof_testee::{Codes, Reply, Testee};
use castproof_vectors::{Conversion, OneLine};
use std::sync::atomic::{AtomicBool, Ordering};

/// The template of a bar that counts operands.
pub(super) const OPERANDS: &str = "{human_pos}/{human_len} operands";

/// Wrong results that are kept.
const EXAMPLES: usize = 8;

/// What came of a conversion.
pub(super) enum Asked {
    /// All operands were asked, or the testee failed.
    All(Operation),
    /// The run was interrupted.
    Interrupted,
}

/// Asks every operand of a conversion.
pub(super) fn ask(
    conversion: &Conversion,
    due: &Due,
    testee: &mut dyn Testee,
    progress: &dyn Fn(u64),
    interrupted: &AtomicBool,
) -> Asked {
    let mut digests = blake3::Hasher::new();
    let mut operation = Operation {
        identifier: conversion.to_string().into(),
        operands: due.operands(),
        wrong: 0,
        digest: Digest([0; 32]),
        examples: vec![],
        cause: None,
        stopped: None,
    };
    let mut expected = vec![0; AT_ONCE];
    let mut first = 0;
    while first < due.operands() {
        if interrupted.load(Ordering::Relaxed) {
            return Asked::Interrupted;
        }
        let count = AT_ONCE.min((due.operands() - first) as usize);
        let expected = &mut expected[..count];
        due.fill(first, expected);
        match results(conversion, due, first, count, testee) {
            Ok(got) => {
                let given = judge(due, first, expected, &got, &mut operation);
                digests.update(&given);
            }
            Err(_) if interrupted.load(Ordering::Relaxed) => return Asked::Interrupted,
            Err(stopped) => {
                operation.stopped = Some(stopped);
                return Asked::All(operation);
            }
        }
        first += count as u64;
        progress(count as u64);
    }
    operation.digest = Digest(digests.finalize().into());
    if operation.wrong > 0 {
        operation.cause = cause(conversion, due, operation.digest).map(OneLine::from);
    }
    Asked::All(operation)
}

/// Counts what is wrong. Returns the bytes of the results, of several NaNs the one that is due.
fn judge(
    due: &Due,
    first: u64,
    expected: &[u64],
    got: &[u64],
    operation: &mut Operation,
) -> Vec<u8> {
    let mut given = Vec::with_capacity(8 * got.len());
    for (at, (&expected, &got)) in (first..).zip(expected.iter().zip(got)) {
        let is_right = due.admits(expected, got);
        given.extend_from_slice(&if is_right { expected } else { got }.to_le_bytes());
        if is_right {
            continue;
        }
        operation.wrong += 1;
        if operation.examples.len() < EXAMPLES {
            let (code, random) = due.operand(at);
            operation.examples.push(Example {
                input: due.from.hex(code).into(),
                random: (due.randoms > 1).then_some(random),
                got: due.to.hex(got).into(),
                expected: due.to.hex(expected).into(),
            });
        }
    }
    given
}

/// Asks for the results of operands.
fn results(
    conversion: &Conversion,
    due: &Due,
    first: u64,
    count: usize,
    testee: &mut dyn Testee,
) -> Result<Vec<u64>, OneLine> {
    let (from, to) = (Conversion::width(due.from.bits), Conversion::width(due.to.bits));
    let random = Conversion::width(conversion.random_bits.max(1));
    let mut codes = Codes { count, ..Codes::default() };
    for at in first..first + count as u64 {
        let (code, number) = due.operand(at);
        codes.given.extend_from_slice(&code.to_le_bytes()[..from]);
        if due.randoms > 1 {
            codes.random.extend_from_slice(&number.to_le_bytes()[..random]);
        }
    }
    let given = match testee.project(conversion, &codes) {
        Reply::Output(given) => given,
        Reply::Unsupported(why) => return Err(format!("unsupported: {why}").into()),
        Reply::Error(why) => return Err(format!("error: {why}").into()),
        Reply::Crash(why) => return Err(format!("crash: {why}").into()),
        Reply::Timeout(why) => return Err(format!("timeout: {why}").into()),
    };
    if given.len() != count * to {
        let given = given.len();
        return Err(format!(
            "error: {count} codes of {to} bytes take {} bytes, not {given}",
            count * to
        )
        .into());
    }
    let number =
        |code: &[u8]| code.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
    Ok(given.chunks_exact(to).map(number).collect())
}
