//! Both ways on every breakpoint, on every boundary of elements, on all codes of 16 bits and on drawn
//! blocks.

use super::{code, of_float32, second};
use castproof_quantised::block::{
    block_elements, block_size, block_sources, boundaries, breakpoints, quantise,
};
use castproof_vectors::random::Random;
use castproof_vectors::{BlockProfile, DType, Outcome};
use half::{bf16, f16};

/// The profiles whose scale is a power of two.
fn mx() -> impl Iterator<Item = (BlockProfile, DType)> {
    let all = BlockProfile::ALL.into_iter().filter(|it| block_size(*it) == 32);
    all.flat_map(|profile| block_elements(profile).iter().map(move |&to| (profile, to)))
}

/// Compares one block of float32 with the second way.
fn compare(profile: BlockProfile, to: DType, numbers: &[u32]) {
    let answer = of_float32(profile, to, numbers, None);
    let scale = second::scale(profile, to, second::amax(profile, numbers));
    let name = profile.name();
    assert_eq!(answer.scale, scale, "{name} {to}: scale of {numbers:x?}");
    let elements: Vec<Option<u64>> =
        answer.elements[..numbers.len()].iter().map(|(it, _)| code(it)).collect();
    match second::elements(profile, to, scale, numbers) {
        None => assert!(elements.iter().all(Option::is_none), "{name} {to}: {numbers:x?}"),
        Some(due) => {
            let due: Vec<Option<u64>> = due.into_iter().map(Some).collect();
            assert_eq!(elements, due, "{name} {to}: elements of {numbers:x?}");
        }
    }
}

#[test]
fn breakpoints_are_those_of_thresholds() {
    for (profile, to) in mx() {
        let firsts = breakpoints(profile, to).expect("an MX profile");
        assert_eq!(firsts.len(), 256);
        let known: Vec<(u64, u64)> =
            (0..).zip(&firsts).filter_map(|(code, first)| Some((code, (*first)?))).collect();
        assert!(known.len() > 236, "{}: only {} codes", profile.name(), known.len());
        // Where a NaN does not enter, no scale is NaN.
        let last = if profile == BlockProfile::MxTe { 0xfe } else { 0xff };
        assert_eq!(known.last().map(|it| it.0), Some(last));
        for &(scale, first) in &known {
            let first = u32::try_from(first).expect("a float32");
            assert_eq!(second::scale(profile, to, first), scale, "{} {to}", profile.name());
            if first > 0 {
                assert!(second::scale(profile, to, first - 1) < scale, "{} {to}", profile.name());
                for near in [first - 1, first, first + 1] {
                    compare(profile, to, &[near.min(0x7fff_ffff), 0x8000_0000]);
                }
            }
        }
    }
}

/// At the smallest scales, where numbers are subnormal, in the middle, and at the largest ones.
#[test]
fn boundaries_are_those_of_thresholds() {
    for (profile, to) in mx() {
        let firsts = breakpoints(profile, to).expect("an MX profile");
        for scale in [0, 1, 2, 23, 127, 128, 200, 237, 240] {
            let Some(amax) = firsts[scale] else { continue };
            // The largest magnitude that has this scale gives room for every boundary.
            let next = firsts[scale + 1..].iter().flatten().next().expect("NaN has a first");
            let amax = u32::try_from((*next - 1).max(amax)).expect("a float32");
            let mut block = vec![amax];
            for boundary in boundaries(to).expect("a float") {
                let midpoint = f32::from_bits(boundary.midpoint as u32);
                let scaled = (f64::from(midpoint) * 2f64.powi(scale as i32 - 127)) as f32;
                for near in
                    [scaled.to_bits().saturating_sub(1), scaled.to_bits(), scaled.to_bits() + 1]
                {
                    if near <= amax {
                        block.extend([near, near | 0x8000_0000]);
                    }
                    if block.len() >= 31 {
                        compare(profile, to, &block);
                        block.truncate(1);
                    }
                }
            }
            compare(profile, to, &block);
        }
    }
}

/// The table of boundaries says what a block with the scale 1 says.
#[test]
fn boundaries_follow_from_blocks() {
    for &to in block_elements(BlockProfile::MxFloor) {
        for boundary in boundaries(to).expect("a float") {
            // The largest element fixes the scale at 1.
            let largest: u32 = match to {
                DType::Float8E4M3FN => 0x43e0_0000,
                DType::Float8E5M2 => 0x4760_0000,
                DType::Float6E3M2 => 0x41e0_0000,
                DType::Float6E2M3 => 0x40f0_0000,
                _ => 0x40c0_0000,
            };
            let midpoint = boundary.midpoint as u32;
            let numbers = [largest, midpoint - 1, midpoint, midpoint + 1];
            let answer = of_float32(BlockProfile::MxFloor, to, &numbers, None);
            let codes: Vec<u64> =
                answer.elements[1..4].iter().map(|(it, _)| code(it).expect("fixed")).collect();
            let at = boundary.code - u64::from(!boundary.taken);
            assert_eq!(answer.scale, 127, "{to}");
            assert_eq!(codes, [boundary.code - 1, at, boundary.code], "{to} {boundary:x?}");
        }
    }
}

/// A number of 16 bits has the answer of the same number of float32.
#[test]
fn sources_of_16_bits() {
    for (profile, to) in mx() {
        for (from, widen) in [
            (DType::Float16, (|code| f16::from_bits(code).to_f32().to_bits()) as fn(u16) -> u32),
            (DType::Bfloat16, |code| bf16::from_bits(code).to_f32().to_bits()),
        ] {
            if !block_sources(profile).contains(&from) {
                continue;
            }
            for number in (0..0x8000u16).step_by(61).chain([0x7c00, 0x7c01, 0x7f80, 0x7f81]) {
                let mut codes = vec![u64::from(number), u64::from((number / 2) | 0x8000)];
                codes.resize(32, 0);
                let answer = quantise(profile, (from, to), &codes, None).expect("a block");
                let wide = [widen(number), widen((number / 2) | 0x8000)];
                assert_eq!(answer, of_float32(profile, to, &wide, None), "{from} {number:x}");
            }
        }
    }
}

#[test]
fn drawn_blocks() {
    let mut random = Random::new(31);
    for round in 0..200 {
        // Numbers of one block are near each other, so that not all but one become zero.
        let around = (random.below(250) as u32) << 23;
        let mut numbers: Vec<u32> = (0..32)
            .map(|_| {
                let number = random.number() as u32;
                let field = (around + ((number >> 8 & 7) << 23)).min(0x7f00_0000);
                number & 0x807f_ffff | field
            })
            .collect();
        numbers[random.below(32)] = match round % 8 {
            0 => 0xffc0_0001,
            1 => 0xff80_0000,
            _ => 0x8000_0000,
        };
        for (profile, to) in mx() {
            compare(profile, to, &numbers);
        }
    }
}

#[test]
fn drawn_blocks_of_nvfp4() {
    let mut random = Random::new(4);
    let tensors = [0x4040_0000, 0x43e0_0000, 0x3c49_ba5e, 0x4528_0000, 0, 0x0000_0001, 0x7f7f_ffff];
    for round in 0..4_000usize {
        let around = 0x3000_0000 + ((random.below(40) as u32) << 23);
        let draw = |_| {
            let number = random.number() as u32;
            number & 0x807f_ffff | (around + ((number >> 8 & 7) << 23)).min(0x7f00_0000)
        };
        let mut numbers: Vec<u32> = (0..16).map(draw).collect();
        match round % 16 {
            0 => numbers = vec![0x8000_0000; 16],
            1 => numbers[3] = 0xffc0_0001,
            2 => numbers[5] = 0x7f80_0000,
            _ => {}
        }
        let tensor = tensors[round % tensors.len()];
        for profile in [BlockProfile::Nvfp4Torchao, BlockProfile::Nvfp4Te] {
            compare_nvfp4(profile, &numbers, tensor);
        }
    }
}

/// The order of the steps changes the factor by a unit in the last place, which only numbers beside
/// the ties of elements show.
#[test]
fn numbers_beside_ties_of_nvfp4() {
    const TIES: [f64; 7] = [0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0];
    let mut random = Random::new(8);
    for _ in 0..2_000 {
        let tensor = 0x3000_0000 + random.number() as u32 % 0x1800_0000;
        let whole = f64::from(f32::from_bits(tensor));
        let largest = ((whole / (1 << random.below(6)) as f64) as f32).to_bits();
        for profile in [BlockProfile::Nvfp4Torchao, BlockProfile::Nvfp4Te] {
            let (scale, _) = second::nvfp4(profile, &[largest], tensor);
            let unit = f64::from(second::scale_of_code(scale)) * whole / 2688.0;
            let mut numbers = vec![largest];
            for tie in TIES {
                let beside = ((tie * unit) as f32).to_bits() - 1;
                numbers.extend([beside + random.below(3) as u32, beside + random.below(3) as u32]);
            }
            numbers.push(0);
            compare_nvfp4(profile, &numbers, tensor);
        }
    }
}

fn compare_nvfp4(profile: BlockProfile, numbers: &[u32], tensor: u32) {
    let answer = of_float32(profile, DType::Float4E2M1, numbers, Some(tensor));
    let (scale, elements) = second::nvfp4(profile, numbers, tensor);
    let name = profile.name();
    assert_eq!(answer.scale, scale, "{name}: {numbers:x?} {tensor:x}");
    for (place, (element, _)) in answer.elements.iter().enumerate() {
        match (&elements, element) {
            // Zero times infinity is open.
            (None, element) => assert_eq!(*element, Outcome::Any),
            (Some(_), Outcome::Any) => assert_eq!(numbers[place] & 0x7fff_ffff, 0),
            (Some(due), element) => {
                assert_eq!(code(element), Some(due[place]), "{name}: {numbers:x?} {tensor:x}");
            }
        }
    }
}
