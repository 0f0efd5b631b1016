//! A NaN that must be quiet, as WebAssembly's promote and demote demand by WA-07: its sign and its payload are free.

use crate::profiles::{Changed, run_of, without_arrangements};
use castproof::gate::Options;
use castproof::results::{Filters, ResultsFile};
use castproof::testee::builtin::Builtin;
use castproof_vectors::{DType, OutcomeRecord, Profile};

const PAIRS: [(DType, DType); 2] =
    [(DType::Float64, DType::Float32), (DType::Float32, DType::Float64)];

/// What a testee makes of a NaN code of a pair.
type OfNan = fn((DType, DType), u64) -> u64;

/// Bits of the exponent field and of the significand.
fn fields(dtype: DType) -> (u64, u64) {
    match dtype {
        DType::Float32 => (0xff << 23, (1 << 23) - 1),
        DType::Float64 => (0x7ff << 52, (1 << 52) - 1),
        other => panic!("{other} has no cast here"),
    }
}

fn is_nan(dtype: DType, code: u64) -> bool {
    let (exponent, significand) = fields(dtype);
    code & exponent == exponent && code & significand != 0
}

fn is_quiet(dtype: DType, code: u64) -> bool {
    is_nan(dtype, code) && code & (fields(dtype).1 + 1) >> 1 != 0
}

/// The payload without the quiet bit, by the width of the target's significand.
fn payload((from, to): (DType, DType), code: u64) -> u64 {
    let payload = code & fields(from).1 >> 1;
    if to == DType::Float32 { payload >> 29 } else { payload << 29 }
}

/// Gates a pair of wasm-sat. The testee makes of a NaN what `nan` says of the pair and the code.
fn gated(pair: (DType, DType), nan: OfNan) -> ResultsFile {
    let change = move |pair: (DType, DType), code, right| match is_nan(pair.0, code) {
        true => nan(pair, code),
        false => right,
    };
    let filters = Filters { from: Some(pair.0), to: Some(pair.1), opset: None };
    let options = Options { filters, ..without_arrangements() };
    run_of(Profile::WasmSat, &mut Changed { builtin: Builtin::new(), change }, options)
}

/// The sign of the source, at its place in the target.
fn sign((from, to): (DType, DType), code: u64) -> u64 {
    code >> (from.bits() - 1) << (to.bits() - 1)
}

fn quiet_bit(dtype: DType) -> u64 {
    (fields(dtype).1 + 1) >> 1
}

/// NaN codes without payload stay without, as they must; every other one is what `other` says.
fn unless_canonical(pair: (DType, DType), code: u64, other: u64) -> u64 {
    let is_canonical = code & fields(pair.0).1 == quiet_bit(pair.0);
    let rest = if is_canonical { quiet_bit(pair.1) } else { other };
    sign(pair, code) | fields(pair.1).0 | rest
}

/// A testee that copies the payload and leaves the quiet bit as it is passes all tests but those of signalling NaN.
#[test]
fn a_nan_that_stays_signalling_fails_and_is_named() {
    for pair in PAIRS {
        let file = gated(pair, |pair, code| {
            let quiet = if is_quiet(pair.0, code) { quiet_bit(pair.1) } else { 0 };
            unless_canonical(pair, code, (payload(pair, code) | quiet).max(1))
        });
        assert!(!file.passed, "{pair:?}");
        let failures = &file.results.failures;
        assert!(failures.len() >= 4, "{pair:?}: {failures:?}");
        for failure in failures {
            let input = failure.input.as_code().expect("a code");
            assert!(is_nan(pair.0, input) && !is_quiet(pair.0, input), "{failure:?}");
            assert_eq!(failure.clause, "WA-07");
            assert!(matches!(failure.expect, OutcomeRecord::QuietNan(_)), "{failure:?}");
        }
        let causes: Vec<_> = file.findings.iter().map(|it| it.cause.as_deref()).collect();
        assert_eq!(causes, [Some("a signalling NaN stays signalling")], "{pair:?}");
    }
}

/// A testee that gives a quiet NaN passes, whatever its sign and its payload.
#[test]
fn every_quiet_nan_passes() {
    let kernels: [OfNan; 4] = [
        |pair, code| unless_canonical(pair, code, payload(pair, code) | quiet_bit(pair.1)),
        |pair, code| unless_canonical(pair, code, fields(pair.1).1),
        |pair, code| unless_canonical(pair, code, quiet_bit(pair.1)),
        // The other sign.
        |pair, code| unless_canonical(pair, code, quiet_bit(pair.1) | 5) ^ 1 << (pair.1.bits() - 1),
    ];
    for pair in PAIRS {
        for (place, kernel) in kernels.into_iter().enumerate() {
            let file = gated(pair, kernel);
            assert!(file.passed, "{pair:?}, kernel {place}: {:?}", file.results.failures);
            assert!(file.totals.executed > 30, "{pair:?}");
        }
    }
}
