//! Blocks of GGUF: digests and numbers that ggml itself and the package `gguf` gave, and what follows from IEEE 754
//! for scales that are no numbers.

use castproof_quantised::gguf::{decode_block, dequantise_gguf};
use castproof_vectors::{Bytes, DType, DequantizeGguf, GgufType, Outcome, sha256_hex};

use GgufType::*;

/// 2^-4 * 1.6, nearly: the scale of the blocks with digests, as it is stored.
const SCALE: [u8; 2] = [0x66, 0x2e];
/// 2^-5 * 1.6, nearly: their minimum.
const MINIMUM: [u8; 2] = [0x66, 0x2a];

/// A type, where its scale and its minimum lie, the digest of its numbers, the first three and the last.
type Golden = (GgufType, Option<usize>, Option<usize>, &'static str, &'static [f64]);

/// What ggml at commit d99724f2 made of four blocks each. gguf 0.19.0 made the same, but of Q1_0 and Q2_0, which it lacks.
const GOLDEN: [Golden; 18] = [
    (
        Q4_0,
        Some(0),
        None,
        "2993a2f3dfebb613",
        &[-0.2999267578125, 0.199951171875, 0.6998291015625, 0.199951171875],
    ),
    (
        Q4_1,
        Some(0),
        Some(2),
        "0fbac5f9209b8788",
        &[1.54962158203125, 0.44989013671875, 0.94976806640625, 1.54962158203125],
    ),
    (
        Q5_0,
        Some(0),
        None,
        "b5f761d1218b5d63",
        &[0.8997802734375, -0.199951171875, 0.2999267578125, 0.39990234375],
    ),
    (
        Q5_1,
        Some(0),
        Some(2),
        "db9d00015f64eb19",
        &[1.94952392578125, 2.44940185546875, 2.94927978515625, 0.84979248046875],
    ),
    (
        Q8_0,
        Some(0),
        None,
        "f843221f10a5e3d1",
        &[8.4979248046875, 12.197021484375, -9.6976318359375, -0.0999755859375],
    ),
    (
        Q2_K,
        Some(80),
        Some(82),
        "41105ebe53e54758",
        &[3.2991943359375, 0.0, 1.0997314453125, 0.6998291015625],
    ),
    (
        Q3_K,
        Some(108),
        None,
        "7588e70e9a63cce9",
        &[8.0980224609375, -10.79736328125, 2.6993408203125, 0.2999267578125],
    ),
    (
        Q4_K,
        Some(0),
        Some(2),
        "671bd947409bf3c5",
        &[31.54229736328125, -2.54937744140625, 12.94683837890625, 4.2989501953125],
    ),
    (
        Q5_K,
        Some(0),
        Some(2),
        "29f8015a80d52a0b",
        &[81.13018798828125, -2.54937744140625, 62.53472900390625, 1.2996826171875],
    ),
    (
        Q6_K,
        Some(208),
        None,
        "f332a6ee7385d375",
        &[-143.0650634765625, 169.55859375, 58.2857666015625, 92.4774169921875],
    ),
    (
        IQ4_NL,
        Some(0),
        None,
        "89d0422fbc255edb",
        &[-3.4991455078125, 2.4993896484375, 11.2972412109375, 2.4993896484375],
    ),
    (
        IQ4_XS,
        Some(0),
        None,
        "24a92752d2bf2293",
        &[6.4984130859375, -0.0999755859375, -6.8983154296875, 11.397216796875],
    ),
    (
        TQ1_0,
        Some(52),
        None,
        "f474b76725e9ddd6",
        &[-0.0999755859375, -0.0999755859375, -0.0999755859375, -0.0999755859375],
    ),
    (TQ2_0, Some(64), None, "e8951d404fa81742", &[0.199951171875, -0.0999755859375, 0.0, 0.0]),
    (
        MXFP4,
        None,
        None,
        "1a807e71e3fd82f9",
        &[0.0, 1.7632415262334313e-38, -5.877471754111438e-39, 0.0],
    ),
    (NVFP4, None, None, "22487996476afa15", &[-6.0, 2.0, -0.5, 576.0]),
    (Q1_0, Some(0), None, "a801b56d6793167b", &[]),
    (Q2_0, Some(0), None, "3e3ddad7e2d4dfb6", &[]),
];

/// The scales of the four blocks of NVFP4.
const NVFP4_SCALES: [[u8; 4]; 4] = [
    [0x38, 0x01, 0x08, 0x7e],
    [0x00, 0x7f, 0x80, 0xff],
    [0x07, 0x09, 0x30, 0x40],
    [0x3f, 0x77, 0x78, 0x79],
];

fn block((kind, scale, minimum, ..): &Golden, number: usize) -> Vec<u8> {
    let byte = |at: usize| (37 * at + 11 + 101 * number) as u8;
    let mut block: Vec<u8> = (0..kind.record().bytes).map(byte).collect();
    for (at, bytes) in [(scale, SCALE), (minimum, MINIMUM)] {
        at.iter().for_each(|&at| block[at..at + 2].copy_from_slice(&bytes));
    }
    match kind {
        MXFP4 => block[0] = [0x00, 0x01, 0x7f, 0xfe][number],
        NVFP4 => block[..4].copy_from_slice(&NVFP4_SCALES[number]),
        _ => {}
    }
    block
}

fn codes(kind: GgufType, to: DType, bytes: &[u8]) -> Vec<Option<u32>> {
    let numbers = decode_block(kind, to, bytes).expect("a block").into_iter();
    let code = |number| match number {
        Outcome::Code(code) => Some(code as u32),
        _ => None,
    };
    numbers.map(code).collect()
}

#[test]
fn what_ggml_made_of_four_blocks() {
    for golden in &GOLDEN {
        let (kind, .., digest, shown) = golden;
        let numbers =
            (0..4).flat_map(|number| codes(*kind, DType::Float32, &block(golden, number)));
        let numbers: Vec<u32> = numbers.map(|code| code.expect("no NaN")).collect();
        let bytes: Vec<u8> = numbers.iter().flat_map(|code| code.to_le_bytes()).collect();
        if let [first, second, third, last] = **shown {
            let places = [0, 1, 2, numbers.len() - 1];
            let got = places.map(|at| f64::from(f32::from_bits(numbers[at])));
            assert_eq!(got, [first, second, third, last], "{kind}");
        }
        assert_eq!(&sha256_hex(&bytes)[..16], *digest, "{kind}");
    }
}

/// Types without a digest: the elements are 1, -1 and -128 under the scale 0.5, and so on.
#[test]
fn the_other_types() {
    let half = 0.5_f32.to_bits();
    for (kind, scale) in [(Q8_1, &[0x00, 0x38, 0xff, 0xff][..]), (Q8_K, &[0x00, 0x00, 0x00, 0x3f])]
    {
        let mut block = vec![0x77; kind.record().bytes];
        block[..4].copy_from_slice(scale);
        block[4..7].copy_from_slice(&[0x01, 0xff, 0x80]);
        let numbers = codes(kind, DType::Float32, &block);
        let sign = 1 << 31;
        let due = [half, half | sign, (-64_f32).to_bits()].map(Some);
        assert_eq!(numbers[..3], due, "{kind}");
    }
    // 0.1 * 127 rounds: 0x3dcccccd * 127 lies between two numbers.
    let mut block = [0x7f; 292];
    block[..4].copy_from_slice(&0x3dcc_cccd_u32.to_le_bytes());
    assert_eq!(codes(Q8_K, DType::Float32, &block)[0], Some((0.1_f32 * 127.0).to_bits()));
    for (code, due) in [(0x3c00, 0x3f80_0000), (0x8001, 0xb380_0000), (0xfc00, 0xff80_0000)] {
        assert_eq!(codes(F16, DType::Float32, &u16::to_le_bytes(code)), [Some(due)]);
    }
    for code in [0x3f80, 0x8001, 0xff80] {
        let due = Some(u32::from(code) << 16);
        assert_eq!(codes(BF16, DType::Float32, &u16::to_le_bytes(code)), [due]);
        assert_eq!(codes(BF16, DType::Bfloat16, &u16::to_le_bytes(code)), [Some(code.into())]);
    }
}

/// GG-02: zeros of a bare product have the sign of the product, those of a sum follow IEEE 754; zero times infinity and the
/// difference of infinities are NaN.
#[test]
fn scales_without_a_number_and_signs_of_zeros() {
    let first = |kind: GgufType, fields: &[(usize, &[u8])]| {
        let mut block = vec![0; kind.record().bytes];
        fields.iter().for_each(|(at, bytes)| block[*at..at + bytes.len()].copy_from_slice(bytes));
        codes(kind, DType::Float32, &block)[0]
    };
    let (one, minus, infinity) = (&[0x00, 0x3c][..], &[0x00, 0xbc][..], &[0x00, 0x7c][..]);
    let (zero, negative_zero) = (Some(0), Some(1 << 31));
    // Q4_0: nibble 8 is 0.
    assert_eq!(first(Q4_0, &[(0, one), (2, &[8])]), zero);
    assert_eq!(first(Q4_0, &[(0, minus), (2, &[8])]), negative_zero);
    assert_eq!(first(Q4_0, &[(0, infinity), (2, &[8])]), None);
    assert_eq!(first(Q4_0, &[(0, infinity)]), Some(0xff80_0000));
    assert_eq!(first(Q4_0, &[(0, &[0x01, 0x7e])]), None);
    // Q4_1: -0 + 0 is 0, -0 + -0 is -0.
    assert_eq!(first(Q4_1, &[(0, minus)]), zero);
    assert_eq!(first(Q4_1, &[(0, minus), (2, &[0x00, 0x80])]), negative_zero);
    // Q2_K: infinity - infinity, and infinity times a scale of 0.
    assert_eq!(first(Q2_K, &[(0, &[0x11]), (16, &[1]), (80, infinity), (82, infinity)]), None);
    assert_eq!(first(Q2_K, &[(0, &[0x10]), (16, &[1]), (80, infinity)]), None);
    assert_eq!(first(Q2_K, &[(0, &[0x11]), (16, &[1]), (80, infinity)]), Some(0x7f80_0000));
    // Q6_K: 0 of a scale under a negative element, -32.
    assert_eq!(first(Q6_K, &[(208, one)]), negative_zero);
    // NVFP4: elements 8 and 9 under a scale of 0.
    assert_eq!(first(NVFP4, &[(4, &[8])]), zero);
    assert_eq!(first(NVFP4, &[(4, &[9])]), negative_zero);
    // MXFP4 under 0xff: 0.5 is 2^127, 1 is infinite.
    assert_eq!(first(MXFP4, &[(0, &[0xff, 1])]), Some(0x7f00_0000));
    assert_eq!(first(MXFP4, &[(0, &[0xff, 2])]), Some(0x7f80_0000));
}

/// GG-03: 1 + 2^-11 + 2^-22 * 1024 and so on are float32 first. A number of Q8_K that float32 rounds to a tie of float16 becomes the
/// even one, although the exact one is above the tie.
#[test]
fn other_dtypes_round_the_float32() {
    // 3 * (2^24 + 2^13 + 1) / 3 * 2^-24: the scale (1 + 2^-11) * (1 + 2^-23) / 3 is none of float32, so a scale is sought.
    let is_twice = |scale: u32| {
        let exact = f64::from(f32::from_bits(scale)) * 3.0;
        let once = exact as f32;
        let is_tie = once.to_bits() & 0x1fff == 0x1000;
        (is_tie && f64::from(once) < exact && once.to_bits() & 0x2000 == 0)
            .then_some(once.to_bits())
    };
    let (scale, once) = (0x3eaa_0000..0x3ed0_0000)
        .find_map(|scale| is_twice(scale).map(|once| (scale, once)))
        .expect("a scale whose triple rounds to a tie");
    let mut block = [3; 292];
    block[..4].copy_from_slice(&u32::to_le_bytes(scale));
    assert_eq!(codes(Q8_K, DType::Float32, &block)[0], Some(once));
    let even = (once - 0x3800_0000) >> 13;
    assert_eq!(codes(Q8_K, DType::Float16, &block)[0], Some(even), "{scale:#x}");
    // 65504 * 127 is beyond float16, and a number of bfloat16.
    let mut block = [0x7f; 34];
    block[..2].copy_from_slice(&[0xff, 0x7b]);
    assert_eq!(codes(Q8_0, DType::Float16, &block)[0], Some(0x7c00));
    assert_eq!(codes(Q8_0, DType::Bfloat16, &block)[0], Some(0x4afe));
}

#[test]
fn what_cannot_be_asked_is_said() {
    let said = |kind, to, bytes: usize| {
        let ask = DequantizeGguf { kind, to, input: Bytes(vec![0; bytes]) };
        dequantise_gguf(&ask).expect_err("no numbers").to_string()
    };
    assert_eq!(
        said(Q4_K, DType::Float32, 145),
        "145 bytes are no whole blocks of Q4_K: a block has 144 bytes"
    );
    assert_eq!(
        said(Q4_K, DType::Float64, 144),
        "Q4_K makes no numbers of float64; known are float32, bfloat16, float16"
    );
    assert!(decode_block(Q4_K, DType::Float32, &[]).is_err());
}
