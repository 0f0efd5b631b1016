//! Laws of integer and bool targets.

use crate::{Draw, ask, code, config, is_float, record, requests, result, value};
use castproof_oracle::Value;
use castproof_oracle::format::CodeKind;
use castproof_oracle::number::{Integer, Rational};
use castproof_vectors::{DType, Outcome, Request};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;

proptest! {
    #![proptest_config(config())]

    /// A cast rounds toward zero. It is undefined exactly if the integral part of the number is out
    /// of range.
    #[test]
    fn floats_lose_their_fraction(
        request in requests(is_float, |to| is_integer(to) && to.bits() >= 8),
        draw: Draw,
    ) {
        truncates(&request, code(&request, draw))?;
    }

    /// A cast to 2 or 4 bits rounds to the nearest integer, ties to even. It is undefined exactly
    /// if that integer is out of range.
    #[test]
    fn floats_round_to_narrow_integers(
        request in requests(is_float, |to| is_integer(to) && to.bits() < 8),
        draw: Draw,
    ) {
        rounds(&request, code(&request, draw))?;
    }

    /// The result is congruent to the number modulo 2^bits.
    #[test]
    fn integers_wrap(request in requests(|from| !is_float(from), is_integer), draw: Draw) {
        let x = code(&request, draw);
        let wrapped = result(&request, x).map(|u| integer(request.to, u));
        prop_assert!(wrapped.is_some(), "{} of {:#x} is not one code", request, x);
        let change = wrapped.expect("asserted") - integer(request.from, x);
        let rest = change.keep_bits_ref(request.to.bits());
        prop_assert!(Integer::from(rest) == 0, "{} of {:#x}", request, x);
    }

    #[test]
    fn only_zero_is_false(request in requests(|_| true, |to| to == DType::Bool), draw: Draw) {
        let x = code(&request, draw);
        let zero = value(request.from, x).number().is_some_and(|number| number == 0);
        prop_assert_eq!(ask(&request, x).expect, Outcome::Code(u64::from(!zero)));
    }
}

fn is_integer(dtype: DType) -> bool {
    matches!(record(dtype), CodeKind::Integer(_))
}

/// Returns the first and the last integer of a dtype.
fn range(dtype: DType) -> (Integer, Integer) {
    let CodeKind::Integer(format) = record(dtype) else { unreachable!("integer dtypes only") };
    let size = Integer::from(1) << format.bits;
    let first = if format.signed { -Integer::from(&size >> 1u32) } else { Integer::new() };
    let last = &first + size - 1u32;
    (first, last)
}

fn integer(dtype: DType, code: u64) -> Integer {
    value(dtype, code).number().expect("integers are numbers").into_numer_denom().0
}

fn truncates(request: &Request, x: u64) -> TestCaseResult {
    let (first, last) = range(request.to);
    let (below, above) = (Rational::from(first - 1u32), Rational::from(last + 1u32));
    let answer = ask(request, x).expect;
    let Some(number) = value(request.from, x).number() else {
        prop_assert_eq!(answer, Outcome::Any);
        return Ok(());
    };
    if number <= below || number >= above {
        prop_assert_eq!(answer, Outcome::Any);
        return Ok(());
    }
    let Outcome::Code(u) = answer else {
        return Err(TestCaseError::fail(format!("{request} of {x:#x} is in range")));
    };
    let kept = integer(request.to, u);
    let lost = Rational::from(&number - &kept);
    let toward_zero = if number < 0 { lost <= 0 && kept <= 0 } else { lost >= 0 && kept >= 0 };
    prop_assert!(toward_zero && lost.abs() < 1, "{request} of {x:#x} gives {kept}");
    Ok(())
}

fn rounds(request: &Request, x: u64) -> TestCaseResult {
    let half = Rational::from((1, 2));
    let is_nearest = |number: &Rational, integer: &Integer| {
        let distance = Rational::from(number - integer).abs();
        distance < half || (distance == half && !integer.is_odd())
    };
    let nearest = match value(request.from, x) {
        Value::Finite { .. } => {
            let number = value(request.from, x).number().expect("finite");
            (0..=request.to.code_mask())
                .find(|&code| is_nearest(&number, &integer(request.to, code)))
        }
        _ => None,
    };
    prop_assert_eq!(ask(request, x).expect, nearest.map_or(Outcome::Any, Outcome::Code));
    Ok(())
}
