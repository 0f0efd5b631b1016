//! Values that the onnx package has in its tests, values that were run, and what follows from the text in a
//! few steps on paper.

use super::One;
use castproof_quantised::linear::{LinearTensor, dynamic_quantize_linear, quantize_linear};
use castproof_vectors::DType::*;
use castproof_vectors::{Expectation, Outcome, RuleId, rule};

const fn f32s<const N: usize>(numbers: [f32; N]) -> [u64; N] {
    let mut codes = [0; N];
    let mut place = 0;
    while place < N {
        codes[place] = numbers[place].to_bits() as u64;
        place += 1;
    }
    codes
}

fn f32_code(number: f32) -> u64 {
    number.to_bits().into()
}

fn due(expect: Outcome, tolerate: Option<Outcome>, rule: RuleId) -> Expectation {
    Expectation { expect, tolerate, rule }
}

fn codes(expectations: &[Expectation]) -> Vec<u64> {
    let code = |it: &Expectation| match it.expect {
        Outcome::Code(code) => code,
        ref other => panic!("{other:?}"),
    };
    expectations.iter().map(code).collect()
}

/// Backend test quantizelinear of onnx, and ties that it does not have.
#[test]
fn integers() {
    let asked = One::of(10, [Float32, Float32, Uint8], f32_code(2.0), Some(128));
    let due = asked.quantised(&f32s([0.0, 2.0, 3.0, 1000.0, -254.0, -1000.0]));
    assert_eq!(codes(&due), [128, 129, 130, 255, 1, 0]);
    // 2.5 becomes 2 before 1 is added, 3.5 becomes 4.
    let asked = One::of(23, [Float32, Float32, Int8], f32_code(1.0), Some(1));
    assert_eq!(codes(&asked.quantised(&f32s([2.5, 3.5, -0.5, -1.5]))), [3, 5, 1, 0xff]);
}

/// The reference evaluator gives -128 for each of the first four, or 127 with a zero point of -128.
#[test]
fn beyond_every_integer() {
    let numbers = f32s([f32::INFINITY, 3e9, 1e10, f32::MAX, f32::NEG_INFINITY]);
    for (zero_point, ends) in
        [(0, [0x7f, 0x7f, 0x7f, 0x7f, 0x80]), (0x80, [0x7f, 0x7f, 0x7f, 0x7f, 0x80])]
    {
        let asked = One::of(25, [Float32, Float32, Int8], f32_code(1.0), Some(zero_point));
        assert_eq!(codes(&asked.quantised(&numbers)), ends);
    }
    let asked = One::of(25, [Float32, Float32, Int8], f32_code(1.0), None);
    let open = asked.quantised(&[f32_code(f32::NAN)]);
    assert_eq!(open, [due(Outcome::Any, None, rule::QL_16)]);
    for scale in [0.0, -0.0, -1.0, f32::INFINITY, f32::NAN] {
        let asked = One::of(25, [Float32, Float32, Int8], f32_code(scale), None);
        assert_eq!(asked.quantised(&[f32_code(1.0)]), [due(Outcome::Any, None, rule::QL_17)]);
    }
}

/// 2049 divided by a scale of float16: 2048 in its precision, 2049 in that of float32.
#[test]
fn precisions() {
    let mut asked = One::of(23, [Float32, Float16, Int16], 0x3c00, None);
    let x = [f32_code(2049.0)];
    let both = Outcome::OneOf(vec![2048, 2049]);
    assert_eq!(asked.quantised(&x), [due(Outcome::Code(2048), Some(both), rule::QL_03)]);
    asked.precision = Some(Float16);
    assert_eq!(asked.quantised(&x), [due(Outcome::Code(2048), None, rule::QL_01)]);
    asked.precision = Some(Float32);
    assert_eq!(asked.quantised(&x), [due(Outcome::Code(2049), None, rule::QL_01)]);
    // 0.0500183 / 0.0999756 is 0.50030.., in float16 0.50048828125: 1.
    let asked = One::of(19, [Float16, Float16, Int8], 0x2e66, None);
    assert_eq!(codes(&asked.quantised(&[0x2a67])), [1]);
    // int32 by int32: 3/2 is 2, or 1 as integers divide.
    let asked = One::of(23, [Int32, Int32, Int8], 2, None);
    let silent = Outcome::OneOf(vec![1, 2]);
    assert_eq!(asked.quantised(&[3]), [due(silent, None, rule::QL_06)]);
    // -1/4 is -0.25, or 0 as integers divide, which have one zero: no 0x80.
    let asked = One::of(23, [Int32, Int32, Float8E4M3FN], 4, None);
    let zeros = Outcome::OneOf(vec![0x00, 0xa8]);
    assert_eq!(asked.quantised(&[0xffff_ffff]), [due(zeros, None, rule::QL_06)]);
    // 16777217 enters a division by float32 as 16777216, which makes a tie, or as it is.
    let asked = One::of(10, [Int32, Float32, Int8], f32_code(33_554_432.0), None);
    let silent = Outcome::OneOf(vec![0, 1]);
    assert_eq!(asked.quantised(&[16_777_217]), [due(silent, None, rule::QL_05)]);
    let asked = One::of(10, [Int32, Float32, Int8], f32_code(131072.0), None);
    assert_eq!(codes(&asked.quantised(&[16_777_217, 0xffff_ffff])), [127, 0]);
}

#[test]
fn floats_and_their_zero_points() {
    // The reference evaluator ignores the zero point of float8 and adds that of float4.
    let asked = One::of(23, [Float32, Float32, Float8E4M3FN], f32_code(1.0), Some(0x38));
    let due_of = asked.quantised(&[f32_code(1.0)]);
    assert_eq!(due_of, [due(Outcome::OneOf(vec![0x38, 0x40]), None, rule::QL_14)]);
    let asked = One::of(23, [Float32, Float32, Float4E2M1], f32_code(1.0), Some(2));
    let due_of = asked.quantised(&[f32_code(1.0)]);
    assert_eq!(due_of, [due(Outcome::OneOf(vec![2, 4]), None, rule::QL_14)]);
    // Zero as a zero point, and none.
    let asked = One::of(19, [Float32, Float32, Float8E5M2], f32_code(1.0), Some(0));
    let signs = Outcome::OneOf(vec![0, 0x80]);
    assert_eq!(asked.quantised(&[f32_code(-0.0)]), [due(signs.clone(), None, rule::QL_14)]);
    let asked = One::of(21, [Float32, Float32, Float8E5M2], f32_code(1.0), None);
    let kept = due(Outcome::Code(0x80), Some(signs), rule::QL_10);
    assert_eq!(asked.quantised(&[f32_code(-0.0)]), [kept]);
    // 464 is a tie of 448 and 480.
    let mut asked = One::of(21, [Float32, Float32, Float8E4M3FN], f32_code(1.0), None);
    let numbers = f32s([464.0, 464.00003, f32::INFINITY, f32::NAN, -500.0]);
    let outcomes = |asked: &One| -> Vec<Outcome> {
        asked.quantised(&numbers).into_iter().map(|it| it.expect).collect()
    };
    let [code, nan] = [Outcome::Code as fn(u64) -> Outcome, |_| Outcome::AnyNan];
    assert_eq!(outcomes(&asked), [code(0x7e), code(0x7e), code(0x7e), nan(0), code(0xfe)]);
    asked.saturate = false;
    assert_eq!(outcomes(&asked), [code(0x7e), nan(0), nan(0), nan(0), nan(0)]);
    asked.dtypes[2] = Float8E5M2;
    let numbers = f32s([61439.0, 61440.0, -1e9]);
    assert_eq!(codes(&asked.quantised(&numbers)), [0x7b, 0x7c, 0xfc]);
    // saturate changes no integer.
    asked.dtypes[2] = Int8;
    assert_eq!(codes(&asked.quantised(&numbers)), [127, 127, 0x80]);
}

#[test]
fn scales_of_float8e8m0() {
    let asked = One::of(24, [Float32, Float8E8M0, Float4E2M1], 0x80, None);
    assert_eq!(codes(&asked.quantised(&f32s([3.0, -1.0, 100.0]))), [3, 0x9, 7]);
    let asked = One::of(24, [Float32, Float8E8M0, Float4E2M1], 0xff, None);
    assert_eq!(asked.quantised(&[f32_code(1.0)]), [due(Outcome::Any, None, rule::QL_17)]);
    // 2^-18 and a little is 2^-18 in float16, half of the smallest number: a tie.
    let asked = One::of(24, [Float16, Float8E8M0, Float8E5M2FNUZ], 0x83, None);
    let silent = Outcome::OneOf(vec![0, 1]);
    assert_eq!(asked.quantised(&[0x0401]), [due(silent, None, rule::QL_07)]);
    let asked = One::of(24, [Float8E4M3FN, Float8E8M0, Float32], 0x80, None);
    assert_eq!(asked.dequantised(&[0x38]), [due(Outcome::Code(f32_code(2.0)), None, rule::DL_04)]);
}

/// A scale that becomes zero in the named precision divides nothing.
#[test]
fn a_scale_may_vanish_in_the_precision() {
    let mut asked = One::of(23, [Float32, Float32, Int8], f32_code(1e-10), None);
    asked.precision = Some(Float16);
    assert_eq!(asked.quantised(&[f32_code(1.0)]), [due(Outcome::Any, None, rule::QL_17)]);
}

fn placed<'a>(
    shape: &'a [u64],
    scale_shape: &'a [u64],
    (axis, block_size): (i64, u64),
    (input, scales): (&'a [u64], &'a [u64]),
) -> LinearTensor<'a> {
    LinearTensor {
        opset: 21,
        dtypes: [Float32, Float32, Int8],
        shape,
        scale_shape,
        axis,
        block_size,
        saturate: true,
        precision: None,
        input,
        scales,
        zero_points: None,
    }
}

#[test]
fn scales_lie_along_axes_and_in_blocks() {
    let twelve = f32s([12.0; 6]);
    let asked = |scale_shape: &[u64], grain, scales: &[u64]| {
        let due = quantize_linear(&placed(&[2, 3], scale_shape, grain, (&twelve, scales)));
        due.map(|due| codes(&due)).map_err(|error| error.to_string())
    };
    let [one, two, three, four] = f32s([1.0, 2.0, 3.0, 4.0]);
    assert_eq!(asked(&[2], (0, 0), &[one, two]), Ok(vec![12, 12, 12, 6, 6, 6]));
    for axis in [1, -1] {
        assert_eq!(asked(&[3], (axis, 0), &[one, two, three]), Ok(vec![12, 6, 4, 12, 6, 4]));
    }
    // The last block has one element.
    let blocks = [one, two, three, four];
    assert_eq!(asked(&[2, 2], (1, 2), &blocks), Ok(vec![12, 12, 6, 4, 4, 3]));
    assert_eq!(asked(&[1, 3], (0, 2), &blocks[..3]), Ok(vec![12, 6, 4, 12, 6, 4]));
    for (scale_shape, grain, count) in [
        (&[2][..], (1, 0), 2),
        (&[2], (2, 0), 2),
        (&[2, 2], (1, 0), 4),
        (&[2, 2], (1, 1), 4),
        (&[3], (1, 0), 2),
    ] {
        assert!(asked(scale_shape, grain, &blocks[..count]).is_err(), "{scale_shape:?} {grain:?}");
    }
    let rank_1 = placed(&[2], &[2], (0, 0), (&twelve[..2], &blocks[..2]));
    assert!(quantize_linear(&rank_1).unwrap_err().to_string().contains("contradicts itself"));
}

#[test]
fn what_a_version_lacks_is_refused() {
    let refused = |opset, dtypes, precision| {
        let zero = [0; 1];
        let one = [1];
        let mut tensor = placed(&[1], &[], (1, 0), (&zero, &one));
        (tensor.opset, tensor.dtypes, tensor.precision) = (opset, dtypes, precision);
        quantize_linear(&tensor).is_err()
    };
    for (opset, dtypes) in [
        (19, [Float16, Float16, Int8]),
        (21, [Float32, Float32, Int4]),
        (23, [Float32, Float16, Float4E2M1]),
        (24, [Float32, Float8E8M0, Int8]),
        (25, [Float32, Float32, Int2]),
        (28, [Float32, Float32, Float6E2M3]),
    ] {
        assert!(!refused(opset, dtypes, None) && refused(opset - 1, dtypes, None), "{opset}");
    }
    assert!(refused(21, [Float32, Float16, Int8], None));
    assert!(refused(23, [Float32, Int32, Int8], None));
    assert!(refused(21, [Float32, Float32, Int8], Some(Float32)));
    assert!(!refused(23, [Float32, Float32, Int8], Some(Float32)));
}

#[test]
fn differences_are_not_wrapped() {
    let asked = One::of(10, [Int8, Float32, Float32], f32_code(0.5), Some(0x80));
    assert_eq!(codes(&asked.dequantised(&[0x7f, 0x80])), f32s([127.5, 0.0]));
    // 65535 is beyond float16, the product is not.
    let asked = One::of(23, [Uint16, Float16, Float16], 0x1000, None);
    let due_of = asked.dequantised(&[65535]);
    let both = Outcome::OneOf(vec![0x5000, 0x7c00]);
    assert_eq!(due_of[0].expect, both, "2^-11 of 65535 is 32 in float16, or infinity");
}

/// Backend tests dynamicquantizelinear of onnx.
#[test]
fn dynamic() {
    for (numbers, scale, zero_point, elements) in [
        (
            vec![0.0f32, 2.0, -3.0, -2.5, 1.34, 0.5],
            0.019607844f32,
            153,
            vec![153, 255, 0, 26, 221, 179],
        ),
        (
            vec![-1.0, -2.1, -1.3, -2.5, -3.34, -4.0],
            0.015686275,
            255,
            vec![191, 121, 172, 96, 42, 0],
        ),
        (
            vec![1.0, 2.1, 1.3, 2.5, 3.34, 4.0, 1.5, 2.6, 3.9, 4.0, 3.0, 2.345],
            0.015686275,
            0,
            vec![64, 134, 83, 159, 213, 255, 96, 166, 249, 255, 191, 149],
        ),
    ] {
        let input: Vec<u64> = numbers.iter().map(|&number| f32_code(number)).collect();
        let due = dynamic_quantize_linear(&input).expect("numbers");
        assert_eq!(due.scale, Outcome::Code(f32_code(scale)));
        assert_eq!(due.zero_point, Outcome::Code(zero_point));
        // The tests have the quotient of float32. 0.5 / 0.019607844 is 25.5 there, and less without rounding.
        let uint8 = castproof_vectors::landmarks(Uint8).expect("numeric");
        let admits = |(due, code): (&Outcome, u64)| due.admits(code, uint8);
        assert!(due.elements.iter().zip(elements).all(admits), "{:?}", due.elements);
        assert_eq!(due.rule, rule::DQ_01);
    }
    // 114.81282 / 0.53031325 is just above a tie: 216 by a quotient of float32, 217 without rounding.
    let due = dynamic_quantize_linear(&[0x4307_3ad9, 0x42e5_a02a]).expect("numbers");
    assert_eq!(due.elements, [Outcome::Code(255), Outcome::OneOf(vec![216, 217])]);
    for open in [
        vec![0.0],
        vec![-0.0, 0.0],
        vec![1.0, f32::NAN],
        vec![f32::INFINITY, 1.0],
        vec![3e38, -3e38],
        vec![f32::from_bits(1)],
    ] {
        let input: Vec<u64> = open.iter().map(|&number| f32_code(number)).collect();
        let due = dynamic_quantize_linear(&input).expect("numbers");
        assert_eq!((due.scale, due.rule), (Outcome::Any, rule::DQ_02), "{open:?}");
    }
    assert!(dynamic_quantize_linear(&[]).is_err());
}
