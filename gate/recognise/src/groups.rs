//! Groups of FP8: the groups that tell the steps of their quantisers apart, and whose steps are nearest.

use crate::nearest::first_difference;
use castproof_judge::diagnosis::blocks::SeenBlock;
use castproof_methods::blocks::GroupMethod;
use castproof_quantised::block::boundaries;
use castproof_vectors::{BlockProfile, DType};

/// How many numbers share a scale.
const SIZE: usize = 128;

/// Largest magnitudes as codes of float32: floors that libraries have, 1e-4, 1e-10 and others, 448 and numbers beside it,
/// 2.625, 2.375 and 3.3, where quotient, product and inverse part, 240 and 224, the smallest number, the first above
/// 448 * 2^-128, the largest number.
const MAGNITUDES: [u32; 22] = [
    0x38d1_b717,
    0x38d1_b718,
    0x3727_c5ac,
    0x3586_37bd,
    0x322b_cc77,
    0x2edb_e6ff,
    0x2edb_e700,
    0x2b8c_bccc,
    0x43df_ffff,
    0x43e0_0000,
    0x43e0_0001,
    0x4028_0000,
    0x4018_0000,
    0x4053_3333,
    0x4370_0000,
    0x4360_0000,
    1,
    0x03e0_0001,
    0x0080_0000,
    0x7f7f_ffff,
    0x4b12_3457,
    0x3c9e_3779,
];

/// Largest magnitudes under which midpoints of elements are asked: 448, 2.375, 3.3.
const OF_MIDPOINTS: [u32; 3] = [0x43e0_0000, 0x4018_0000, 0x4053_3333];

/// First numbers of groups of special numbers: zeros, NaN, infinity, both.
const SPECIALS: [&[u32]; 7] = [
    &[0],
    &[0x8000_0000, 0x8000_0000],
    &[0x3f80_0000, 0x7fc0_0000, 0x4000_0000],
    &[0x3f80_0000, 0xffc0_0001, 0, 0xbf80_0000],
    &[0x7fc0_0000; SIZE],
    &[0x3f80_0000, 0xff80_0000, 0xbf80_0000],
    &[0x7f80_0000, 0x7fc0_0000],
];

/// Returns the groups that are asked, as codes of float32.
pub(crate) fn probes(to: DType) -> Vec<Vec<u64>> {
    let filled = |numbers: &[u32]| {
        let mut group: Vec<u64> = numbers.iter().map(|&code| code.into()).collect();
        group.resize(SIZE, 0);
        group
    };
    let mut probes: Vec<Vec<u64>> =
        MAGNITUDES.iter().enumerate().map(|(turn, code)| around(turn, *code)).collect();
    probes.extend(OF_MIDPOINTS.iter().flat_map(|amax| midpoints(to, *amax)));
    probes.extend(SPECIALS.map(filled));
    probes
}

/// A group with this largest magnitude at some place, with either sign, beside smaller ones.
fn around(turn: usize, magnitude: u32) -> Vec<u64> {
    let mut group = vec![0; SIZE];
    for binades in 0..6u32 {
        let sign = u64::from((turn as u32 + binades) % 3 == 2) << 31;
        let smaller = magnitude.saturating_sub((binades << 23) | (binades * 0x0012_3456));
        group[(turn * 29 + binades as usize * 5) % SIZE] = u64::from(smaller) | sign;
    }
    group
}

/// Groups of the numbers nearest to the midpoints of elements times m/448, with both neighbours.
fn midpoints(to: DType, amax: u32) -> Vec<Vec<u64>> {
    let boundaries = boundaries(to).unwrap_or_default();
    let near = boundaries.iter().enumerate().flat_map(|(turn, boundary)| {
        let midpoint = f64::from(f32::from_bits(boundary.midpoint as u32));
        let code = ((midpoint * f64::from(f32::from_bits(amax)) / 448.0) as f32).to_bits();
        let sign = (turn as u64 % 2) << 31;
        [code - 1, code, code + 1].map(|code| u64::from(code) | sign)
    });
    let near: Vec<u64> = near.collect();
    let group = |part: &[u64]| {
        let mut group = part.to_vec();
        group.resize(SIZE - 1, 0);
        group.push(amax.into());
        group
    };
    near.chunks(SIZE - 1).map(group).collect()
}

/// Says which profile gives most of these answers, and the first that it does not give.
pub(crate) fn nearest(seen: &[SeenBlock]) -> String {
    let has_scale =
        |method: &GroupMethod| (seen[0].block.scale == DType::Float8E8M0) == method.is_byte;
    let methods = BlockProfile::ALL
        .into_iter()
        .filter_map(|it| Some((it, GroupMethod::of(it).filter(has_scale)?)))
        .rev();
    // Of equally near ones the first.
    let best =
        methods.max_by_key(|(_, method)| seen.iter().filter(|it| it.is_of_group(method)).count());
    let Some((profile, method)) = best else { return "no known rule".into() };
    let Some(other) = seen.iter().find(|it| !it.is_of_group(&method)) else {
        return profile.name().into();
    };
    let Some((scale, elements)) = method.quantise(other.block.to, &other.numbers) else {
        return format!("no known rule; nearest is {}", profile.name());
    };
    first_difference(profile, other, "", (scale, &elements))
}
