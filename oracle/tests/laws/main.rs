//! Laws of casts, tested with random requests over all pairs, versions and attributes, and with
//! random codes.
//!
//! A law states what the result must be, not how it is computed. It uses the exact values of codes
//! and none of the oracle's rounding.
#![cfg_attr(
    not(feature = "gmp"),
    allow(
        clippy::cmp_owned,
        clippy::useless_conversion,
        reason = "an operation on GMP's integers is carried out by its conversion"
    )
)]

#[path = "../common/mod.rs"]
mod common;
mod float;
mod general;
mod integer;

use castproof_oracle::decode::decode;
use castproof_oracle::format::{CodeKind, kind};
use castproof_oracle::{Value, cast, type_set, versions};
use castproof_vectors::{
    Attributes, DType, Expectation, Operator, Outcome, Request, RoundMode, Spec,
};
use common::Nearby;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

/// Returns how many cases test each law. Cases to which the law does not apply are rejected and do
/// not count.
pub(crate) fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 10_000,
        max_global_rejects: 1_000_000,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    }
}

/// Generates requests that are not refused, from the dtypes of `from` to the dtypes of `to`.
pub(crate) fn requests(
    from: impl Fn(DType) -> bool,
    to: impl Fn(DType) -> bool,
) -> impl Strategy<Value = Request> {
    let all = |choice: &dyn Fn(DType) -> bool| -> Vec<DType> {
        DType::NUMERIC.iter().copied().filter(|&dtype| choice(dtype)).collect()
    };
    let from = proptest::sample::select(all(&from));
    let to = proptest::sample::select(all(&to));
    let op = prop_oneof![3 => Just(Operator::Cast), 1 => Just(Operator::CastLike)];
    let saturate = any::<Option<bool>>();
    let round_mode = proptest::option::of(proptest::sample::select(RoundMode::CAST.to_vec()));
    (op, from, to, any::<proptest::sample::Index>(), saturate, round_mode).prop_filter_map(
        "CastLike has no float6",
        |(op, from, to, version, saturate, round_mode)| {
            let open: Vec<u32> = versions(op)
                .iter()
                .copied()
                .filter(|&version| {
                    let set = type_set(op, version);
                    set.contains(&from) && set.contains(&to)
                })
                .collect();
            let opset = *open.get(version.index(open.len().max(1)))?;
            let attributes = Attributes {
                saturate: saturate.filter(|_| opset >= 19),
                round_mode: round_mode.filter(|_| opset >= 24),
            };
            Some(Request { spec: Spec::Onnx { op, opset }, from, to, attributes })
        },
    )
}

/// The random numbers of a code. One code of four is uniform; the others are near the numbers of
/// the target.
pub(crate) type Draw = (u8, [u64; 2]);

/// Returns the code of a draw. bool has only the codes 0 and 1.
pub(crate) fn code(request: &Request, (choice, random): Draw) -> u64 {
    match request.from {
        DType::Bool => random[0] & 1,
        from if choice % 4 == 0 => random[0] & from.code_mask(),
        from => Nearby::new(from, request.to).code(random),
    }
}

/// Returns the oracle's answer.
pub(crate) fn ask(request: &Request, code: u64) -> Expectation {
    cast(request, code).expect("a request that is not refused and a code that fits")
}

/// Returns the result if a single code is expected.
pub(crate) fn result(request: &Request, code: u64) -> Option<u64> {
    match ask(request, code).expect {
        Outcome::Code(code) => Some(code),
        _ => None,
    }
}

/// Returns the exact value of a code.
pub(crate) fn value(dtype: DType, code: u64) -> Value {
    decode(&record(dtype), code).expect("a code that stands for something")
}

/// Returns the format of a numeric dtype.
pub(crate) fn record(dtype: DType) -> CodeKind {
    kind(dtype).expect("a numeric dtype")
}

pub(crate) fn is_float(dtype: DType) -> bool {
    matches!(record(dtype), CodeKind::Float(_))
}

/// Is it a float that rounds to nearest even? Only float8e8m0 does not.
pub(crate) fn rounds_to_even(dtype: DType) -> bool {
    is_float(dtype) && dtype != DType::Float8E8M0
}
