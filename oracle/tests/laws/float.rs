//! Laws of float targets.

use crate::{Draw, ask, code, config, is_float, record, requests, result, rounds_to_even, value};
use castproof_oracle::Value;
use castproof_oracle::decode::finite;
use castproof_oracle::format::{CodeKind, FloatFormat, ZeroEncoding};
use castproof_oracle::number::Rational;
use castproof_vectors::{DType, Operator, Outcome, Request, RoundMode, landmarks};
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use std::cmp::Ordering;

proptest! {
    #![proptest_config(config())]

    /// No number of the target is closer than the result. If two are equally close, the result is
    /// the even one.
    #[test]
    fn numbers_in_range_go_to_the_nearest(
        request in requests(|_| true, rounds_to_even),
        draw: Draw,
    ) {
        nearest(&request, code(&request, draw))?;
    }

    /// A number overflows if it is nearer to the number that would follow the largest than to the
    /// largest itself. A tie goes to the even one.
    #[test]
    fn numbers_beyond_the_largest_overflow(
        request in requests(
            |from| from.bits() > 4,
            |to| rounds_to_even(to) && to != DType::Float64,
        ),
        draw: Draw,
    ) {
        overflows(&request, code(&request, beside_largest(request.to, draw)))?;
    }

    /// The result in float8e8m0 is the power of two above, below or nearest, as the mode says.
    #[test]
    fn scales_bracket_the_number(
        request in requests(|_| true, |to| to == DType::Float8E8M0),
        draw: Draw,
    ) {
        brackets(&request, code(&request, draw))?;
    }
}

fn float_format(dtype: DType) -> FloatFormat {
    match record(dtype) {
        CodeKind::Float(format) => format,
        _ => unreachable!("float targets only"),
    }
}

fn nearest(request: &Request, x: u64) -> TestCaseResult {
    let format = float_format(request.to);
    let (negative, magnitude) = number(request.from, x)?;
    let largest = format.largest_code();
    prop_assume!(magnitude <= finite(&format, largest));
    let Some(code) = result(request, x) else {
        return Err(TestCaseError::fail(format!("{request} of {x:#x} is not one code")));
    };
    let sign = code & format.sign_bit();
    let rounded = code & format.magnitude_mask();
    prop_assert!(rounded <= largest, "{request} of {x:#x} is not finite");
    let distance = |code: u64| (finite(&format, code) - &magnitude).abs();
    let others = if format.magnitude_bits() < 8 {
        0..=largest
    } else {
        rounded.saturating_sub(1)..=(rounded + 1).min(largest)
    };
    for other in others.filter(|&other| other != rounded) {
        let closer = match distance(other).cmp(&distance(rounded)) {
            Ordering::Less => true,
            Ordering::Equal => rounded % 2 == 1,
            Ordering::Greater => false,
        };
        prop_assert!(!closer, "{request} of {x:#x}: {other:#x} rather than {rounded:#x}");
    }
    // A zero of a format without negative zero has no sign; an integer zero is positive.
    let signless = rounded == 0 && format.zero != ZeroEncoding::Signed;
    prop_assert_eq!(sign != 0, negative && !signless, "sign of {} of {:#x}", request, x);
    Ok(())
}

/// Moves a draw to the largest number of the target, of either sign.
fn beside_largest(to: DType, (choice, [number, noise]): Draw) -> Draw {
    let format = float_format(to);
    let sign = if choice % 2 == 0 { 0 } else { format.sign_bit() };
    (1, [number & !to.code_mask() | format.largest_code() | sign, noise])
}

fn overflows(request: &Request, x: u64) -> TestCaseResult {
    let format = float_format(request.to);
    let (negative, magnitude) = number(request.from, x)?;
    let largest = finite(&format, format.largest_code());
    prop_assume!(magnitude > largest);
    let unit = &largest - finite(&format, format.largest_code() - 1);
    let limit = &largest + (unit >> 1u32);
    let even = format.largest_code().is_multiple_of(2);
    let rounds_back = magnitude < limit || (magnitude == limit && even);
    let narrow = request.to.bits() < 8;
    let saturates = request.to.bits() == 8 && request.attributes.saturate != Some(false);
    let sign = if negative { format.sign_bit() } else { 0 };
    let answer = ask(request, x).expect;
    if rounds_back || narrow || saturates {
        prop_assert_eq!(answer, Outcome::Code(format.largest_code() | sign));
    } else if format.infinities {
        prop_assert_eq!(answer, Outcome::Code(format.top_binade() | sign));
    } else {
        let landmarks = landmarks(request.to).expect("numeric");
        let is_nan = match answer {
            Outcome::Code(code) => {
                landmarks.is_nan(code) && landmarks.nan == [[landmarks.nan[0][0]; 2]]
            }
            other => other == Outcome::AnyNan,
        };
        prop_assert!(is_nan, "{request} of {x:#x}");
    }
    Ok(())
}

fn brackets(request: &Request, x: u64) -> TestCaseResult {
    // CastLike's body may drop the mode (CL-04).
    prop_assume!(request.spec.op() == Some(Operator::Cast));
    let (negative, x_magnitude) = number(request.from, x)?;
    let (smallest, largest) = (Rational::from(1) >> 127u32, Rational::from(1) << 127u32);
    prop_assume!(!negative && (smallest..=largest).contains(&x_magnitude));
    let Some(code) = result(request, x) else {
        return Err(TestCaseError::fail(format!("{request} of {x:#x} is not one code")));
    };
    prop_assume!(is_float(request.to));
    // The quotient of the number and the result. The mode decides in which range it lies.
    let quotient = x_magnitude / (Rational::from(1) << (code as i32 - 127));
    let ratio = |numer, denom| Rational::from((numer, denom));
    let holds = match request.attributes.round_mode.unwrap_or(RoundMode::Up) {
        RoundMode::Up => quotient > ratio(1, 2) && quotient <= 1,
        RoundMode::Down => (ratio(1, 1)..ratio(2, 1)).contains(&quotient),
        RoundMode::Nearest => quotient >= ratio(3, 4) && quotient < ratio(3, 2),
        other => unreachable!("Cast has no round mode {}", other.name()),
    };
    prop_assert!(holds, "{request} of {x:#x} gives {code:#x}");
    Ok(())
}

/// Returns the sign and the magnitude of a finite code.
fn number(dtype: DType, code: u64) -> Result<(bool, Rational), TestCaseError> {
    match value(dtype, code) {
        Value::Finite { negative, magnitude } => Ok((negative, magnitude)),
        _ => Err(TestCaseError::reject("not a number")),
    }
}
