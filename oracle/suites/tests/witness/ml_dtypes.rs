//! numpy with ml_dtypes, which many projects use for narrow dtypes. It casts to most of them
//! through float32, truncates to 2- and 4-bit integers, and has faults in float8e8m0.

use crate::compare::{
    Difference, Fault, codes, is_cast, is_through_float32, proves, results_agree_but, unsaturated,
};
use crate::numpy::Numpy;
use castproof_vectors::{DType, Outcome, Request};

use DType::*;

/// Pairs that numpy refuses: it has no cast from the first dtype of a row to any dtype of its list.
const REFUSED: [(DType, &[DType]); 12] = [
    (Int2, &[Uint2, Uint4, Float8E8M0]),
    (Uint2, &[Int2, Int4, Float8E8M0]),
    (Int4, &[Int2, Uint2, Uint4, Float6E2M3, Float8E8M0]),
    (Uint4, &[Int2, Uint2, Int4, Float6E2M3, Float8E8M0]),
    (Float4E2M1, &[Float8E8M0]),
    (Float6E2M3, &[Int4, Uint4, Float8E8M0]),
    (Float6E3M2, &[Float8E8M0]),
    (Float8E4M3FN, &[Float8E8M0]),
    (Float8E4M3FNUZ, &[Float8E8M0]),
    (Float8E5M2, &[Float8E8M0]),
    (Float8E5M2FNUZ, &[Float8E8M0]),
    (
        Float8E8M0,
        &[
            Int2,
            Uint2,
            Int4,
            Uint4,
            Float4E2M1,
            Float6E2M3,
            Float6E3M2,
            Float8E4M3FN,
            Float8E4M3FNUZ,
            Float8E5M2,
            Float8E5M2FNUZ,
        ],
    ),
];

#[test]
fn every_numeric_pair() {
    let mut numpy = Numpy::start();
    for &from in DType::NUMERIC {
        for &to in DType::NUMERIC {
            let request = unsaturated(from, to);
            if !is_cast(&request) {
                continue;
            }
            let codes = codes(from, to);
            let answer = numpy.cast(from, to, &codes);
            let refused =
                REFUSED.iter().any(|(row, targets)| *row == from && targets.contains(&to));
            match answer {
                Ok(_) if refused => panic!("numpy now casts {from} to {to}: shorten REFUSED"),
                Err(_) if refused => continue,
                Err(message) => panic!("{from} to {to}: {message}"),
                Ok(got) => {
                    let got: Vec<Option<u64>> = got.into_iter().map(Some).collect();
                    let known = |difference: &Difference| is_known(&request, difference);
                    results_agree_but(&request, &codes, &got, known);
                }
            }
        }
    }
}

/// Is the difference a fault of [`known_faults`]? Here each fault is a class of inputs.
fn is_known(request: &Request, difference: &Difference) -> bool {
    let (got, tolerated) = (difference.got, difference.is_tolerated(request.to));
    match (request.to, difference.answer.rule.as_str()) {
        (Int2 | Uint2 | Int4 | Uint4, "I4-02") => tolerated,
        (Float4E2M1, "F4-05") => got & 0x7 == 0,
        (Float8E8M0, "E8-06") => tolerated,
        (Float8E8M0, "E8-07") => got == 0x00,
        (Float8E8M0, "E8-11") => got == 0x01,
        _ => {
            let wide = matches!(request.from, Int32 | Uint32 | Int64 | Uint64 | Float64);
            wide && is_through_float32(request, difference)
        }
    }
}

#[test]
fn known_faults() {
    let mut numpy = Numpy::start();
    for (from, to, input, gives, right, tolerated) in [
        // 3.75 and -1.5 lose their fraction; the page on int4 rounds to nearest even.
        (Float32, Int4, 0x4070_0000, 0x3, 0x4, true),
        (Float32, Int2, 0xbfc0_0000, 0x3, 0x2, true),
        // NaN becomes -0, negative NaN becomes 0. The page on float4 says 6; both are tolerated.
        (Float32, Float4E2M1, 0x7fc0_0000, 0x8, 0x7, true),
        (Float32, Float4E2M1, 0xffc0_0000, 0x0, 0x7, true),
        // Inputs next to a tie: float64 and wide integers are rounded to float32 first.
        (Float64, Bfloat16, 0x3ff0_1000_0000_0001, 0x3f80, 0x3f81, true),
        (Float64, Float8E4M3FN, 0x3ff1_0000_0000_0001, 0x38, 0x39, true),
        (Float64, Float8E4M3FNUZ, 0x3f40_0000_0000_0001, 0x00, 0x01, true),
        (Float64, Float8E5M2, 0x3ee0_0000_0000_0001, 0x00, 0x01, true),
        (Float64, Float8E5M2FNUZ, 0x3ed0_0000_0000_0001, 0x00, 0x01, true),
        (Float64, Float8E8M0, 0x3ff7_ffff_ffff_ffff, 0x80, 0x7f, true),
        (Float64, Float4E2M1, 0x3fd0_0000_0000_0001, 0x0, 0x1, false),
        (Float64, Float6E2M3, 0x3fb0_0000_0000_0001, 0x00, 0x01, false),
        (Float64, Float6E3M2, 0x3fa0_0000_0000_0001, 0x00, 0x01, false),
        (Int64, Bfloat16, 0x1010_0000_0000_0001, 0x5d80, 0x5d81, true),
        (Uint32, Float8E8M0, 0xbfff_ffff, 0x9f, 0x9e, true),
        // A number below 2^-127 becomes 2^-127 instead of NaN.
        (Float32, Float8E8M0, 0x0000_0001, 0x00, 0xff, false),
        // A float32 subnormal just above 2^-127 is rounded up, although 2^-127 is nearer.
        (Float32, Float8E8M0, 0x0040_0001, 0x01, 0x00, false),
        // A number above 2^127, but nearer to it than to 2^128, becomes 2^127 instead of NaN.
        (Float32, Float8E8M0, 0x7f00_0001, 0xfe, 0xff, true),
    ] {
        let got = numpy.cast(from, to, &[input]).expect("numpy knows the pair")[0];
        let (request, right) = (unsaturated(from, to), Outcome::Code(right));
        proves(&Fault { request, input, gives, right, tolerated }, got);
    }
}
