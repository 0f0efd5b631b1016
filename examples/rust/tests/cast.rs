//! Tests the kernel with a property test, and with every end of a piece of the book.

use castproof_check::{DType, Request, check, check_slices, fuzz};
use fuzzed_kernel::{all_to_bfloat16, to_bfloat16};
use proptest::prelude::*;

const FROM: DType = DType::Float32;
const TO: DType = DType::Bfloat16;

proptest! {
    #[test]
    fn any_input_is_cast_right(input: Vec<u8>) {
        fuzz::check(&input, FROM, TO, to_bfloat16).unwrap();
    }

    #[test]
    fn any_slice_is_cast_right(input: Vec<u8>) {
        fuzz::check_slices(&input, FROM, TO, all_to_bfloat16).unwrap();
    }

    /// Checks a property of its own on the codes: a cast to bfloat16 and back differs by no more than
    /// a step of bfloat16.
    #[test]
    fn the_way_back_is_near(input: Vec<u8>) {
        for code in fuzz::codes(&input, &Request::cast(FROM, TO, 28)).unwrap() {
            let x = f32::from_bits(code as u32);
            let back = f32::from_bits(u32::from(to_bfloat16(x)) << 16);
            prop_assert!(!back.is_finite() || (back - x).abs() <= x.abs() / 256.0 + 1e-40, "{x:e}");
        }
    }
}

#[test]
fn every_boundary_is_cast_right() {
    check(FROM, TO, to_bfloat16).unwrap();
}

/// A kernel over slices also has a body and a tail, and buffers that it must stay within.
#[test]
fn every_slice_is_cast_right() {
    check_slices(FROM, TO, all_to_bfloat16).unwrap();
}

/// A wrong kernel, of which `check` runs only the tail: its body truncates.
#[test]
fn a_wrong_body_is_noticed() {
    let wrong = |input: &[f32], output: &mut [u16]| {
        all_to_bfloat16(input, output);
        let body = input.len() / 8 * 8;
        input.iter().zip(output).take(body).for_each(|(x, y)| *y = (x.to_bits() >> 16) as u16);
    };
    let said = check_slices(FROM, TO, wrong).unwrap_err().to_string();
    assert!(said.contains("right alone"), "{said}");
}

/// A wrong kernel, which a fuzz target must notice: it truncates instead of rounding.
#[test]
fn a_wrong_kernel_is_noticed() {
    let cut = |x: f32| (x.to_bits() >> 16) as u16;
    let said = fuzz::check(b"any input", FROM, TO, cut).unwrap_err().to_string();
    assert!(said.contains("Cast(28) float32 -> bfloat16") && said.contains("expected"), "{said}");
}
