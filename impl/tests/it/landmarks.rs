//! Compares the formats with the landmark values transcribed from their specifications.

use crate::common::{cast, codes, run, share, value};
use castproof_impl::Cast;
use castproof_vectors::{DType, Hex, Landmarks, RoundMode, landmarks};

fn of(dtype: DType) -> &'static Landmarks {
    landmarks(dtype).expect("numeric")
}

#[test]
fn every_named_value_has_its_code() {
    for &dtype in DType::NUMERIC {
        for (name, (code, text)) in &of(dtype).values {
            let code = code.value();
            let (from, source) = exact(dtype, text);
            assert_eq!(cast(from, dtype, source), code, "{dtype} {name}: {text} to code");
            assert_eq!(cast(dtype, from, code), source, "{dtype} {name}: code to {text}");
        }
    }
}

#[test]
fn nan_and_infinity_codes_are_those_of_the_specification() {
    for &dtype in DType::NUMERIC {
        let landmarks = of(dtype);
        let ends = landmarks.nan.iter().flatten().map(Hex::value);
        let infinities = || landmarks.infinity.iter().map(Hex::value);
        let near = |code: u64| [code.wrapping_sub(1), code, code.wrapping_add(1)];
        let ends = ends.chain(infinities()).flat_map(near).map(|code| code & dtype.code_mask());
        for code in codes(dtype).into_iter().chain(ends).filter(|code| landmarks.is_valid(*code)) {
            let value = value(dtype, code);
            assert_eq!(value.is_nan(), landmarks.is_nan(code), "{dtype} {code:#x}");
            let infinite = infinities().any(|infinity| infinity == code);
            assert_eq!(value.is_infinite(), infinite, "{dtype} {code:#x}");
        }
        for (code, infinity) in infinities().zip([f64::INFINITY, f64::NEG_INFINITY]) {
            assert_eq!(value(dtype, code), infinity, "{dtype} {code:#x}");
        }
    }
}

#[test]
fn every_result_is_an_element_of_the_target_and_nan_stays_nan() {
    for &from in DType::NUMERIC {
        let nan: Vec<u64> = of(from).nan.iter().flatten().map(Hex::value).collect();
        let codes: Vec<u64> = share(codes(from)).into_iter().step_by(7).chain(nan).collect();
        for &to in DType::NUMERIC {
            for cast in attributes(from, to) {
                for &code in &codes {
                    let result = run(cast, code);
                    assert!(of(to).is_valid(result), "{cast:?} {code:#x} gives {result:#x}");
                    let nan = of(from).is_nan(code) && !of(to).nan.is_empty();
                    assert!(!nan || of(to).is_nan(result), "{cast:?} {code:#x} gives {result:#x}");
                }
            }
        }
    }
}

fn attributes(from: DType, to: DType) -> impl Iterator<Item = Cast> {
    let cast = Cast::new(from, to).expect("numeric");
    [19, 28].into_iter().flat_map(move |opset| {
        [false, true].into_iter().flat_map(move |saturate| {
            RoundMode::CAST
                .map(|mode| cast.opset(opset).saturate(saturate).round_mode(mode))
                .into_iter()
        })
    })
}

/// Returns a dtype and the value's code in it: float64 if it holds the value exactly, otherwise a
/// 64-bit integer dtype other than `dtype`.
fn exact(dtype: DType, text: &str) -> (DType, u64) {
    let wide = match dtype {
        DType::Int64 => DType::Uint64,
        _ => DType::Int64,
    };
    match text.parse::<i128>() {
        Ok(integer) if integer as f64 as i128 != integer => (wide, integer as u64),
        _ => (DType::Float64, parse(text).to_bits()),
    }
}

/// Parses an integer, a decimal or a product with a power of two, exactly.
fn parse(text: &str) -> f64 {
    let (factor, power) = text.split_once(" * 2^").unwrap_or((text, "0"));
    let factor: f64 = factor.parse().expect("a decimal");
    let power: i32 = power.parse().expect("an exponent");
    let power = match power {
        ..-1022 => f64::from_bits(1 << (power + 1074)),
        _ => f64::from_bits(((power + 1023) as u64) << 52),
    };
    factor * power
}
