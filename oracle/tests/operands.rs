//! MindSpore's implicit promotion of both operands.

use castproof_oracle::{Promoted, RuleId, promote_operands, rule};
use castproof_vectors::{DType, Hex, Number, Operand, Operands, Outcome, Scalar};

/// Returns the outcomes of both operands, part by part, and the rule.
fn ask(
    tensor: DType,
    with: Operand,
    left: &[u64],
    right: &[u64],
) -> (DType, Vec<Vec<Outcome>>, RuleId) {
    let element = |dtype: DType, codes: &[u64]| match (codes, dtype.part()) {
        (&[code], _) => Scalar::Real(Hex::new(code, dtype)),
        (&[real, imaginary], Some(part)) => {
            Scalar::Complex([real, imaginary].map(|code| Hex::new(code, part)))
        }
        _ => panic!("one or two codes"),
    };
    let elements = [element(tensor, left), element(with.dtype(), right)];
    let (promoted, rule) =
        promote_operands(&Operands { tensor, with, elements }).expect("elements");
    let Promoted { dtype, operands } = promoted.expect("they promote");
    let outcomes = operands.map(|parts| parts.into_iter().map(|part| part.expect).collect());
    (dtype, outcomes.to_vec(), rule)
}

fn codes(all: &[&[u64]]) -> Vec<Vec<Outcome>> {
    all.iter().map(|codes| codes.iter().map(|&code| Outcome::Code(code)).collect()).collect()
}

/// Expected results were worked out by hand, from the values.
#[test]
fn two_tensors() {
    use DType::*;
    for (tensor, other, left, right, dtype, expected, rule) in [
        // -1 and 255.
        (Int8, Uint8, 0xff, 0xff, Int16, [0xffff, 0x00ff], rule::MS_O1),
        // 2^24 + 1 is midway between 2^24 and 2^24 + 2; the even one is 2^24.
        (
            Int64,
            Float32,
            0x0100_0001,
            0x8000_0000,
            Float32,
            [0x4b80_0000, 0x8000_0000],
            rule::MS_O6,
        ),
        // 65519 rounds down to 65504, 65520 is midway and goes up, which is infinity.
        (Int32, Float16, 65519, 1, Float16, [0x7bff, 0x0001], rule::MS_O7),
        (Int32, Float16, 65520, 0x8000, Float16, [0x7c00, 0x8000], rule::MS_O7),
        // 2049 is midway between 2048 and 2050, -2051 between -2050 and -2052.
        (Float16, Int32, 0x3c00, 2049, Float16, [0x3c00, 0x6800], rule::MS_O6),
        (Int16, Float16, 0xf7fd, 0xfc00, Float16, [0xe802, 0xfc00], rule::MS_O6),
        // 255 has eight bits, which bfloat16 holds.
        (Uint8, Bfloat16, 255, 0x0001, Bfloat16, [0x437f, 0x0001], rule::MS_O1),
        // The least subnormal float16, 2^-24, and the least of bfloat16, 2^-133.
        (Float16, Bfloat16, 0x8001, 0x8001, Float32, [0xb380_0000, 0x8001_0000], rule::MS_O1),
        // 2^53 + 1 to float64: midway, the even one is 2^53.
        (
            Float64,
            Int64,
            0x8000 << 48,
            (1 << 53) + 1,
            Float64,
            [0x8000 << 48, 0x4340 << 48],
            rule::MS_O6,
        ),
        (Bool, Uint64, 1, u64::MAX, Uint64, [1, u64::MAX], rule::MS_O1),
        (Bool, Bool, 1, 0, Bool, [1, 0], rule::MS_O1),
    ] {
        let got = ask(tensor, Operand::Tensor(other), &[left], &[right]);
        let expected = codes(&[&[expected[0]], &[expected[1]]]);
        assert_eq!(got, (dtype, expected, rule), "{tensor} {left:#x} {other} {right:#x}");
    }
}

#[test]
fn complex_operands() {
    use DType::*;
    let (one, minus_two) = (0x3ff0 << 48, 0xc000 << 48);
    // float64 -2 and 1 - 2i.
    let got = ask(Float64, Operand::Tensor(Complex64), &[minus_two], &[0x3f80_0000, 0xc000_0000]);
    assert_eq!(got, (Complex128, codes(&[&[minus_two, 0], &[one, minus_two]]), rule::MS_O2));
    // An imaginary negative zero stays; 2^24 + 1 is rounded, its imaginary part is +0.
    let got = ask(Complex64, Operand::Tensor(Int32), &[0, 0x8000_0000], &[0x0100_0001]);
    assert_eq!(got, (Complex64, codes(&[&[0, 0x8000_0000], &[0x4b80_0000, 0]]), rule::MS_O6));
    let (_, nan, rule) = ask(Complex64, Operand::Tensor(Float16), &[0, 0], &[0x7e01]);
    assert_eq!(nan[1], [Outcome::AnyNan, Outcome::Code(0)]);
    assert_eq!(rule, rule::MS_O3);
}

#[test]
fn numbers() {
    use DType::*;
    use Number::{Bool as B, Float as F, Int as I};
    for (tensor, number, left, right, dtype, expected, rule) in [
        (Bool, I, 1, u64::MAX, Int64, [1, u64::MAX], rule::MS_O1),
        (Uint16, B, 0xffff, 1, Uint16, [0xffff, 1], rule::MS_O1),
        // 300 has the low byte 44, -1 the low byte 255.
        (Int8, I, 0x80, 300, Int8, [0x80, 44], rule::MS_O4),
        (Uint8, I, 0x80, u64::MAX, Uint8, [0x80, 255], rule::MS_O4),
        // 0.1 is 0x3fb999999999999a: in float32 the part 0x99999a is cut to 24 bits, rounded up.
        (Uint8, F, 255, 0x3fb9_9999_9999_999a, Float32, [0x437f_0000, 0x3dcc_cccd], rule::MS_O5),
        // 2^53 + 1 is midway; what float64 holds stays as it is.
        (Float64, I, 0, (1 << 53) + 1, Float64, [0, 0x4340 << 48], rule::MS_O6),
        (Float64, F, 0, 0x3fb9_9999_9999_999a, Float64, [0, 0x3fb9_9999_9999_999a], rule::MS_O8),
        // 1 + 2^-11 + 2^-40 is above the tie of float16, though float32 rounds it to the tie.
        (Float16, F, 0, 0x3ff0_0200_0000_1000, Float16, [0, 0x3c01], rule::MS_O5),
        // 65520 overflows float16; 1e300 float32.
        (Float16, F, 0, 0x40ef_fe00_0000_0000, Float16, [0, 0x7c00], rule::MS_O5),
        (Float16, I, 0, 65520, Float16, [0, 0x7c00], rule::MS_O7),
        (Bool, F, 1, 0x7e37_e43c_8800_759c, Float32, [0x3f80_0000, 0x7f80_0000], rule::MS_O5),
    ] {
        let got = ask(tensor, Operand::Number(number), &[left], &[right]);
        let expected = codes(&[&[expected[0]], &[expected[1]]]);
        assert_eq!(got, (dtype, expected, rule), "{tensor} {left:#x} {number:?} {right:#x}");
    }
}

#[test]
fn refused_and_broken() {
    let hex = |code, dtype| Scalar::Real(Hex::new(code, dtype));
    let question = |other, code| {
        let elements = [hex(1, DType::Int8), hex(code, other)];
        Operands { tensor: DType::Int8, with: Operand::Tensor(other), elements }
    };
    assert_eq!(promote_operands(&question(DType::Uint16, 1)), Ok((None, rule::MS_A1)));
    assert_eq!(promote_operands(&question(DType::String, 1)), Ok((None, rule::MS_03)));
    let wide = promote_operands(&question(DType::Uint8, 256)).expect_err("too wide");
    assert!(wide.to_string().contains("does not fit uint8"), "{wide}");
    let real = promote_operands(&question(DType::Complex64, 1)).expect_err("one code");
    assert!(real.to_string().contains("complex64"), "{real}");
}
