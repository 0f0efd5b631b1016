//! The choice of groups of FP8: the floor and the steps of the scale, midpoints of elements times the scale, and
//! special numbers. Groups are long, so few of each kind are asked.

use super::block_setting::Blocks;
use castproof_oracle::format::FLOAT32;
use castproof_oracle::number::Rational;
use castproof_oracle::round::{self, MagnitudeRounding};
use castproof_oracle::{decode, encode};
use castproof_quantised::block::{block_size, boundaries, takes_short_blocks};
use castproof_vectors::{BlockProfile, DType, QuantizeBlock};

/// Largest magnitudes as codes of float32, each with both neighbours: 448 and 448 * 2^-9.
const STEPS: [u64; 2] = [0x43e0_0000, 0x3f60_0000];

/// Largest magnitudes whose scale tells a quotient from a product, or from an inverse: 2.625, 2.375, 3.3.
const TELLING: [u64; 3] = [0x4028_0000, 0x4018_0000, 0x4053_3333];

/// How many largest magnitudes are drawn.
const DRAWN: u64 = 12;

/// Largest magnitudes under which midpoints are asked: 448, whose scale is 1, 2.375, 3.3.
const OF_MIDPOINTS: [u64; 3] = [0x43e0_0000, 0x4018_0000, 0x4053_3333];

/// Returns the groups of one profile and one dtype of numbers.
pub(super) fn groups(blocks: Blocks) -> Vec<QuantizeBlock> {
    let mut asked = specials(blocks);
    asked.extend(magnitudes(blocks));
    if blocks.from == DType::Float32 {
        asked.extend(OF_MIDPOINTS.iter().flat_map(|amax| midpoints(blocks, *amax)));
    }
    asked
}

/// The largest magnitude below which the scale stays: the floor, or where 448 over it becomes infinite.
fn floor(profile: BlockProfile) -> u64 {
    match profile {
        BlockProfile::Fp8Deepgemm | BlockProfile::Fp8DeepgemmUe8m0 => 0x38d1_b717,
        BlockProfile::Fp8TeBlock => 0x03e0_0000,
        _ => 0x2edb_e6ff,
    }
}

/// Groups with largest magnitudes at the floor, which decide little, and with others, which stand one place further from group
/// to group: of all profiles together at each place, and of each at the last one.
fn magnitudes(blocks: Blocks) -> Vec<QuantizeBlock> {
    let near = |code: u64| [code - 1, code, code + 1];
    // Of every eighth binade from 2^-11 on, with other significands.
    let drawn = (0..DRAWN).map(|turn| {
        let significand = (turn + 1) * 0x9e_3779 % (1 << 23);
        (116 + 8 * turn) << 23 | significand
    });
    let some = TELLING.into_iter().chain(drawn);
    let (codes, at_floor): (Vec<u64>, Vec<u64>) = match blocks.from {
        DType::Float32 => {
            let codes = STEPS.into_iter().flat_map(near).chain(some).collect();
            (codes, near(floor(blocks.profile)).to_vec())
        }
        _ => (some.step_by(2).map(|code| code >> 16).collect(), vec![floor(blocks.profile) >> 16]),
    };
    let size = blocks.size();
    // The profiles before this one among those of groups, which are as long.
    let profiles = BlockProfile::ALL.into_iter().filter(|it| block_size(*it) == size);
    let (before, all) =
        (profiles.clone().take_while(|it| *it != blocks.profile).count(), profiles.count());
    let of_float32 = 3 * STEPS.len() + TELLING.len() + DRAWN as usize;
    let first =
        before * codes.len() + if blocks.from == DType::Float32 { 0 } else { all * of_float32 };
    let further = (first..).zip(&codes).map(|(place, code)| (place % size, *code));
    let last = codes.last().map(|code| (size - 1, *code));
    let fixed = at_floor.iter().map(|code| (size / 2 + 3, *code));
    further.chain(last).chain(fixed).map(|(place, code)| blocks.around(code, place, None)).collect()
}

/// Zeros of both signs, NaN at three places and alone, infinities, subnormals, the largest number, and where the
/// profile takes it a short group.
fn specials(blocks: Blocks) -> Vec<QuantizeBlock> {
    let (source, size) = (blocks.source(), blocks.size());
    let negative = 1u64 << (blocks.from.bits() - 1);
    let infinity = encode::infinity(&source, false);
    let quiet = infinity | 1 << (source.significand_bits - 1);
    let one = (source.bias as u64) << source.significand_bits;
    let group = |others: u64, few: &[(usize, u64)]| {
        let mut codes = vec![others; size];
        few.iter().for_each(|(place, code)| codes[*place] = *code);
        codes
    };
    let (middle, last, largest) = (size / 2 - 1, size - 1, source.largest_code());
    let mut asked = vec![
        group(0, &[(1, negative), (last, negative)]),
        group(1, &[(3, 1 | negative)]),
        group(one, &[(last, infinity), (5, 0), (6, negative | one)]),
        group(one, &[(middle, quiet | negative), (5, 0)]),
    ];
    if blocks.from == DType::Float32 {
        asked.extend([
            group(0, &[]),
            group(one, &[(0, largest), (7, largest | negative)]),
            group(one, &[(0, quiet), (9, 0)]),
            group(one, &[(last, quiet)]),
            group(one, &[(1, infinity | negative), (2, largest)]),
            group(one, &[(2, infinity), (7, infinity + 1)]),
            group(quiet, &[]),
        ]);
    }
    if takes_short_blocks(blocks.profile) {
        asked.extend([vec![one, largest, 1], vec![negative, one, one | negative, 0, quiet]]);
        asked.push(group(one, &[])[..size - 1].to_vec());
    }
    asked.iter().map(|codes| blocks.ask(codes, None)).collect()
}

/// Groups of numbers beside every midpoint of elements times m/448: the nearest float32 and both neighbours, with
/// either sign by turns. In the last place stands m.
fn midpoints(blocks: Blocks, amax: u64) -> Vec<QuantizeBlock> {
    let boundaries = boundaries(blocks.to).expect("elements are floats");
    let largest = decode::finite(&FLOAT32, amax) / Rational::from(448);
    let near = boundaries.iter().enumerate().flat_map(|(turn, boundary)| {
        let exact = decode::finite(&FLOAT32, boundary.midpoint) * &largest;
        let rounded = round::to_format(&exact, &FLOAT32, MagnitudeRounding::NearestEven);
        let (code, sign) = (encode::magnitude(&FLOAT32, &rounded), (turn as u64 % 2) << 31);
        [code - 1, code, code + 1].map(|code| code | sign)
    });
    let near: Vec<u64> = near.collect();
    let block = |part: &[u64]| {
        let mut codes = part.to_vec();
        codes.resize(blocks.size() - 1, 0);
        codes.push(amax);
        blocks.ask(&codes, None)
    };
    near.chunks(blocks.size() - 1).map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_quantised::block::quantise;
    use castproof_vectors::Outcome;
    use std::collections::BTreeSet;

    /// The midpoints of one largest magnitude have every element but zero on their upper side.
    #[test]
    fn every_element_is_asked() {
        let blocks = Blocks {
            profile: BlockProfile::Fp8Deepgemm,
            from: DType::Float32,
            to: DType::Float8E4M3FN,
        };
        let mut seen = BTreeSet::new();
        for question in midpoints(blocks, OF_MIDPOINTS[2]) {
            let codes = question.codes().expect("numbers");
            let due = quantise(question.profile, (question.from, question.to), &codes, None);
            for (element, _) in due.expect("a group").elements {
                let Outcome::Code(code) = element else { panic!("{element:?}") };
                seen.insert(code & 0x7f);
            }
        }
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), (0..=0x7e).collect::<Vec<_>>());
    }
}
