//! Tests single cases that implementations are known to get wrong, and the choices of this crate
//! in cases that the rules leave open. Each row names its clause.

use crate::common::{cast, codes, run, value};
use castproof_impl::Cast;
use castproof_vectors::{DType, RoundMode};

#[test]
fn float64_rounds_once() {
    // source, target, expected code, clause
    let rows = [
        (1.0 + 2f64.powi(-11) + 2f64.powi(-40), DType::Float16, 0x3c01, "FF-10"),
        (65519.999, DType::Float16, 0x7bff, "FF-06"),
        (65520.0, DType::Float16, 0x7c00, "FF-05"),
        (1.0625 + 2f64.powi(-40), DType::Float8E4M3FN, 0x39, "F8-S11"),
        (1.0625, DType::Float8E4M3FN, 0x38, "F8-S10"),
        (464.0, DType::Float8E4M3FN, 0x7e, "F8-N10"),
        (0.25, DType::Float4E2M1, 0x0, "F4-01"),
        (0.75, DType::Float4E2M1, 0x2, "F4-01"),
        (1.25, DType::Float4E2M1, 0x2, "F4-01"),
        (1.75, DType::Float4E2M1, 0x4, "F4-01"),
        (2.5, DType::Float4E2M1, 0x4, "F4-01"),
        (3.5, DType::Float4E2M1, 0x6, "F4-01"),
        (5.0, DType::Float4E2M1, 0x6, "F4-01"),
        (-0.2, DType::Float4E2M1, 0x8, "F4-02"),
        (-1e-30, DType::Float8E4M3FNUZ, 0x00, "F8-S10"),
        (-1e-30, DType::Float8E5M2FNUZ, 0x00, "F8-S10"),
        (-0.0, DType::Float8E4M3FNUZ, 0x00, "F8-S02"),
        (-0.0, DType::Float8E5M2FNUZ, 0x00, "F8-S02"),
        (-0.0, DType::Float8E4M3FN, 0x80, "F8-S02"),
        (-0.0, DType::Float8E5M2, 0x80, "F8-S02"),
        (-0.0, DType::Float6E2M3, 0x20, "F6-01"),
        (-1e-30, DType::Float8E4M3FN, 0x80, "F8-S10"),
        (1.0 + 2f64.powi(-40), DType::Float8E8M0, 0x80, "E8-13"),
        (1e300, DType::Float8E8M0, 0xfe, "E8-13"),
        (2f64.powi(-149) * 1.5, DType::Float32, 0x2, "FF-02"),
        (3.7, DType::Int4, 0x4, "I4-02"),
        (2.5, DType::Int4, 0x2, "I4-02"),
        (-0.5, DType::Int4, 0x0, "I4-02"),
        (-1.5, DType::Int2, 0x2, "I4-02"),
        (0.5, DType::Uint2, 0x0, "I4-02"),
        (1.5, DType::Uint2, 0x2, "I4-02"),
        (255.9, DType::Uint8, 0xff, "FI-03"),
        (-0.9, DType::Uint8, 0x00, "FI-03"),
        (-128.9, DType::Int8, 0x80, "FI-03"),
    ];
    for (x, to, expected, clause) in rows {
        assert_eq!(cast(DType::Float64, to, x.to_bits()), expected, "{clause}: {x:e} to {to}");
    }
}

#[test]
fn integers_and_narrow_floats_round_once() {
    // source, code, target, expected code, clause
    let rows = [
        (DType::Int64, (1 << 53) + (1 << 29) + 1, DType::Float32, 0x5a00_0001, "IF-02"),
        (DType::Int64, (1 << 60) + (1 << 52) + 1, DType::Bfloat16, 0x5d81, "IF-02"),
        (DType::Uint64, u64::MAX, DType::Float64, 0x43f0_0000_0000_0000, "IF-02"),
        (DType::Uint64, u64::MAX, DType::Bfloat16, 0x5f80, "IF-02"),
        (DType::Int32, 65520, DType::Float16, 0x7c00, "IF-03"),
        (DType::Int32, 65519, DType::Float16, 0x7bff, "IF-03"),
        (DType::Int32, 16_777_217, DType::Float8E8M0, 0x98, "E8-13"),
        (DType::Int32, 464, DType::Float8E4M3FN, 0x7e, "F8-I02"),
        (DType::Int32, 465, DType::Float8E4M3FN, 0x7e, "F8-I02"),
        (DType::Uint4, 13, DType::Float8E5M2, 0x4a, "I4-06"),
        (DType::Int4, 5, DType::Float4E2M1, 0x6, "F4-06"),
        (DType::Int4, 0x9, DType::Float4E2M1, 0xf, "F4-07"),
        (DType::Int16, 200, DType::Int8, 0xc8, "II-02"),
        (DType::Int32, 200, DType::Int4, 0x8, "II-02"),
        (DType::Uint4, 0xf, DType::Int4, 0xf, "I4-05"),
        (DType::Int4, 0x9, DType::Int2, 0x1, "I4-05"),
        (DType::Uint16, 256, DType::Bool, 1, "B-04"),
        (DType::Float8E4M3FN, 0x7e, DType::Float8E4M3FNUZ, 0x7f, "F8-X01"),
        (DType::Float8E4M3FNUZ, 0x01, DType::Float8E4M3FN, 0x00, "F8-X01"),
        (DType::Float4E2M1, 0x8, DType::Float8E4M3FNUZ, 0x00, "F8-X02"),
        (DType::Float4E2M1, 0x1, DType::Int8, 0, "F4-09"),
        (DType::Float4E2M1, 0x3, DType::Int8, 1, "F4-09"),
        (DType::Float4E2M1, 0x3, DType::Int4, 2, "F4-09"),
        (DType::Float8E8M0, 0x00, DType::Float32, 0x0040_0000, "E8-20"),
        (DType::Float8E8M0, 0x00, DType::Bfloat16, 0x0040, "E8-20"),
        (DType::Float8E8M0, 0x8f, DType::Float16, 0x7c00, "E8-21"),
        (DType::Float8E8M0, 0x67, DType::Float16, 0x0001, "E8-21"),
        (DType::Float8E8M0, 0x66, DType::Float16, 0x0000, "E8-21"),
        (DType::Float8E8M0, 0x00, DType::Bool, 1, "B-03"),
        (DType::Float8E8M0, 0xff, DType::Bool, 1, "B-03"),
        (DType::Float32, 0x7fc0_0000, DType::Bool, 1, "B-02"),
        (DType::Float32, 0x0000_0001, DType::Bool, 1, "B-02"),
        (DType::Float32, 0x8000_0000, DType::Bool, 0, "B-01"),
        (DType::Float8E5M2FNUZ, 0x80, DType::Bool, 1, "B-02"),
        (DType::Bool, 1, DType::Float8E4M3FN, 0x38, "B-09"),
        (DType::Bool, 1, DType::Float8E5M2FNUZ, 0x40, "B-09"),
        (DType::Bool, 1, DType::Float4E2M1, 0x2, "B-10"),
        (DType::Bool, 1, DType::Float8E8M0, 0x7f, "B-11"),
        (DType::Bool, 1, DType::Int2, 0x1, "B-07"),
    ];
    for (from, code, to, expected, clause) in rows {
        assert_eq!(cast(from, to, code), expected, "{clause}: {from} {code:#x} to {to}");
    }
}

#[test]
fn float8_specials_follow_saturate_and_opset() {
    const INF: u64 = 0x7f80_0000;
    const NAN: u64 = 0x7fc0_0000;
    const ABOVE_464: u64 = 0x43e8_0001;
    const NEGATIVE: u64 = 0x8000_0000;
    // target, opset, saturate, float32 code, expected code, clause
    let rows = [
        (DType::Float8E4M3FN, 19, true, INF, 0x7e, "F8-S04"),
        (DType::Float8E4M3FN, 28, true, NEGATIVE | INF, 0xfe, "F8-S07"),
        (DType::Float8E5M2, 19, true, NEGATIVE | INF, 0xfb, "F8-S05"),
        (DType::Float8E4M3FNUZ, 23, true, INF, 0x80, "F8-S06"),
        (DType::Float8E5M2FNUZ, 23, true, NEGATIVE | INF, 0x80, "F8-S06"),
        (DType::Float8E4M3FNUZ, 24, true, INF, 0x7f, "F8-S07"),
        (DType::Float8E5M2FNUZ, 24, true, NEGATIVE | INF, 0xff, "F8-S07"),
        (DType::Float8E4M3FNUZ, 19, true, ABOVE_464, 0x7f, "F8-S09"),
        (DType::Float8E4M3FN, 19, false, ABOVE_464, 0x7f, "F8-N07"),
        (DType::Float8E4M3FN, 19, false, INF, 0x7f, "F8-N04"),
        (DType::Float8E5M2, 19, false, INF, 0x7c, "F8-N05"),
        (DType::Float8E5M2, 28, false, NEGATIVE | INF, 0xfc, "F8-N05"),
        (DType::Float8E4M3FNUZ, 28, false, NEGATIVE | INF, 0x80, "F8-N06"),
        (DType::Float8E5M2FNUZ, 28, false, INF, 0x80, "F8-N06"),
        (DType::Float8E4M3FNUZ, 28, false, NEGATIVE | ABOVE_464, 0x80, "F8-N09"),
        (DType::Float8E4M3FN, 28, true, NAN, 0x7f, "F8-S03"),
        (DType::Float8E4M3FN, 28, true, NEGATIVE | NAN, 0xff, "F8-S03"),
        (DType::Float8E5M2, 28, true, NAN, 0x7e, "F8-S03"),
        (DType::Float8E4M3FNUZ, 28, true, NEGATIVE | NAN, 0x80, "F8-S03"),
        (DType::Float8E5M2FNUZ, 28, false, NAN, 0x80, "F8-N02"),
    ];
    for (to, opset, saturate, code, expected, clause) in rows {
        let cast = Cast::new(DType::Float32, to).expect("numeric").opset(opset).saturate(saturate);
        assert_eq!(run(cast, code), expected, "{clause}: {code:#x} to {to}");
    }
}

#[test]
fn float8e8m0_specials_follow_saturate_in_every_mode() {
    let min = 2f64.powi(-127);
    // source, expected with and without saturation, clause
    let rows = [
        (0.0, 0x00, 0xff, "E8-01"),
        (-0.0, 0x00, 0xff, "E8-02"),
        (-3.0, 0x00, 0xff, "E8-03"),
        (f64::NEG_INFINITY, 0x00, 0xff, "E8-03"),
        (f64::NAN, 0xff, 0xff, "E8-04"),
        (-f64::NAN, 0xff, 0xff, "E8-04"),
        (f64::INFINITY, 0xfe, 0xff, "E8-05"),
        (1.1 * 2f64.powi(127), 0xfe, 0xff, "E8-06"),
        (2f64.powi(127).next_up(), 0xfe, 0xff, "E8-06"),
        (2f64.powi(127), 0xfe, 0xfe, "E8-08"),
        (min.next_down(), 0x00, 0xff, "E8-07"),
        (2f64.powi(-149), 0x00, 0xff, "E8-07"),
        (f64::from_bits(1), 0x00, 0xff, "E8-07"),
        (min, 0x00, 0x00, "E8-08"),
    ];
    for mode in RoundMode::CAST {
        let cast = Cast::new(DType::Float64, DType::Float8E8M0).expect("numeric").round_mode(mode);
        for (x, saturated, other, clause) in rows {
            assert_eq!(run(cast, x.to_bits()), saturated, "{clause}: {x:e} {mode:?}");
            assert_eq!(run(cast.saturate(false), x.to_bits()), other, "{clause}: {x:e} {mode:?}");
        }
    }
    let nearest = Cast::new(DType::Float32, DType::Float8E8M0).expect("numeric");
    let nearest = nearest.round_mode(RoundMode::Nearest);
    assert_eq!(run(nearest, 0x0050_0000), 0x00, "E8-11: 1.25 * 2^-127");
    assert_eq!(cast(DType::Bool, DType::Float8E8M0, 0), 0x00, "B-11");
}

#[test]
fn float4_and_float6_take_nan_and_infinity_to_the_largest_value() {
    let rows = [
        (DType::Float4E2M1, 0x7, 0xf),
        (DType::Float6E2M3, 0x1f, 0x3f),
        (DType::Float6E3M2, 0x1f, 0x3f),
    ];
    for (to, max, negative_max) in rows {
        for saturate in [false, true] {
            let cast = Cast::new(DType::Float64, to).expect("numeric").saturate(saturate);
            let code = |x: f64| run(cast, x.to_bits());
            assert_eq!(code(f64::NAN), max, "F4-05, F6-04: {to}");
            assert_eq!(code(-f64::NAN), max, "F4-05, F6-04: {to}");
            assert_eq!(code(f64::INFINITY), max, "F4-04, F6-03: {to}");
            assert_eq!(code(f64::NEG_INFINITY), negative_max, "F4-04, F6-03: {to}");
        }
    }
}

#[test]
fn the_same_dtype_is_identity_with_two_exceptions() {
    for &dtype in DType::NUMERIC {
        for code in codes(dtype) {
            let result = cast(dtype, dtype, code);
            match dtype {
                DType::Bool => assert_eq!(result, u64::from(code != 0), "B-08"),
                DType::Float8E5M2 if value(dtype, code).is_infinite() => {
                    assert_eq!(result, code - 1, "F8-S08: the largest value lies below infinity");
                }
                _ => assert_eq!(result, code, "FF-11: {dtype}"),
            }
            let plain = Cast::new(dtype, dtype).expect("numeric").saturate(false);
            assert!(dtype == DType::Bool || run(plain, code) == code, "FF-11: {dtype} {code:#x}");
        }
    }
}
