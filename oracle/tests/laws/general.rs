//! Laws of all casts.

use crate::{Draw, ask, code, config, is_float, record, requests, result, rounds_to_even, value};
use castproof_oracle::format::CodeKind;
use castproof_oracle::{Basis, Value, versions};
use castproof_vectors::{
    Attributes, DType, Operator, Outcome, Request, RuleId, Spec, cast_version, landmarks, rule,
};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use std::cmp::Ordering;

use DType::*;

proptest! {
    #![proptest_config(config())]

    #[test]
    fn outcomes_are_well_formed(request in requests(|_| true, |_| true), draw: Draw) {
        well_formed(&request, code(&request, draw))?;
    }

    /// A larger input never gives a smaller result. bool is left out because -1 and 1 are true and
    /// 0 between them is false.
    #[test]
    fn casts_are_monotone(
        request in requests(|_| true, |to| to != Bool),
        draws: (Draw, Draw),
    ) {
        monotone(&request, code(&request, draws.0), code(&request, draws.1))?;
    }

    /// If a result is cast back to the source and keeps its value, casting it again gives the same
    /// result.
    #[test]
    fn casts_are_idempotent(request in requests(|_| true, |_| true), draw: Draw) {
        idempotent(&request, code(&request, draw))?;
    }

    #[test]
    fn signs_are_symmetric(request in requests(is_signed, rounds_to_even), draw: Draw) {
        symmetric(&request, code(&request, draw))?;
    }

    #[test]
    fn widening_is_exact_and_returns(
        row in 0..WIDENING.len(),
        pick: [prop::sample::Index; 3],
        draw: Draw,
    ) {
        let (from, to) = (pick[0].get(WIDENING[row].0), pick[1].get(WIDENING[row].1));
        widens(*from, *to, pick[2], draw)?;
    }

    /// If the cast without saturation gives a number, the saturating cast gives the same number.
    #[test]
    fn saturation_changes_only_what_is_out_of_range(
        request in requests(|_| true, |to| is_float(to) && to.bits() == 8),
        draw: Draw,
    ) {
        saturates(&request, code(&request, draw))?;
    }

    /// T-06, T-07: an attribute that does not apply to the target changes nothing.
    #[test]
    fn foreign_attributes_are_ignored(request in requests(|_| true, |_| true), draw: Draw) {
        ignores(&request, code(&request, draw))?;
    }

    /// CL-01: CastLike is Cast, except that its function body drops `round_mode` (CL-04).
    #[test]
    fn castlike_is_cast(request in requests(|_| true, |_| true), draw: Draw) {
        let Spec::Onnx { op: Operator::CastLike, opset } = request.spec else {
            return Err(TestCaseError::reject("Cast"));
        };
        prop_assume!(request.to != Float8E8M0 || request.attributes.round_mode.is_none());
        let code = code(&request, draw);
        prop_assert_eq!(ask(&request, code), ask(&Request { spec: Spec::cast(opset), ..request }, code));
    }
}

/// Rules that are cited in place of the rules to which they refer, and B-08, which leaves only
/// bytes undefined that are no bool.
const REFERRING: [RuleId; 8] = [
    rule::B_08,
    rule::E8_14,
    rule::E8_22,
    rule::F4_09,
    rule::FI_06,
    rule::T_06,
    rule::T_07,
    rule::V9_01,
];

/// Checks an answer: its codes fit and are valid, its sets are sorted and have no repeats, no
/// tolerated code is also expected, its rule holds in the version, and only a rule that says so
/// leaves the case open.
fn well_formed(request: &Request, code: u64) -> TestCaseResult {
    let answer = ask(request, code);
    let target = landmarks(request.to).expect("numeric");
    for outcome in [Some(&answer.expect), answer.tolerate.as_ref()].into_iter().flatten() {
        let codes = match outcome {
            Outcome::Code(code) => vec![*code],
            Outcome::OneOf(codes) => {
                prop_assert!(codes.len() > 1 && codes.is_sorted_by(|a, b| a < b), "{answer:?}");
                codes.clone()
            }
            Outcome::AnyNan => {
                prop_assert!(!target.nan.is_empty(), "{} has no NaN", request.to);
                vec![]
            }
            Outcome::QuietNan => return Err(TestCaseError::fail("ONNX divides no NaN codes")),
            Outcome::Any => vec![],
            Outcome::Text(_) => return Err(TestCaseError::fail("a text of a numeric cast")),
            Outcome::Reject => return Err(TestCaseError::fail("refused")),
        };
        for code in codes {
            prop_assert!(code <= request.to.code_mask() && target.is_valid(code), "{answer:?}");
            let repeated = Some(outcome) == answer.tolerate.as_ref()
                && crate::common::admits(&answer.expect, request.to, code);
            prop_assert!(!repeated, "{answer:?}");
        }
    }
    let (op, version) = (request.spec.op().expect("of ONNX"), request.spec.version());
    let version = version.expect("exists").expect("of ONNX");
    let rule = answer.rule.rule();
    let of_cast = rule.holds_in("onnx-cast", Some(cast_version(op, version)));
    let of_cast_like = op == Operator::CastLike && rule.holds_in("onnx-castlike", Some(version));
    prop_assert!(of_cast || of_cast_like, "{answer:?}");
    let open = answer.expect == Outcome::Any && !REFERRING.contains(&rule.id);
    prop_assert!(!open || rule.basis == Basis::Undefined, "{answer:?}");
    Ok(())
}

fn monotone(request: &Request, x: u64, y: u64) -> TestCaseResult {
    let (Some(u), Some(v)) = (result(request, x), result(request, y)) else {
        return Err(TestCaseError::reject("not a single code"));
    };
    let (from, to) = (request.from, request.to);
    if !is_float(from) && !is_float(to) {
        let wraps = value(from, x) != value(to, u) || value(from, y) != value(to, v);
        prop_assume!(!wraps);
    }
    let before = order(&value(from, x), &value(from, y));
    let after = order(&value(to, u), &value(to, v));
    let (Some(before), Some(after)) = (before, after) else {
        return Err(TestCaseError::reject("NaN has no order"));
    };
    let keeps = after == before || after == Ordering::Equal;
    prop_assert!(keeps, "{request}: {x:#x} and {y:#x} give {u:#x} and {v:#x}");
    Ok(())
}

/// Returns the order of two values; both zeros are equal. `None` if one is NaN.
fn order(x: &Value, y: &Value) -> Option<Ordering> {
    let side = |value: &Value| match value {
        Value::Infinite { negative } => Some(if *negative { -1 } else { 1 }),
        Value::Finite { .. } => Some(0),
        Value::Nan { .. } => None,
    };
    Some(side(x)?.cmp(&side(y)?).then_with(|| x.number().cmp(&y.number())))
}

fn idempotent(request: &Request, x: u64) -> TestCaseResult {
    let back = Request { from: request.to, to: request.from, ..*request };
    let there = result(request, x);
    let returned = there.and_then(|there| result(&back, there));
    let (Some(there), Some(returned)) = (there, returned) else {
        return Err(TestCaseError::reject("not a single code"));
    };
    let middle = value(request.to, there);
    prop_assume!(!matches!(middle, Value::Nan { .. }));
    prop_assume!(value(request.from, returned) == middle);
    prop_assert_eq!(result(request, returned), Some(there));
    Ok(())
}

fn is_signed(dtype: DType) -> bool {
    match record(dtype) {
        CodeKind::Bool => false,
        CodeKind::Integer(format) => format.signed,
        CodeKind::Float(format) => format.signed,
    }
}

fn symmetric(request: &Request, x: u64) -> TestCaseResult {
    let minus_x = negated(request.from, x);
    prop_assume!(minus_x.is_some());
    let (here, there) = (ask(request, x), ask(request, minus_x.expect("assumed")));
    let mirrored = |outcome: &Outcome| {
        // If a format has only one NaN or only one zero, it is its own mirror image.
        let mirror = |code: u64| negated(request.to, code).unwrap_or(code);
        match outcome {
            Outcome::Code(code) => Outcome::Code(mirror(*code)),
            Outcome::OneOf(codes) => Outcome::one_of(codes.iter().map(|&code| mirror(code))),
            other => other.clone(),
        }
    };
    prop_assert_eq!(mirrored(&here.expect), there.expect);
    prop_assert_eq!(here.tolerate.as_ref().map(mirrored), there.tolerate);
    Ok(())
}

/// Returns the code of the negated number or infinity; `None` for NaN and if there is no such code.
fn negated(dtype: DType, code: u64) -> Option<u64> {
    let target = match value(dtype, code) {
        Value::Nan { .. } => return None,
        Value::Infinite { negative } => Value::Infinite { negative: !negative },
        Value::Finite { negative, magnitude } => Value::Finite { negative: !negative, magnitude },
    };
    let candidate = match record(dtype) {
        CodeKind::Float(_) => code ^ 1 << (dtype.bits() - 1),
        _ => code.wrapping_neg() & dtype.code_mask(),
    };
    (value(dtype, candidate) == target).then_some(candidate)
}

/// Sources and targets: each target holds every number of each source, with zeros and infinities.
const WIDENING: [(&[DType], &[DType]); 13] = [
    (&FLOAT8, &[Float16, Bfloat16, Float32, Float64]),
    (&[Float4E2M1, Float6E2M3, Float6E3M2], &[Float16, Bfloat16, Float32, Float64]),
    (&[Float4E2M1], &[Float6E2M3, Float6E3M2, Float8E4M3FN, Float8E5M2]),
    (&[Float6E2M3, Float6E3M2], &[Float8E4M3FN]),
    (&[Float8E8M0], &[Bfloat16, Float32, Float64]),
    (&[Float16, Bfloat16], &[Float32, Float64]),
    (&[Float32], &[Float64]),
    (&[Bool, Int2, Uint2], &[Float4E2M1, Float6E2M3, Float8E4M3FN, Float8E5M2FNUZ]),
    (&[Bool, Int2, Uint2, Int4], &FLOAT8),
    (&[Int2, Int4, Int8, Uint4, Uint8], &[Int16, Int64, Float16, Bfloat16, Float32, Float64]),
    (&[Uint2, Uint4, Uint8, Uint16], &[Uint32, Int32, Uint64, Int64, Float32, Float64]),
    (&[Int8, Int16, Int32], &[Int64, Float64]),
    (&[Bool, Uint8, Uint16, Uint32], &[Uint64, Int64, Float64]),
];

const FLOAT8: [DType; 4] = [Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2, Float8E5M2FNUZ];

fn widens(from: DType, to: DType, version: prop::sample::Index, draw: Draw) -> TestCaseResult {
    let open: Vec<u32> = versions(Operator::Cast)
        .iter()
        .copied()
        .filter(|&version| {
            let set = castproof_oracle::type_set(Operator::Cast, version);
            set.contains(&from) && set.contains(&to)
        })
        .collect();
    let opset = *version.get(&open);
    let attributes = Attributes { saturate: (opset >= 19).then_some(false), round_mode: None };
    let there = Request::cast(from, to, opset).with(attributes);
    let back = Request::cast(to, from, opset).with(attributes);
    let x = code(&there, draw);
    let narrow = value(from, x);
    prop_assume!(!matches!(narrow, Value::Nan { .. }));
    let wide = result(&there, x);
    prop_assert_eq!(wide.map(|wide| value(to, wide)), Some(narrow));
    prop_assert_eq!(wide.and_then(|wide| result(&back, wide)), Some(x));
    Ok(())
}

fn saturates(request: &Request, code: u64) -> TestCaseResult {
    prop_assume!(request.spec.opset() >= Some(19));
    let with = |saturate| {
        let attributes = Attributes { saturate: Some(saturate), ..request.attributes };
        result(&request.with(attributes), code)
    };
    let unsaturated = with(false);
    prop_assume!(unsaturated.is_some());
    let unsaturated = unsaturated.expect("assumed");
    prop_assume!(matches!(value(request.to, unsaturated), Value::Finite { .. }));
    prop_assert_eq!(with(true), Some(unsaturated));
    Ok(())
}

fn ignores(request: &Request, code: u64) -> TestCaseResult {
    let float8 = is_float(request.to) && request.to.bits() == 8;
    let scale = request.to == Float8E8M0;
    let own = Attributes {
        saturate: request.attributes.saturate.filter(|_| float8),
        round_mode: request.attributes.round_mode.filter(|_| scale),
    };
    prop_assume!(own != request.attributes);
    let (with, without) = (ask(request, code), ask(&request.with(own), code));
    prop_assert_eq!((with.expect, with.tolerate), (without.expect, without.tolerate));
    Ok(())
}
