//! Compares casts with Rust's own `as`, which rounds to nearest even, truncates, saturates and
//! casts NaN to 0 where this crate does.

use crate::common::{cast, codes, every, random, run};
use castproof_impl::{Backend, Cast, Error};
use castproof_vectors::{DType, Profile};

const INTEGERS: [DType; 12] = [
    DType::Int2,
    DType::Uint2,
    DType::Int4,
    DType::Uint4,
    DType::Int8,
    DType::Uint8,
    DType::Int16,
    DType::Uint16,
    DType::Int32,
    DType::Uint32,
    DType::Int64,
    DType::Uint64,
];

/// Returns the value of an integer code.
fn integer(dtype: DType, code: u64) -> i128 {
    let negative = dtype.is_signed() && code >> (dtype.bits() - 1) == 1;
    i128::from(code) - if negative { 1 << dtype.bits() } else { 0 }
}

/// Truncates and saturates; returns `None` for the narrow integers that Rust lacks.
fn truncated(x: f64, to: DType) -> Option<u64> {
    Some(match to {
        DType::Int8 => x as i8 as u8 as u64,
        DType::Uint8 => x as u8 as u64,
        DType::Int16 => x as i16 as u16 as u64,
        DType::Uint16 => x as u16 as u64,
        DType::Int32 => x as i32 as u32 as u64,
        DType::Uint32 => x as u32 as u64,
        DType::Int64 => x as i64 as u64,
        DType::Uint64 => x as u64,
        _ => return None,
    })
}

/// Rounds to nearest even and saturates, for the narrow integers.
fn rounded(x: f64, to: DType) -> u64 {
    let (low, high) = match to.is_signed() {
        true => (-f64::from(1 << (to.bits() - 1)), f64::from((1 << (to.bits() - 1)) - 1)),
        false => (0.0, f64::from((1 << to.bits()) - 1)),
    };
    x.round_ties_even().clamp(low, high) as i64 as u64 & to.code_mask()
}

/// Returns values around powers of two, where the ranges of integers end, with and without a
/// fraction; special values; and random ones.
fn reals() -> Vec<f64> {
    let fractions = [0.0, 0.25, 0.5, 0.75, 0.999_999, 1.0, 1.5, 2.5];
    let powers = (0..=70).map(|power| (1_u128 << power) as f64);
    let around = powers.flat_map(|power| {
        fractions.into_iter().flat_map(move |f| [power + f, power - f, -power - f, f - power])
    });
    let neighbours: Vec<f64> = around.flat_map(|x| [x.next_down(), x, x.next_up()]).collect();
    let specials = [0.0, -0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX];
    let random = random(7).take(100_000 / every()).map(f64::from_bits);
    neighbours.into_iter().chain(specials).chain(random).collect()
}

#[test]
fn floats_to_integers() {
    for to in INTEGERS {
        for x in reals() {
            let expected = truncated(x, to).unwrap_or_else(|| rounded(x, to));
            assert_eq!(cast(DType::Float64, to, x.to_bits()), expected, "{x:e} to {to}");
            let x = x as f32;
            let expected = truncated(x.into(), to).unwrap_or_else(|| rounded(x.into(), to));
            assert_eq!(cast(DType::Float32, to, x.to_bits().into()), expected, "{x:e} to {to}");
        }
    }
}

#[test]
fn integers_to_floats() {
    for from in INTEGERS {
        for code in codes(from) {
            let x = integer(from, code);
            let (single, double) = (u64::from((x as f32).to_bits()), (x as f64).to_bits());
            assert_eq!(cast(from, DType::Float32, code), single, "{from} {x}");
            assert_eq!(cast(from, DType::Float64, code), double, "{from} {x}");
        }
    }
}

#[test]
fn integers_to_integers_and_bool() {
    for from in INTEGERS {
        for to in INTEGERS {
            let cast = Cast::new(from, to).expect("numeric");
            for code in codes(from) {
                let low_bits = integer(from, code) as u64 & to.code_mask();
                assert_eq!(run(cast, code), low_bits, "{from} {code:#x} to {to}");
            }
        }
        for code in codes(from) {
            assert_eq!(cast(from, DType::Bool, code), u64::from(code != 0), "{from} {code:#x}");
        }
    }
}

#[test]
fn between_float32_and_float64() {
    let agree = |x: f64, context: &str| {
        let ours = f32::from_bits(cast(DType::Float64, DType::Float32, x.to_bits()) as u32);
        let theirs = x as f32;
        let same = ours.to_bits() == theirs.to_bits() || (ours.is_nan() && theirs.is_nan());
        assert!(same, "{context} {x:e}: {ours:e}, not {theirs:e}");
    };
    for code in codes(DType::Float64).into_iter().chain(random(11).take(200_000 / every())) {
        agree(f64::from_bits(code), "float64");
    }
    for code in codes(DType::Float32).into_iter().chain(random(13).take(200_000 / every())) {
        let single = f32::from_bits(code as u32);
        let widened = cast(DType::Float32, DType::Float64, single.to_bits().into());
        let double = f64::from(single);
        assert!(widened == double.to_bits() || single.is_nan(), "{single:e}");
        // The tie above it, and the neighbours of the tie.
        let tie = double.midpoint(single.next_up().into());
        for x in [tie.next_down(), tie, tie.next_up()] {
            agree(x, "near a tie");
        }
    }
}

/// The profile `rust-as` has exactly the casts that compile in Rust. On every backend they are the
/// casts that the tests above compare with Rust.
#[test]
fn the_profile_has_the_casts_that_compile() {
    let floats = [DType::Float32, DType::Float64];
    let integers: Vec<DType> = INTEGERS.into_iter().filter(|dtype| dtype.bits() >= 8).collect();
    let mut count = 0;
    for &from in DType::NUMERIC {
        for &to in DType::NUMERIC {
            let number = |dtype| integers.contains(&dtype) || floats.contains(&dtype);
            let compiles =
                number(to) && number(from) || from == DType::Bool && integers.contains(&to);
            let cast = Cast::of_profile(Profile::RustAs, from, to);
            count += usize::from(compiles);
            match cast {
                Ok(cast) if compiles => {
                    for backend in Backend::available() {
                        let usual = Cast::new(from, to).expect("numeric").backend(backend);
                        assert_eq!(cast.backend(backend), usual, "{from} to {to}");
                    }
                }
                Err(Error::NoProfileCast { .. }) if !compiles => {}
                other => panic!("{from} to {to}: {other:?}"),
            }
        }
    }
    assert_eq!(count, 108);
    let complex = Cast::of_profile(Profile::TfCast, DType::Float32, DType::Float64);
    assert!(complex.unwrap_err().to_string().starts_with("tf-cast has no cast from float32"));
}
