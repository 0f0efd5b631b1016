//! Blocks of GGUF made from numbers: what ggml's C gave for the same numbers (commit d99724f2, compiled for x86-64 without fused
//! multiply-add), and the two readings that a machine may have.

use castproof_quantised::gguf::{GgufMachine, encode_block, quantise_gguf};
use castproof_vectors::{Bytes, DType, GgufType, QuantizeGguf};

use GgufType::*;

fn codes(numbers: &[f32], kind: GgufType) -> Vec<u64> {
    let mut codes: Vec<u64> = numbers.iter().map(|it| it.to_bits().into()).collect();
    codes.resize(kind.record().elements, 0);
    codes
}

/// The block of numbers, zeros behind them, in hex; then the bits that may be anything.
fn made(kind: GgufType, numbers: &[f32]) -> String {
    let block = encode_block(kind, &codes(numbers, kind), GgufMachine::default()).expect("a block");
    let open = block.open.map(|open| format!(" {open}"));
    format!("{}{}", block.blocks, open.unwrap_or_default())
}

/// Numbers of both signs, a third of them with many significand bits.
fn golden(kind: GgufType) -> Vec<f32> {
    let number = |i: usize| {
        let number = (((37 * i + 11) % 64) as f64 - 32.0) / 8.0;
        (if i.is_multiple_of(3) { number * 0.7 } else { number }) as f32
    };
    (0..kind.record().elements).map(number).collect()
}

#[test]
fn blocks_are_those_of_ggml() {
    for (kind, due) in [
        (Q4_0, "0038740c953dc861ea843da73fb964fb842c"),
        (Q4_1, "113800c4740c952cc861e9733da63fb864fb841c"),
        (Q5_0, "00345aad546ae9082b5980c2d3f76a4d7f61c7e60938"),
        (Q5_1, "df3300c45aad546ae9082b5a80c2d3f76a4d7f71c7e61938"),
        (Q8_0, "0828c640d448fc9119b94bea7308bb30c43dec810ea93cdf63f8af20b532dc6f0399"),
        (MXFP4, "7f9ce41bd440ad520cd429c630ac530cd4"),
        (NVFP4, "323332326da57c16d04fd35eea3fd14eb57b06e9d46c96fa36d25ec416d05fd35da6fa27"),
    ] {
        assert_eq!(made(kind, &golden(kind)), due, "{kind}");
    }
}

/// Equal magnitudes, zeros, numbers that are all the same, and scales at the ends of float16.
#[test]
fn small_blocks_are_those_of_ggml() {
    let zeros = |count: usize| "0".repeat(2 * count);
    let eights = |count: usize| "8".repeat(2 * count);
    for (kind, numbers, due) in [
        (Q4_0, &[-1.0, 1.0][..], format!("0030808f{}", eights(14))),
        (Q4_0, &[1.0, -1.0], format!("00b0808f{}", eights(14))),
        (Q4_0, &[], format!("0080{}", eights(16))),
        (Q5_0, &[], format!("0080ffffffff{}", zeros(16))),
        (Q4_1, &[], zeros(20)),
        (Q8_0, &[], zeros(34)),
        (MXFP4, &[], zeros(17)),
        (NVFP4, &[], zeros(36)),
        (Q4_0, &[-0.0; 32], format!("0080{}", eights(16))),
        (Q4_1, &[-0.0; 32], format!("00000080{}", zeros(16))),
        (Q8_0, &[1.0; 32], format!("0820{}", "7f".repeat(32))),
        (Q4_1, &[1.0; 32], format!("0000003c{}", zeros(16))),
        (MXFP4, &[1.0; 32], format!("7d{}", "66".repeat(16))),
        (NVFP4, &[1.0; 64], format!("23232323{}", "77".repeat(32))),
        (MXFP4, &[1.0, -1.0], format!("7d060e{}", zeros(14))),
        (NVFP4, &[1.0, -1.0], format!("23000000070f{}", zeros(30))),
        // The scale is beyond float16, or rounds to zero in it, and elements are as otherwise.
        (Q8_0, &[1e9], format!("007c7f{}", zeros(31))),
        (Q8_0, &[1e-7], format!("00007f{}", zeros(31))),
        (Q4_0, &[-524_160.0], format!("007c80{}", eights(15))),
        // The smallest and the largest scale of NVFP4.
        (NVFP4, &[6.0 / 1024.0], format!("0100000005{}", zeros(31))),
        (NVFP4, &[1488.0], format!("7e00000005{}", zeros(31))),
        (NVFP4, &[f32::INFINITY, f32::NAN, 2688.0], format!("7e000000000007{}", zeros(29))),
    ] {
        assert_eq!(made(kind, numbers), due, "{kind} {numbers:?}");
    }
}

/// What becomes an integer out of its range may be anything.
#[test]
fn undefined_conversions_are_open() {
    // A NaN does not enter the largest number, and its nibble is open.
    let block = encode_block(Q4_0, &codes(&[-1.0, f32::NAN], Q4_0), GgufMachine::default());
    let open = block.expect("a block").open.expect("open bits").0;
    assert_eq!((open[3], open.iter().filter(|it| **it != 0).count()), (0x0f, 1));
    // A fifth bit is open with its nibble.
    let block = encode_block(Q5_1, &codes(&[0.0, f32::NAN], Q5_1), GgufMachine::default());
    let open = block.expect("a block").open.expect("open bits").0;
    assert_eq!((open[4], open[9]), (0x02, 0x0f));
    for (kind, numbers) in
        [(Q8_0, &[1.0, f32::NAN][..]), (MXFP4, &[f32::INFINITY]), (MXFP4, &[1e-38])]
    {
        let all = "ff".repeat(kind.record().bytes);
        assert!(made(kind, numbers).ends_with(&all), "{kind} {numbers:?}");
    }
    // 1/d is infinite: zeros are open too, since zero times infinity is NaN.
    let open = made(Q8_0, &[1e-39]);
    assert!(open.ends_with(&format!(" 0000{}", "ff".repeat(32))), "{open}");
}

/// 1/d is 2^3, so 0.37116855 is 13.999998 steps, which the sum rounds to 14 or not.
#[test]
fn a_fused_sum_and_a_rounded_logarithm_are_tolerated() {
    let ask = |kind: GgufType, numbers: &[u32]| {
        let mut numbers = numbers.to_vec();
        numbers.resize(kind.record().elements, 0);
        let input = numbers.into_iter().flat_map(u32::to_le_bytes).collect();
        let ask = QuantizeGguf { kind, from: DType::Float32, input: Bytes(input) };
        let (due, readings, rule) = quantise_gguf(&ask).expect("a block");
        let readings: Vec<String> = readings.iter().map(|it| it.blocks.to_string()).collect();
        (due.blocks.to_string()[..8].to_string(), readings, rule.to_string())
    };
    let (due, readings, rule) = ask(Q4_0, &[0xbf0a_35ae, 0x3ebe_09ce]);
    assert_eq!((&due[..], &rule[..]), ("522c808e", "GG-16"));
    assert_eq!(readings.len(), 1);
    assert_eq!(readings[0][..8], *"522c808d");
    // Just below 4 the logarithm is 2 in float32.
    let (due, readings, rule) = ask(MXFP4, &[0x407f_ffff]);
    assert_eq!((&due[..4], &rule[..]), ("7e07", "GG-13"));
    assert_eq!(readings.len(), 1);
    assert_eq!(readings[0][..4], *"7f06");
    assert!(ask(MXFP4, &[0x407f_ffc0]).1.is_empty());
    // Between 0.5 and 1 float32 tells all logarithms from 0.
    assert!(ask(MXFP4, &[0x3f7f_ffff]).1.is_empty());
    // The largest number: a code that is too large, and 6 times its scale, which is infinite unless it is fused.
    let (due, readings, _) = ask(MXFP4, &[0x7f7f_ffff]);
    assert_eq!(&due[..4], "fc07");
    assert_eq!(readings.iter().map(|it| &it[..4]).collect::<Vec<_>>(), ["fd05", "fd06"]);
}

#[test]
fn what_is_no_block_is_refused() {
    let said = |kind, count: usize| {
        encode_block(kind, &vec![0; count], GgufMachine::default())
            .expect_err("refused")
            .to_string()
    };
    assert!(said(Q4_K, 256).starts_with("Q4_K is not made from numbers here; known are Q4_0,"));
    assert_eq!(said(Q4_0, 31), "31 numbers are no block of Q4_0, which has 32");
}
