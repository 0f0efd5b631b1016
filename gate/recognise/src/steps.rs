//! NVFP4: the blocks that tell the steps of its quantisers apart, and whose steps are nearest.

use crate::nearest::first_difference;
use castproof_check::numeral::decimal;
use castproof_judge::diagnosis::blocks::SeenBlock;
use castproof_methods::blocks::StepMethod;
use castproof_vectors::{BlockProfile, DType};

/// How many numbers share a scale.
const SIZE: usize = 16;

/// A block as codes of float32, and the largest magnitude of its tensor.
type Probe = (Vec<u64>, u64);

/// Largest magnitudes of tensors under which scales are asked. Under 448 a scale is the largest magnitude of
/// its block, and under 2688 the scale of the tensor is 1.
const OF_SCALES: [f64; 3] = [3.0, 448.0, 2688.0];

/// Largest magnitudes of tensors under which elements are asked.
const OF_ELEMENTS: [f32; 5] = [3.0, 448.0, 1.1, 7.25, 0.0123];

/// Midpoints between neighbours of float8e4m3fn, where the order of the steps decides: the last one that
/// becomes zero, among subnormal scales, on both sides of 2^-6, around 1, below the largest.
const SCALE_TIES: [f64; 10] = [
    0.5 / 512.0,
    1.5 / 512.0,
    6.5 / 512.0,
    7.5 / 512.0,
    8.5 / 512.0,
    10.5 / 512.0,
    11.5 / 512.0,
    1.0625,
    1.1875,
    432.0,
];

/// Midpoints between elements.
const ELEMENT_TIES: [f64; 7] = [0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0];

/// First numbers of blocks of special numbers in a tensor whose largest magnitude is 448: zeros, NaN,
/// infinity.
const SPECIALS: [&[u32]; 6] = [
    &[0],
    &[0x8000_0000, 0x8000_0000],
    &[0x3f80_0000, 0x7fc0_0000, 0x4000_0000],
    &[0x3f80_0000, 0xffc0_0001, 0, 0xbf80_0000],
    &[0x7fc0_0000; SIZE],
    &[0x3f80_0000, 0xff80_0000],
];

/// Blocks of zeros and of subnormal numbers: the numbers, and the largest magnitude of the tensor.
const SMALL: [(&[u32], u32); 3] = [
    (&[0], 0),
    (&[0x0070_0000, 0x8038_0000, 0x001c_0000, 0x000e_0000], 0x0070_0000),
    (&[0x0080_0001, 0x0070_0000, 0x8038_0000], 0x0100_0000),
];

/// Returns the blocks that are asked.
pub(crate) fn probes() -> Vec<Probe> {
    let filled = |numbers: &[u32]| {
        let mut block: Vec<u64> = numbers.iter().map(|&code| code.into()).collect();
        block.resize(SIZE, 0);
        block
    };
    let mut probes = scales();
    probes.extend(OF_ELEMENTS.iter().flat_map(|tensor| elements(*tensor)));
    let [.., of_448, _] = OF_SCALES.map(|tensor| (tensor as f32).to_bits());
    probes.extend(SPECIALS.map(|numbers| (filled(numbers), of_448.into())));
    probes.extend(SMALL.map(|(numbers, tensor)| (filled(numbers), tensor.into())));
    probes
}

/// Blocks whose scale is a tie, with both neighbours. The largest magnitude stands at many places, with
/// either sign, beside halves of it.
fn scales() -> Vec<Probe> {
    let ties = OF_SCALES.iter().flat_map(|tensor| SCALE_TIES.map(|tie| (tie, *tensor)));
    let near = ties.flat_map(|(tie, tensor)| {
        let code = ((tie / 448.0 * tensor) as f32).to_bits();
        [code - 1, code, code + 1].map(|code| (code, (tensor as f32).to_bits()))
    });
    let near = near.filter(|(code, tensor)| code <= tensor).enumerate();
    let block = |(turn, (code, tensor)): (usize, (u32, u32))| {
        let mut block = vec![0; SIZE];
        for binades in 0..4 {
            let sign = u64::from((turn + binades) % 3 == 2) << 31;
            let smaller = u64::from(code) - ((binades as u64) << 23);
            block[(turn * 7 + binades) % SIZE] = smaller | sign;
        }
        (block, u64::from(tensor))
    };
    near.map(block).collect()
}

/// Blocks of the midpoints between elements, with both neighbours, in the block that has the largest number
/// of the tensor.
fn elements(tensor: f32) -> Vec<Probe> {
    let near = ELEMENT_TIES.iter().enumerate().flat_map(|(place, tie)| {
        let code = u64::from(((f64::from(tensor) / 6.0 * tie) as f32).to_bits());
        let sign = (place as u64 % 2) << 31;
        [code - 1, code, code + 1].map(|code| code | sign)
    });
    let near: Vec<u64> = near.collect();
    let block = |numbers: &[u64]| {
        let mut block = vec![u64::from(tensor.to_bits())];
        block.extend(numbers);
        block.resize(SIZE, 0);
        (block, u64::from(tensor.to_bits()))
    };
    near.chunks(SIZE - 1).map(block).collect()
}

/// Says which profile gives most of these answers, and the first that it does not give.
pub(crate) fn nearest(seen: &[SeenBlock]) -> String {
    let methods =
        BlockProfile::ALL.into_iter().filter_map(|it| Some((it, StepMethod::of(it)?))).rev();
    // Of equally near ones the first.
    let best =
        methods.max_by_key(|(_, method)| seen.iter().filter(|it| it.is_of_steps(method)).count());
    let Some((profile, method)) = best else { return "no known rule".into() };
    let Some(other) = seen.iter().find(|it| !it.is_of_steps(&method)) else {
        return profile.name().into();
    };
    let tensor = other.block.largest.map_or(0, |code| code.value());
    let pair = (other.block.from, other.block.to);
    let Some((scale, elements)) = method.quantise(pair, &other.numbers, tensor) else {
        return format!("no known rule; nearest is {}", profile.name());
    };
    let after = format!(" in a tensor of {}", decimal(DType::Float32, tensor));
    first_difference(profile, other, &after, (scale, &elements))
}
