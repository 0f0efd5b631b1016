use super::{Outcome, Seen, methods};
use crate::draw::Draw;
use crate::kernel::{ask_codes, check};
use crate::request::request_of_words;
use castproof_impl::Cast;
use castproof_vectors::DType::{
    self, Bfloat16, Float8E4M3FN, Float16, Float32, Int8, Int32, Int64,
};
use castproof_vectors::random::Random;
use castproof_vectors::{NEWEST, Request};

fn right(from: DType, to: DType) -> impl Fn(u64) -> u64 {
    let cast = Cast::new(from, to).expect("a pair");
    move |code| cast.code(code).expect("a code")
}

fn said(found: Result<crate::Checked, crate::Failed>) -> String {
    let text = found.expect_err("it is wrong").to_string();
    text.lines().next().unwrap_or_default().to_string()
}

#[test]
fn a_wrong_method_is_named() {
    let half = right(Float32, Float16);
    let flushes = |x: f32| {
        let code = half(x.to_bits().into()) as u16;
        if code & 0x7c00 == 0 { code & 0x8000 } else { code }
    };
    let first = said(check(Float32, Float16, flushes));
    assert!(
        first.contains("codes are wrong: subnormal result flushed to zero: inputs from"),
        "{first}"
    );

    let first = said(check(Float32, Bfloat16, |x: f32| (x.to_bits() >> 16) as u16));
    assert!(first.contains("rounded toward zero"), "{first}");

    let first = said(check(Int64, Int8, |x: i64| x.clamp(-128, 127) as i8));
    assert!(first.contains("wrong: out of range clamped: inputs from"), "{first}");

    let first = said(check(Float32, Int32, |x: f32| x as i32 as u32 ^ u32::from(x == 1.0)));
    assert!(first.ends_with("wrong: the input 1"), "{first}");

    let first = said(check(Float32, Float16, |_: f32| 0u16));
    assert!(first.ends_with("always the same result, 0"), "{first}");

    let clamps = |x: f32| match half(x.to_bits().into()) as u16 {
        code if code & 0x7fff == 0x7c00 => code - 1,
        code => code,
    };
    let first = said(check(Float32, Float16, clamps));
    assert!(first.contains("inputs from -Inf to Inf"), "{first}");

    let nan = |x: f32| if x.is_nan() { 0 } else { half(x.to_bits().into()) as u16 };
    let first = said(check(Float32, Float16, nan));
    assert!(first.ends_with("wrong: NaN becomes zero"), "{first}");
}

/// NaN has a fault of its own beside flushed subnormal results.
#[test]
fn a_wrong_nan_is_said_apart() {
    let half = right(Float32, Float16);
    let two = |x: f32| match half(x.to_bits().into()) as u16 {
        _ if x.is_nan() => 0,
        code if code & 0x7c00 == 0 => code & 0x8000,
        code => code,
    };
    let first = said(check(Float32, Float16, two));
    assert!(first.contains("wrong: subnormal result flushed to zero: inputs from"), "{first}");
    assert!(first.ends_with("; NaN becomes zero"), "{first}");
}

/// A wrong result where several are right is explained by no method.
#[test]
fn a_wrong_result_among_several_right_ones_rules_methods_out() {
    let element = |input, got, due, is_wrong| Seen { input, got, due, is_wrong };
    let clamped = element(300, 127, Outcome::Code(0x2c), true);
    let all = [clamped, element(1, 1, Outcome::Code(1), false)];
    let draw = Draw::of(&Request::cast(Int32, Int8, NEWEST)).expect("a request");
    assert_eq!(methods(&draw, &all), ["out of range clamped"]);
    let other = element(2, 9, Outcome::OneOf(vec![2, 3]), true);
    assert!(methods(&draw, &[&all[..], &[other]].concat()).is_empty());
}

/// A right result that a method would spoil rules it out.
#[test]
fn a_method_that_is_contradicted_is_not_named() {
    let narrow = right(Float32, Bfloat16);
    let mixed = |x: f32| match x.to_bits() >> 23 & 1 {
        0 => (x.to_bits() >> 16) as u16,
        _ => narrow(x.to_bits().into()) as u16,
    };
    let first = said(check(Float32, Bfloat16, mixed));
    assert!(!first.contains("rounded toward zero") && !first.contains("dropped"), "{first}");
}

#[test]
fn ties_are_told_from_rounding() {
    let away = |x: f32| {
        let (bits, sign) = (x.to_bits() & 0x7fff_ffff, (x.to_bits() >> 16) as u16 & 0x8000);
        if x.is_nan() { 0x7fc0 } else { sign | ((bits + 0x8000) >> 16) as u16 }
    };
    let first = said(check(Float32, Bfloat16, away));
    assert!(first.contains("wrong: ties rounded away from zero: "), "{first}");
}

/// A kernel with one fault: what it gives for a code whose right result is the second one.
type Kernel = fn(u64, u64) -> u64;

/// Dtypes and words of a cast, the cause that is named, and a kernel.
type Planted = (&'static str, &'static str, &'static str, &'static str, Kernel);

fn single(code: u64) -> f32 {
    f32::from_bits(code as u32)
}

fn cast(from: DType, to: DType, code: u64) -> u64 {
    Cast::new(from, to).and_then(|it| it.code(code)).expect("a code")
}

fn or_nan(code: u64, right: u64, result: u64) -> u64 {
    if single(code).is_nan() { right } else { result }
}

/// Numbers of float32 that are rounded up in magnitude to float16.
fn is_rounded_up(code: u64, right: u64) -> bool {
    single(cast(Float16, Float32, right)).abs() > single(code).abs()
}

/// Shifts the significand of a float32 by the low bits of the distance.
fn shifted(code: u64, right: u64, mask: u64) -> u64 {
    let exponent = (code >> 23 & 0xff).max(1);
    if exponent >= 150 {
        return right;
    }
    let hidden = if code >> 23 & 0xff == 0 { 0 } else { 0x80_0000 };
    let whole = (hidden | code & 0x7f_ffff) >> ((150 - exponent) & mask).min(63);
    if single(code) < 0.0 { whole.wrapping_neg() } else { whole }
}

const NUMBERS: [Planted; 33] = [
    ("float16", "float32", "", "subnormal input flushed to zero", |code, right| {
        if code & 0x7c00 == 0 { right & 0x8000_0000 } else { right }
    }),
    ("float32", "float16", "", "subnormal result flushed to zero", |_, right| {
        if right & 0x7c00 == 0 { right & 0x8000 } else { right }
    }),
    (
        "float32",
        "float16",
        "",
        "zero below the smallest subnormal, before rounding",
        |code, right| if single(code).abs() < 2f32.powi(-24) { right & 0x8000 } else { right },
    ),
    ("float64", "float16", "spec=cuda-cvt", "rounded through float32", |code, right| {
        let narrowed = u64::from((f64::from_bits(code) as f32).to_bits());
        if f64::from_bits(code).is_nan() { right } else { cast(Float32, Float16, narrowed) }
    }),
    ("float32", "float8e4m3fn", "", "rounded through float16", |code, right| {
        or_nan(code, right, cast(Float16, Float8E4M3FN, cast(Float32, Float16, code)))
    }),
    ("float32", "float8e4m3fn", "", "rounded through bfloat16", |code, right| {
        or_nan(code, right, cast(Bfloat16, Float8E4M3FN, cast(Float32, Bfloat16, code)))
    }),
    ("int64", "float32", "", "rounded through float64", |code, _| {
        u64::from((code as i64 as f64 as f32).to_bits())
    }),
    (
        "float32",
        "bfloat16",
        "",
        "rounded toward zero, or low half of the source dropped",
        |code, right| or_nan(code, right, code >> 16),
    ),
    ("float32", "bfloat16", "", "rounded away from zero", |code, right| {
        or_nan(code, right, (code + 0xffff) >> 16)
    }),
    ("float32", "int32", "spec=rust-as", "rounded toward minus infinity", |code, _| {
        u64::from(single(code).floor() as i32 as u32)
    }),
    ("float32", "int32", "spec=rust-as", "rounded toward plus infinity", |code, _| {
        u64::from(single(code).ceil() as i32 as u32)
    }),
    (
        "float32",
        "int32",
        "spec=rust-as",
        "rounded to the nearest integer, ties to even",
        |code, _| u64::from(single(code).round_ties_even() as i32 as u32),
    ),
    (
        "float32",
        "int32",
        "spec=rust-as",
        "rounded to the nearest integer, ties away from zero",
        |code, _| u64::from(single(code).round() as i32 as u32),
    ),
    ("float32", "bfloat16", "", "ties rounded away from zero", |code, right| {
        or_nan(code, right, (code + 0x8000) >> 16)
    }),
    ("float32", "float16", "", "the carry of the significand lost", |code, right| {
        let is_power = right & 0x3ff == 0 && right & 0x7fff > 0x400;
        let is_lost = is_power && single(code).abs() < 65504.0 && is_rounded_up(code, right);
        if is_lost { right - 0x400 } else { right }
    }),
    ("float32", "float16", "", "the carry from subnormal to normal lost", |code, right| {
        let is_carried = right & 0x7fff == 0x400 && is_rounded_up(code, right);
        if is_carried { right - 0x400 } else { right }
    }),
    ("float32", "int64", "", "a shift modulo 64", |code, right| shifted(code, right, 63)),
    ("float32", "int32", "", "a shift modulo 32", |code, right| {
        shifted(code, right, 31) & 0xffff_ffff
    }),
    ("int64", "int8", "", "out of range clamped", |code, _| {
        u64::from((code as i64).clamp(-128, 127) as u8)
    }),
    ("float32", "int8", "spec=rust-as", "out of range wrapped", |code, right| {
        let number = single(code);
        if number.is_finite() { u64::from((number % 256.0) as i32 as u8) } else { right }
    }),
    (
        "float32",
        "uint32",
        "",
        "through the signed integer of the same width, which saturates",
        |code, _| u64::from(single(code) as i32 as u32),
    ),
    (
        "float32",
        "uint32",
        "",
        "through the signed integer of the same width, beyond which only the highest bit is set",
        |code, right| if single(code) >= 2f32.powi(31) { 1 << 31 } else { right },
    ),
    ("uint64", "float32", "", "sign extended where there is none", |code, _| {
        u64::from((code as i64 as f32).to_bits())
    }),
    ("int32", "float32", "", "sign not extended", |code, _| u64::from((code as f32).to_bits())),
    (
        "float32",
        "float16",
        "",
        "sign of zero lost",
        |_, right| {
            if right == 0x8000 { 0 } else { right }
        },
    ),
    ("int32", "float32", "", "negative numbers become zero", |code, right| {
        if (code as i32) < 0 { 0 } else { right }
    }),
    ("bool", "int32", "", "true becomes all ones", |code, _| code * 0xffff_ffff),
    ("int64", "float32", "", "low half of the source dropped", |code, _| {
        u64::from(((code >> 32 << 32) as i64 as f32).to_bits())
    }),
    ("int64", "int32", "", "the other half of the code", |code, _| code >> 32),
    ("int32", "float32", "", "code copied", |code, _| code),
    ("uint16", "float32", "", "bytes of the input swapped", |code, _| {
        u64::from(f32::from((code as u16).swap_bytes()).to_bits())
    }),
    ("uint16", "float32", "", "bytes of the output swapped", |_, right| {
        u64::from((right as u32).swap_bytes())
    }),
    ("int32", "int8", "", "every bit of the result inverted", |_, right| right ^ 0xff),
];

const TRUTHS: [Planted; 7] = [
    ("float32", "bool", "", "truth inverted", |_, right| right ^ 1),
    ("float32", "bool", "", "truth taken from the code", |code, _| u64::from(code != 0)),
    ("float32", "bool", "", "truth taken from the integral part", |code, right| {
        or_nan(code, right, u64::from(single(code).trunc() != 0.0))
    }),
    ("int32", "bool", "", "truth taken from the lowest byte", |code, _| u64::from(code as u8 != 0)),
    ("int32", "bool", "", "truth taken from the lowest bit", |code, _| code & 1),
    (
        "float32",
        "bool",
        "",
        "truth taken from the lowest bit of the integral part",
        |code, right| match single(code) {
            number if number.is_finite() => u64::from(number.trunc() % 2.0 != 0.0),
            _ => right,
        },
    ),
    ("int64", "bool", "", "low half of the source dropped", |code, _| u64::from(code >> 32 != 0)),
];

const NANS: [Planted; 9] = [
    ("float32", "float16", "", "NaN becomes infinity", |code, right| {
        if single(code).is_nan() { 0x7c00 } else { right }
    }),
    ("float32", "float16", "", "NaN becomes the largest", |code, right| {
        if single(code).is_nan() { 0x7bff } else { right }
    }),
    ("float32", "int8", "spec=rust-as", "NaN becomes the largest", |code, right| {
        if single(code).is_nan() { 127 } else { right }
    }),
    ("float32", "bfloat16", "", "NaN cut off to infinity", |code, right| {
        if single(code).is_nan() { code >> 16 } else { right }
    }),
    ("float32", "bfloat16", "", "NaN rounded as if it were a number", |code, _| {
        (code + 0x7fff + (code >> 16 & 1)) >> 16 & 0xffff
    }),
    ("float64", "float32", "spec=wasm-sat", "a signalling NaN stays signalling", |code, right| {
        let payload = code & 0x000f_ffff_ffff_ffff;
        match code >> 52 & 0x7ff == 0x7ff && payload != 0 && payload >> 51 == 0 {
            true => code >> 63 << 31 | 0x7f80_0000 | (payload >> 29).max(1),
            false => right,
        }
    }),
    ("float8e4m3fn", "float32", "", "NaN read as a number", |code, right| match code {
        0x7f => u64::from(480f32.to_bits()),
        0xff => u64::from((-480f32).to_bits()),
        _ => right,
    }),
    ("float8e4m3fnuz", "float32", "", "NaN becomes zero, or NaN read as -0", |code, right| {
        if code == 0x80 { 0x8000_0000 } else { right }
    }),
    (
        "float32",
        "bool",
        "",
        "NaN taken for false",
        |code, right| {
            if single(code).is_nan() { 0 } else { right }
        },
    ),
];

/// Codes that each kernel is asked.
const CODES: usize = 4000;

/// The cause that is named for a kernel; nothing if it passes.
fn named(&(from, to, words, _, kernel): &Planted, is_near: bool) -> String {
    let request = request_of_words(from, to, words).expect("a request");
    let draw = Draw::of(&request).expect("a request of the book");
    let cast = right_of(&draw);
    let mut codes = draw.batch(&mut Random::new(7), CODES);
    let negative_zero = 1 << (request.from.bits() - 1);
    codes.extend(Some(negative_zero).filter(|code| draw.is_cast(*code)));
    let given = |code: u64| match cast(code) {
        // A near kernel is right for half of the codes.
        Some(right) if is_near && code.count_ones() % 2 == 1 => Some(right),
        Some(right) => Some(kernel(code, right)),
        None => None,
    };
    match ask_codes(&draw, &codes, given).and_then(|answers| answers.conclude(None)) {
        Ok(_) => String::new(),
        Err(wrong) => {
            let first = wrong.to_string().lines().next().unwrap_or_default().to_string();
            first.split_once("codes are wrong: ").map_or(first.clone(), |it| it.1.to_string())
        }
    }
}

/// A right result of each code.
fn right_of(draw: &Draw) -> impl Fn(u64) -> Option<u64> {
    let to = draw.request().to;
    let nan =
        castproof_vectors::landmarks(to).and_then(|it| it.nan.first()).map(|it| it[0].value());
    // The first code of NaN may be one that a kernel gives by mistake.
    let nan =
        nan.map(|it| if to.bits() >= 16 { it | 1 << (to.bits().trailing_zeros() + 1) } else { it });
    move |code| match draw.expectation(code).expect {
        Outcome::Code(code) => Some(code),
        Outcome::AnyNan => nan,
        Outcome::QuietNan => {
            castproof_vectors::landmarks(to)?.quiet_nan.last().map(|it| it[1].value())
        }
        Outcome::OneOf(codes) => codes.first().copied(),
        _ => Some(0),
    }
}

/// Every method is named alone, or with those that no code tells from it, and not where it is at work in half of the codes.
#[test]
fn each_method_is_named_and_a_near_one_is_not() {
    let mut problems = Vec::new();
    for planted in NUMBERS.iter().chain(&TRUTHS).chain(&NANS) {
        let (from, to, _, due, _) = planted;
        let [found, near] = [false, true].map(|is_near| named(planted, is_near));
        let begins = found.strip_prefix(due);
        if begins.is_none_or(|rest| !rest.is_empty() && !rest.starts_with(": ")) {
            problems.push(format!("{from} -> {to}, {due}: {found}"));
        }
        if near.contains(due) {
            problems.push(format!("{from} -> {to}, {due}, in half of the codes: {near}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Every method of the tables is planted.
#[test]
fn no_method_is_without_a_kernel() {
    let all = NUMBERS.iter().chain(&TRUTHS).chain(&NANS).map(|it| it.3);
    let planted: Vec<&str> = all.flat_map(|names| names.split(", or ")).collect();
    let known = super::NUMBERS.iter().chain(&super::TRUTHS).map(|it| it.0);
    for name in known.chain(super::NANS.iter().map(|it| it.0)) {
        assert!(planted.contains(&name), "{name}");
    }
}
