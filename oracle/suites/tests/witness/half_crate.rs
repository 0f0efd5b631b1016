//! The crate half, Rust's usual float16 and bfloat16. Its casts from float32 are right. In hardware
//! it rounds float64 twice; in software it drops the low 32 bits of a float64 before it rounds.

use crate::compare::{Fault, agrees, agrees_but, is_through_float32, proves};
use castproof_oracle::cast;
use castproof_vectors::{DType, Outcome, Request};
use half::{bf16, f16};

use DType::{Bfloat16, Float16, Float32, Float64};

/// A conversion of half, from code to code.
type Conversion = fn(u64) -> u64;

/// Conversions without a fault. The first of each row may use the processor's instructions; the
/// second never does.
const RIGHT: [(DType, DType, [Conversion; 2]); 6] = [
    (
        Float32,
        Float16,
        [
            |code| f16::from_f32(f32::from_bits(code as u32)).to_bits().into(),
            |code| f16::from_f32_const(f32::from_bits(code as u32)).to_bits().into(),
        ],
    ),
    (
        Float32,
        Bfloat16,
        [
            |code| bf16::from_f32(f32::from_bits(code as u32)).to_bits().into(),
            |code| bf16::from_f32_const(f32::from_bits(code as u32)).to_bits().into(),
        ],
    ),
    (
        Float16,
        Float32,
        [
            |code| f16::from_bits(code as u16).to_f32().to_bits().into(),
            |code| f16::from_bits(code as u16).to_f32_const().to_bits().into(),
        ],
    ),
    (
        Float16,
        Float64,
        [
            |code| f16::from_bits(code as u16).to_f64().to_bits(),
            |code| f16::from_bits(code as u16).to_f64_const().to_bits(),
        ],
    ),
    (
        Bfloat16,
        Float32,
        [
            |code| bf16::from_bits(code as u16).to_f32().to_bits().into(),
            |code| bf16::from_bits(code as u16).to_f32_const().to_bits().into(),
        ],
    ),
    (
        Bfloat16,
        Float64,
        [
            |code| bf16::from_bits(code as u16).to_f64().to_bits(),
            |code| bf16::from_bits(code as u16).to_f64_const().to_bits(),
        ],
    ),
];

#[test]
fn float32_and_widening() {
    for (from, to, conversions) in RIGHT {
        for convert in conversions {
            agrees(&Request::cast(from, to, 28), |code| Some(convert(code)));
        }
    }
}

/// Conversions from float64, all faulty. Some processors have an instruction for float16, none has
/// one for bfloat16.
const FAULTY: [(DType, Conversion); 3] =
    [(Float16, f16_in_hardware), (Float16, f16_in_software), (Bfloat16, bf16_in_software)];

fn f16_in_hardware(code: u64) -> u64 {
    f16::from_f64(f64::from_bits(code)).to_bits().into()
}

fn f16_in_software(code: u64) -> u64 {
    f16::from_f64_const(f64::from_bits(code)).to_bits().into()
}

fn bf16_in_software(code: u64) -> u64 {
    bf16::from_f64(f64::from_bits(code)).to_bits().into()
}

#[test]
fn float64() {
    for (to, convert) in FAULTY {
        let request = Request::cast(Float64, to, 28);
        agrees_but(
            &request,
            |code| Some(convert(code)),
            |difference| {
                let high_half = difference.input & 0xffff_ffff_0000_0000;
                let dropped = cast(&request, high_half).expect("fits").expect;
                dropped == Outcome::Code(difference.got) || is_through_float32(&request, difference)
            },
        );
    }
}

#[test]
fn known_faults_in_software() {
    for (to, convert, input, gives, right) in [
        // 1 + 2^-11 + 2^-40 and 1 + 2^-8 + 2^-52 are above the tie; their high halves are the tie.
        (Float16, f16_in_software as Conversion, 0x3ff0_0200_0000_1000, 0x3c00, 0x3c01),
        (Bfloat16, bf16_in_software, 0x3ff0_1000_0000_0001, 0x3f80, 0x3f81),
        // 2^-25 + 2^-77 and 2^-134 + 2^-186 are above half the smallest subnormal.
        (Float16, f16_in_software, 0x3e60_0000_0000_0001, 0x0000, 0x0001),
        (Bfloat16, bf16_in_software, 0x3790_0000_0000_0001, 0x0000, 0x0001),
    ] {
        let request = Request::cast(Float64, to, 28);
        let right = Outcome::Code(right);
        proves(&Fault { request, input, gives, right, tolerated: true }, convert(input));
    }
}

/// On x86 with F16C, half casts float64 through float32; it decides so at run time. Without F16C it
/// casts these inputs in software, which gets them right.
#[cfg(target_arch = "x86_64")]
#[test]
fn known_faults_in_hardware() {
    // Just below the tie of the largest float16 and infinity, and just below the tie 1 + 3 * 2^-11.
    for (input, gives, right) in
        [(0x40ef_fdff_ffff_ffff, 0x7c00, 0x7bff), (0x3ff0_05ff_ffff_ffff, 0x3c02, 0x3c01)]
    {
        assert_eq!(f16_in_software(input), right, "{input:#x} in software");
        if std::arch::is_x86_feature_detected!("f16c") {
            let request = Request::cast(Float64, Float16, 28);
            let right = Outcome::Code(right);
            let fault = Fault { request, input, gives, right, tolerated: true };
            proves(&fault, f16_in_hardware(input));
        }
    }
}
