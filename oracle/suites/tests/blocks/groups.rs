//! Groups of FP8: values that were computed apart, witnesses that tell the steps of two libraries, and the second
//! way on drawn groups.

use super::{code, second};
use castproof_quantised::block::{breakpoints, quantise, scale_of_magnitude};
use castproof_suites::questions;
use castproof_vectors::BlockProfile::{
    self, Fp8Deepgemm, Fp8DeepgemmUe8m0, Fp8SglGroup, Fp8TeBlock, Fp8VllmGroup,
};
use castproof_vectors::DType::{Bfloat16, Float8E4M3FN, Float32};
use castproof_vectors::random::Random;
use castproof_vectors::{AnswerRecord, DType, Level, Outcome, Question, Suite, unpack};

const ALL: [BlockProfile; 5] =
    [Fp8Deepgemm, Fp8DeepgemmUe8m0, Fp8VllmGroup, Fp8SglGroup, Fp8TeBlock];

/// The scale and the elements of a group that begins with these numbers and goes on with zeros.
fn group(profile: BlockProfile, from: DType, numbers: &[u32]) -> (u64, Vec<Outcome>) {
    let mut codes: Vec<u64> = numbers.iter().map(|&code| code.into()).collect();
    codes.resize(128, 0);
    let answer = quantise(profile, (from, Float8E4M3FN), &codes, None).expect("a group");
    let elements = answer.elements.into_iter().take(numbers.len()).map(|(due, _)| due);
    (answer.scale, elements.collect())
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|it| it.to_bits()).collect()
}

/// An element that is any NaN, and one that is open.
const NAN: u64 = 0x100;
const OPEN: u64 = 0x101;

fn outcome(code: u64) -> Outcome {
    match code {
        NAN => Outcome::AnyNan,
        OPEN => Outcome::Any,
        code => Outcome::Code(code),
    }
}

/// A scale as a code, and elements.
type Due = (u64, &'static [u64]);

/// One group under each profile, in the order of `ALL`. An emulation of the steps gave them; those of vLLM follow its
/// sources, where a NaN becomes -448.
const ROWS: [(&[f32], [Due; 5]); 9] = [
    (
        &[0.0, 0.0],
        [
            (0x346f_acad, &[0, 0]),
            (0x69, &[0, 0]),
            // 1e-10 over 448, and times the rounded 1/448.
            (0x2a7b_5123, &[0, 0]),
            (0x2a7b_5124, &[0, 0]),
            (0x3f80_0000, &[0, 0]),
        ],
    ),
    (
        &[448.0, 1.0, -0.001],
        [
            (0x3f80_0000, &[0x7e, 0x38, 0x81]),
            (0x7f, &[0x7e, 0x38, 0x81]),
            (0x3f80_0000, &[0x7e, 0x38, 0x81]),
            (0x3f80_0000, &[0x7e, 0x38, 0x81]),
            (0x3f80_0000, &[0x7e, 0x38, 0x81]),
        ],
    ),
    (
        &[1.0, 0.3, -0.7],
        [
            (0x3b12_4925, &[0x7e, 0x70, 0xfa]),
            (0x77, &[0x78, 0x6a, 0xf3]),
            (0x3b12_4925, &[0x7e, 0x70, 0xfa]),
            (0x3b12_4925, &[0x7e, 0x70, 0xfa]),
            (0x3b12_4925, &[0x7e, 0x70, 0xfa]),
        ],
    ),
    (
        &[1e-5, 3e-6],
        [
            (0x346f_acad, &[0x63, 0x55]),
            (0x69, &[0x62, 0x55]),
            (0x32bf_bd57, &[0x7e, 0x70]),
            (0x32bf_bd57, &[0x7e, 0x70]),
            (0x32bf_bd57, &[0x7e, 0x70]),
        ],
    ),
    (
        &[3.3, 1.7, 0.2],
        [
            (0x3bf1_5f16, &[0x7e, 0x76, 0x5e]),
            (0x78, &[0x7d, 0x76, 0x5d]),
            (0x3bf1_5f16, &[0x7e, 0x76, 0x5e]),
            (0x3bf1_5f16, &[0x7e, 0x76, 0x5e]),
            (0x3bf1_5f15, &[0x7e, 0x76, 0x5e]),
        ],
    ),
    (
        &[449.0, 1.0],
        [
            (0x3f80_4925, &[0x7e, 0x38]),
            (0x80, &[0x76, 0x30]),
            (0x3f80_4925, &[0x7e, 0x38]),
            (0x3f80_4925, &[0x7e, 0x38]),
            (0x3f80_4925, &[0x7e, 0x38]),
        ],
    ),
    (
        &[f32::INFINITY, 1.0, -1.0],
        [
            (0x7f80_0000, &[NAN, 0, 0x80]),
            (0xfe, &[OPEN, 0, 0x80]),
            (0x7f80_0000, &[0xfe, 0, 0x80]),
            (0x7f80_0000, &[0x7f, 0, 0x80]),
            (0x3f80_0000, &[0x7e, 0x38, 0xb8]),
        ],
    ),
    (
        &[f32::NAN, 1.0],
        [
            (0x7fc0_0000, &[OPEN, OPEN]),
            (0xfe, &[NAN, 0]),
            (0x3b12_4925, &[0xfe, 0x7e]),
            (0x3b12_4925, &[0x7f, 0x7e]),
            (0x3b12_4925, &[0x7f, 0x7e]),
        ],
    ),
    (
        &[f32::MAX, 1.0],
        [
            (0x7b12_4924, &[0x7e, 0]),
            (0xf7, &[0x78, 0]),
            (0x7b12_4924, &[0x7e, 0]),
            (0x7b12_4924, &[0x7e, 0]),
            (0x7b12_4924, &[0x7e, 0]),
        ],
    ),
];

#[test]
fn values_of_each_library() {
    for (numbers, due) in ROWS {
        for (profile, (scale, elements)) in ALL.into_iter().zip(due) {
            let elements: Vec<Outcome> = elements.iter().map(|&code| outcome(code)).collect();
            let found = group(profile, Float32, &bits(numbers));
            assert_eq!(found, (scale, elements), "{} {numbers:?}", profile.name());
        }
    }
}

/// Where the ratio and the way that a scale is applied tell themselves: by the scale, and by one element.
#[test]
fn witnesses_of_ratio_and_application() {
    for (numbers, profile, due) in [
        ([2.625, -1.265_625], Fp8Deepgemm, (0x3bc0_0000, 0xf6)),
        ([2.375, 0.890_625], Fp8Deepgemm, (0x3bad_b6db, 0x73)),
        ([2.375, 0.890_625], Fp8VllmGroup, (0x3bad_b6db, 0x72)),
        ([2.375, 0.890_625], Fp8SglGroup, (0x3bad_b6dc, 0x72)),
        ([2.375, 0.890_625], Fp8TeBlock, (0x3bad_b6dc, 0x72)),
    ] {
        let (scale, elements) = group(profile, Float32, &bits(&numbers));
        assert_eq!((scale, code(&elements[1])), (due.0, Some(due.1)), "{}", profile.name());
    }
    // The product ratio of SGLang on the first group.
    assert_eq!(group(Fp8SglGroup, Float32, &bits(&[2.625])).0, 0x3bc0_0001);
}

/// 448 over 2^-149 and over 2^-133 is infinite, and over 2^-118 it is not.
#[test]
fn the_smallest_numbers_of_transformer_engine() {
    assert_eq!(group(Fp8TeBlock, Float32, &[1]).0, 0x0020_0000);
    // 1 over the largest bfloat16, (2 - 2^-7) * 2^127, is 2^-128 * (1 + 2^-8 + ...).
    let due = u64::from((1.0 / f32::from_bits(0x7f7f_0000)).to_bits());
    assert_eq!(group(Fp8TeBlock, Bfloat16, &[1]).0, due);
    let normal = u64::from((1.0 / (448.0 / f32::from_bits(0x0480_0000))).to_bits());
    assert_eq!(group(Fp8TeBlock, Float32, &[0x0480_0000]).0, normal);
}

/// A short group is that which zeros fill, or is refused.
#[test]
fn short_groups() {
    for profile in ALL {
        let short = quantise(profile, (Float32, Float8E4M3FN), &[0x4053_3333], None);
        match profile {
            Fp8Deepgemm | Fp8DeepgemmUe8m0 => {
                let short = short.expect("short");
                assert_eq!(short.scale, group(profile, Float32, &[0x4053_3333]).0);
                assert_eq!(short.elements.len(), 1);
            }
            _ => assert!(short.expect_err("refused").to_string().contains("(FB-05)")),
        }
        assert!(scale_of_magnitude(profile, Float8E4M3FN, 0).is_ok());
        let has_table = breakpoints(profile, Float8E4M3FN).is_ok();
        assert_eq!(has_table, profile == Fp8DeepgemmUe8m0, "{}", profile.name());
    }
}

/// Powers of two from 2^-126 on; those of the floor and of the largest number end what is reached.
#[test]
fn steps_of_powers_of_two() {
    let firsts = breakpoints(Fp8DeepgemmUe8m0, Float8E4M3FN).expect("a table");
    let known: Vec<(usize, u64)> =
        firsts.iter().enumerate().filter_map(|(code, first)| Some((code, (*first)?))).collect();
    assert_eq!(known[0], (0x69, 0));
    assert_eq!(known.last(), Some(&(0xfe, 0x7f80_0000)));
    assert_eq!(known[known.len() - 2].0, 0xf7);
    for &(code, first) in &known[1..known.len() - 1] {
        // The first significand above 448 in every binade.
        assert_eq!((first & 0x7f_ffff, first >> 23), (0x60_0001, code as u64 + 7), "{code:x}");
    }
}

/// Numbers near each other, or anywhere, with specials among them.
fn drawn(random: &mut Random) -> Vec<u32> {
    let mut numbers = vec![0; 128];
    let around = random.below(250) as u32;
    let (near, special) = (random.below(4) > 0, random.below(12));
    for _ in 0..8 {
        let number = random.number() as u32;
        let field = (around + (number >> 8 & 7)).min(0xfe) << 23;
        let drawn = if near { number & 0x807f_ffff | field } else { number };
        numbers[random.below(128)] = drawn;
    }
    let at = random.below(128);
    match special {
        0 => numbers[at] = 0xffc0_0001,
        1 => numbers[at] = 0xff80_0000,
        2 => numbers[at] = 0x8000_0000,
        3 => numbers[at] = 0x8000_0001,
        _ => {}
    }
    numbers
}

fn compare(profile: BlockProfile, from: DType, numbers: &[u32]) {
    let wide: Vec<u32> = match from {
        Bfloat16 => numbers.iter().map(|number| number << 16).collect(),
        _ => numbers.to_vec(),
    };
    let most = if from == Bfloat16 { 0x7f7f_0000 } else { 0x7f7f_ffff };
    let (scale, due) = second::group(profile, &wide, most);
    let (found, elements) = group(profile, from, numbers);
    assert_eq!(found, scale, "{} {from}: {numbers:x?}", profile.name());
    for (place, (element, due)) in elements.iter().zip(due).enumerate() {
        assert_eq!(code_or_open(element), due, "{} {from} {place}: {numbers:x?}", profile.name());
    }
}

fn code_or_open(element: &Outcome) -> Option<u64> {
    match element {
        Outcome::AnyNan => None,
        element => code(element),
    }
}

#[test]
fn drawn_groups() {
    let mut random = Random::new(128);
    for _ in 0..4_000 {
        let numbers = drawn(&mut random);
        let narrow: Vec<u32> = numbers.iter().map(|number| number >> 16).collect();
        for profile in ALL {
            compare(profile, Float32, &numbers);
            compare(profile, Bfloat16, &narrow);
        }
    }
}

/// Numbers on both sides of each midpoint of elements times the scale, where the order of the steps decides.
#[test]
fn numbers_beside_midpoints() {
    let mut random = Random::new(5);
    let boundaries = castproof_quantised::block::boundaries(Float8E4M3FN).expect("a float");
    for _ in 0..40 {
        let amax = 0x3000_0000 + random.below(0x2000_0000) as u32;
        for part in boundaries.chunks(40) {
            let mut numbers = vec![amax];
            for boundary in part {
                let midpoint = f32::from_bits(boundary.midpoint as u32);
                let near = (f64::from(midpoint) * f64::from(f32::from_bits(amax)) / 448.0) as f32;
                numbers.extend([near.to_bits() - 1, near.to_bits(), near.to_bits() + 1]);
            }
            numbers.retain(|number| *number <= amax);
            for profile in ALL {
                compare(profile, Float32, &numbers);
            }
        }
    }
}

/// Tensors of groups have several rows and columns of scales, so that transposed scales and scales one place on are wrong.
#[test]
fn moved_scales_contradict_a_tensor() {
    let mut told = Vec::new();
    for test in questions(Suite::BlocksTensors, Level::Core).tests {
        let (Question::QuantizeTensor(ask), AnswerRecord::Blocks(due)) = (test.ask, test.expect)
        else {
            panic!("no tensor");
        };
        if !ALL.contains(&ask.profile) {
            continue;
        }
        let rows = ask.shape[0] as usize;
        let columns = (ask.shape[1] as usize).div_ceil(128);
        let scales = unpack(ask.scale, &due.scales.0, rows * columns).expect("scales");
        let transposed: Vec<u64> =
            (0..rows * columns).map(|at| scales[at % rows * columns + at / rows]).collect();
        let mut moved = scales.clone();
        moved.rotate_right(1);
        assert!(rows > 1 && columns > 1 && transposed != scales && moved != scales);
        told.push(ask.profile);
    }
    assert_eq!(told, ALL);
}
