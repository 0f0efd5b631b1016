//! Asks a testee for a few blocks, to tell which rule its quantiser follows.
#![deny(unsafe_code)]

mod groups;
mod nearest;
mod steps;

use anyhow::{Result, bail};
use castproof_check::verdict::Verdict;
use castproof_judge::diagnosis::blocks::{SeenBlock, follows};
use castproof_methods::blocks::{GroupMethod, PowerMethod, StepMethod};
use castproof_quantised::block::{block_elements, block_scale, block_size, boundaries};
use castproof_testee::{Reply, Testee};
use castproof_vectors::{BlockProfile, Bytes, DType, Hex, QuantizeBlock, Question, pack};
use nearest::first_difference;

/// Significands of the largest magnitude, as fields of float32, on both sides of where rules part:
/// 1, half way to 2 in the logarithm of the quotient by the largest element (6, 448 and 7.5), 1.5, 1.75,
/// 1.8125, 1.875, 1.9375.
const SIGNIFICANDS: [u32; 20] = [
    0, 1, 0x07_c3b6, 0x07_c3b7, 0x1e_6454, 0x1e_6455, 0x29_b2cb, 0x2a_0000, 0x40_0000, 0x40_0001,
    0x5f_ffff, 0x60_0000, 0x60_0001, 0x68_0000, 0x68_0001, 0x6f_ffff, 0x70_0000, 0x77_ffff,
    0x78_0000, 0x7f_ffff,
];

/// The exponent field of these: numbers from 256 on.
const BINADE: u32 = 0x4380_0000;

/// Largest magnitudes that arithmetic in float32 gets wrong, or where it ends: 16(1 - 2^-24),
/// 2^-118(1 - 2^-24), 448 * 2^-127(1 + 2^-23), 2^-127, the smallest number, a zero, numbers next to
/// 2^128 and the largest one, infinity.
const ENDS: [u32; 11] = [
    0x417f_ffff,
    0x047f_ffff,
    0x0460_0001,
    0x0040_0000,
    1,
    0,
    0x8000_0000,
    0x7f60_0000,
    0x7f78_0000,
    0x7f7f_ffff,
    0x7f80_0000,
];

/// First numbers of blocks of special numbers: NaN, infinity, both.
const SPECIALS: [&[u32]; 6] = [
    &[0x3f80_0000, 0x7fc0_0000, 0x4000_0000],
    &[0x3f80_0000, 0xffc0_0001, 0, 0x3f80_0000],
    &[0xff80_0000, 0x3f80_0000],
    &[0x7fc0_0000, 0x7f80_0000],
    &[0x7fc0_0000, 0xffc0_0000, 0, 0x8000_0000],
    &[0x7f80_0001],
];

/// Which rule a testee follows.
#[derive(Debug)]
pub struct Followed {
    /// The profile under whose name it was asked.
    pub asked: BlockProfile,
    /// For each dtype of elements what it follows, in words; an error: what the testee said instead of an
    /// answer.
    pub rules: Vec<(DType, std::result::Result<String, String>)>,
}

/// Asks for blocks of float32 with elements of these dtypes; none: all. `asked` is the profile under whose name
/// the testee is asked; `None`: the first that it answers among those whose scale is a power of two, and
/// the first among those of NVFP4, and of groups of FP8 with either dtype of scales.
///
/// # Errors
/// If a dtype has no blocks, the profile fixes no scale or lacks the dtypes, or the testee answers no block.
pub fn recognise(
    targets: &[DType],
    asked: Option<BlockProfile>,
    testee: &mut dyn Testee,
) -> Result<Vec<Followed>> {
    let all = block_elements(BlockProfile::MxFloor);
    if let Some(other) = targets.iter().find(|it| !all.contains(it)) {
        let names: Vec<&str> = all.iter().map(|dtype| dtype.name()).collect();
        bail!("{other} has no blocks that are recognised; use {}", names.join(", "));
    }
    let targets = if targets.is_empty() { all } else { targets };
    let is_power = |it: &BlockProfile| PowerMethod::of(*it, DType::Float8E4M3FN).is_some();
    let has_steps = |it: &BlockProfile| StepMethod::of(*it).is_some();
    let profiles =
        || BlockProfile::ALL.into_iter().filter(|it| asked.is_none_or(|asked| asked == *it));
    let is_group = |is_byte| {
        move |it: &BlockProfile| GroupMethod::of(*it).is_some_and(|it| it.is_byte == is_byte)
    };
    let families: [Vec<BlockProfile>; 4] = [
        profiles().filter(is_power).collect(),
        profiles().filter(has_steps).collect(),
        profiles().filter(is_group(false)).collect(),
        profiles().filter(is_group(true)).collect(),
    ];
    if let Some(free) = asked.filter(|_| families.iter().all(Vec::is_empty)) {
        bail!("{} fixes no scale, so nobody follows it: name another profile", free.name());
    }
    let (mut found, mut said) = (Vec::new(), String::new());
    for family in families {
        match answered(targets, &family, testee) {
            Ok(followed) => found.push(followed),
            // What is said of the first family matters to most.
            Err(problem) if said.is_empty() => said = problem,
            Err(_) => {}
        }
    }
    if found.is_empty() {
        bail!("no block was answered: {said}");
    }
    Ok(found)
}

/// Asks under the first of these profiles that is answered. An error: what the testee said instead.
fn answered(
    targets: &[DType],
    profiles: &[BlockProfile],
    testee: &mut dyn Testee,
) -> std::result::Result<Followed, String> {
    let mut said = String::new();
    for &asked in profiles {
        let elements = block_elements(asked);
        let mut rules = Vec::new();
        for &to in targets.iter().filter(|to| elements.contains(to)) {
            rules.push((to, seen(asked, to, testee).map(|seen| rule(&seen))));
        }
        match rules.iter().find_map(|(_, rule)| rule.as_ref().err()) {
            None if rules.is_empty() && said.is_empty() => {
                said = format!("{} has no such elements", asked.name());
            }
            None if rules.is_empty() => {}
            Some(problem) if rules.iter().all(|(_, rule)| rule.is_err()) => said = problem.clone(),
            _ => return Ok(Followed { asked, rules }),
        }
    }
    Err(said)
}

/// Asks for the blocks of one dtype.
fn seen(
    profile: BlockProfile,
    to: DType,
    testee: &mut dyn Testee,
) -> std::result::Result<Vec<SeenBlock>, String> {
    let probes: Vec<(Vec<u64>, Option<u64>)> = match StepMethod::of(profile) {
        Some(_) => steps::probes().into_iter().map(|(it, of)| (it, Some(of))).collect(),
        None if GroupMethod::of(profile).is_some() => {
            groups::probes(to).into_iter().map(|numbers| (numbers, None)).collect()
        }
        None => probes(profile, to).into_iter().map(|numbers| (numbers, None)).collect(),
    };
    let mut all = Vec::new();
    for (numbers, largest) in probes {
        let question = QuantizeBlock {
            profile,
            from: DType::Float32,
            to,
            scale: block_scale(profile),
            block_size: block_size(profile) as u64,
            largest: largest.map(|code| Hex::new(code, DType::Float32)),
            input: Bytes(pack(DType::Float32, &numbers)?),
        };
        let returned = match testee.ask(&Question::QuantizeBlock(question.clone())) {
            Reply::Output(returned) => returned,
            Reply::Unsupported(said)
            | Reply::Error(said)
            | Reply::Crash(said)
            | Reply::Timeout(said) => return Err(said),
        };
        let seen = SeenBlock::new(&question, &returned, Verdict::Pass);
        all.push(seen.ok_or("an answer is no scale with elements")?);
    }
    Ok(all)
}

/// Returns the blocks that are asked, as codes of float32. The largest magnitude stands at many places,
/// with either sign.
fn probes(profile: BlockProfile, to: DType) -> Vec<Vec<u64>> {
    let size = block_size(profile);
    let alone = SIGNIFICANDS.iter().map(|it| BINADE | it).chain(ENDS);
    let mut blocks: Vec<Vec<u64>> = alone
        .enumerate()
        .map(|(turn, code)| {
            let mut block = vec![0; size];
            let sign = u64::from(turn % 3 == 2) << 31;
            block[turn * 7 % size] = u64::from(code) | sign;
            block
        })
        .collect();
    let filled = |numbers: &[u32]| {
        let mut block: Vec<u64> = numbers.iter().map(|&code| code.into()).collect();
        block.resize(size, 0);
        block
    };
    blocks.extend(SPECIALS.map(filled));
    blocks.extend(ties(to, size));
    blocks
}

/// Returns blocks of the midpoints between elements, and of numbers beside them. The largest number is
/// the power of two that has the scale 1 by every rule.
fn ties(to: DType, size: usize) -> Vec<Vec<u64>> {
    let boundaries = boundaries(to).unwrap_or_default();
    let largest = boundaries.last().map_or(0, |it| it.midpoint & 0x7f80_0000);
    let near = boundaries.iter().filter(|it| it.midpoint < largest).flat_map(|it| {
        let (tie, negative) = (it.midpoint, it.midpoint | 1 << 31);
        [tie - 1, tie, tie + 1, negative]
    });
    let near: Vec<u64> = near.collect();
    let block = |numbers: &[u64]| {
        let mut block = vec![largest];
        block.extend(numbers);
        block.resize(size, 0);
        block
    };
    near.chunks(size - 1).map(block).collect()
}

/// Says which rule gives these answers, or which is nearest.
fn rule(seen: &[SeenBlock]) -> String {
    follows(seen).unwrap_or_else(|| match seen[0].block.largest {
        Some(_) => steps::nearest(seen),
        None if GroupMethod::of(seen[0].block.profile).is_some() => groups::nearest(seen),
        None => nearest(seen),
    })
}

fn nearest(seen: &[SeenBlock]) -> String {
    let to = seen[0].block.to;
    let methods = BlockProfile::ALL
        .into_iter()
        .filter_map(|profile| Some((profile, PowerMethod::of(profile, to)?)));
    // Of equally near ones the first.
    let best =
        methods.rev().max_by_key(|(_, method)| seen.iter().filter(|it| it.is_of(method)).count());
    let Some((profile, method)) = best else { return "no known rule".into() };
    let Some(other) = seen.iter().find(|it| !it.is_of(&method)) else {
        return profile.name().into();
    };
    let due = |code: &u64| method.element(&other.numbers, *code, other.scale);
    let elements: Vec<Option<u64>> = other.numbers.codes().iter().map(due).collect();
    first_difference(profile, other, "", (method.scale(&other.numbers), &elements))
}
