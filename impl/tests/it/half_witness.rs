//! Compares casts to and from float16 and bfloat16 with the crate `half`, which has known faults.
//!
//! The tests use its `const` conversions, which are the same on every machine. The others may use
//! instructions that round twice.

use crate::common::{cast, every, random};
use castproof_vectors::DType;
use half::{bf16, f16};

/// Asserts that two codes agree; only NaN payloads may differ.
fn agree(ours: u64, theirs: u64, nan_above: u64, context: &str) {
    let is_nan = |code: u64| code & 0x7fff > nan_above;
    assert!(ours == theirs || (is_nan(ours) && is_nan(theirs)), "{context}: {ours:#x} {theirs:#x}");
}

#[test]
fn widening_is_exact() {
    for code in 0..=u16::MAX {
        let wide = |from, to| cast(from, to, code.into());
        let (half, brain) = (f16::from_bits(code), bf16::from_bits(code));
        let rows = [
            (half.to_f32_const(), half.to_f64_const(), DType::Float16),
            (brain.to_f32_const(), brain.to_f64_const(), DType::Bfloat16),
        ];
        for (single, double, from) in rows {
            let ours = f32::from_bits(wide(from, DType::Float32) as u32);
            assert!(ours.to_bits() == single.to_bits() || ours.is_nan() && single.is_nan());
            let ours = f64::from_bits(wide(from, DType::Float64));
            assert!(ours.to_bits() == double.to_bits() || ours.is_nan() && double.is_nan());
        }
    }
}

#[test]
fn narrowing_float32_rounds_to_nearest_even() {
    let near_ties = (0..=u16::MAX).flat_map(|code| {
        let half = f16::from_bits(code).to_f32_const().to_bits();
        let brain = bf16::from_bits(code).to_f32_const().to_bits();
        let offsets = [0, 1, 0x0fff, 0x1000, 0x1001, 0x7fff, 0x8000, 0x8001];
        [half, brain].into_iter().flat_map(move |bits| offsets.map(|more| bits.wrapping_add(more)))
    });
    for bits in near_ties.chain(random(3).take(500_000).map(|code| code as u32)).step_by(every()) {
        let x = f32::from_bits(bits);
        let context = format!("{bits:#x}");
        let half = cast(DType::Float32, DType::Float16, bits.into());
        agree(half, f16::from_f32_const(x).to_bits().into(), 0x7c00, &context);
        let brain = cast(DType::Float32, DType::Bfloat16, bits.into());
        agree(brain, bf16::from_f32_const(x).to_bits().into(), 0x7f80, &context);
    }
}

/// `half` reads only the upper 32 bits of a float64, so the lower bits of the inputs are zero.
#[test]
fn narrowing_float64_rounds_to_nearest_even() {
    let scaled = random(5).take(500_000).flat_map(|code| {
        // Every exponent of the targets, because random ones are hardly ever in range of float16.
        let exponent = 1023 - 160 + (code >> 32) % 320;
        [code, code & 0x800f_ffff_ffff_ffff | exponent << 52]
    });
    for code in scaled.map(|code| code & !0xffff_ffff).step_by(every()) {
        let x = f64::from_bits(code);
        let context = format!("{code:#x}");
        let half = cast(DType::Float64, DType::Float16, code);
        agree(half, f16::from_f64_const(x).to_bits().into(), 0x7c00, &context);
        let brain = cast(DType::Float64, DType::Bfloat16, code);
        agree(brain, bf16::from_f64_const(x).to_bits().into(), 0x7f80, &context);
    }
}

/// The known fault: the lower 32 bits are dropped, so a number just above a tie becomes the tie.
/// If this test fails, `half` was corrected: widen the test above.
#[test]
fn half_drops_the_lower_bits_of_a_float64() {
    // 1 + 2^-11 + 2^-40 and 1 + 2^-8 + 2^-40.
    let (above_half_tie, above_brain_tie) = (0x3ff0_0200_0000_1000_u64, 0x3ff0_1000_0000_1000_u64);
    assert_eq!(f16::from_f64_const(f64::from_bits(above_half_tie)).to_bits(), 0x3c00);
    assert_eq!(cast(DType::Float64, DType::Float16, above_half_tie), 0x3c01);
    assert_eq!(bf16::from_f64_const(f64::from_bits(above_brain_tie)).to_bits(), 0x3f80);
    assert_eq!(cast(DType::Float64, DType::Bfloat16, above_brain_tie), 0x3f81);
}
