//! The choice of blocks: on both sides of each step of the scale and of each midpoint of elements, and
//! blocks of special numbers.

use super::block_setting::Blocks;
use super::choice::Asked;
use super::groups;
use castproof_oracle::format::FLOAT32;
use castproof_oracle::round::{self, MagnitudeRounding};
use castproof_oracle::{decode, encode};
use castproof_quantised::block::{
    block_elements, block_sources, boundaries, breakpoints, has_free_scale, has_tensor_scale,
    quantise, smallest_divisor,
};
use castproof_vectors::{BlockProfile, DType, QuantizeBlock, Question};
use std::collections::BTreeSet;

/// Of the steps of the scale, both ends of the range, those around 1, and one of so many others are
/// asked. Which others differs from table to table, so that every step is asked in some table.
const EVERY_STEP: usize = 24;

/// Around an end of the range, and around 1, so many steps are asked.
const NEAR: usize = 3;

/// The code of the scale 1.
const ONE: usize = 127;

/// Largest magnitudes of tensors, as codes of float32: 0, the smallest number, 2^-20, 1, 3, 448,
/// 2688 and the number above, 2^100, the largest number.
const TENSORS: [u64; 10] = [
    0,
    1,
    0x3580_0000,
    0x3f80_0000,
    0x4040_0000,
    0x43e0_0000,
    0x4528_0000,
    0x4528_0001,
    0x7180_0000,
    0x7f7f_ffff,
];

/// Codes of scales of float8e4m3fn whose first magnitude is asked: the ends of the range, those
/// around 2^-6 and some others.
const SCALES: [u64; 10] = [1, 2, 7, 8, 9, 0x30, 0x38, 0x51, 0x7d, 0x7e];

/// Returns the blocks of all profiles.
pub(super) fn blocks() -> Asked {
    let mut all = Vec::new();
    for profile in BlockProfile::ALL {
        for &to in block_elements(profile) {
            for &from in block_sources(profile) {
                let blocks = Blocks { profile, from, to };
                match (smallest_divisor(profile), from) {
                    // Of a free scale steps tell nothing.
                    (_, DType::Float32) if has_free_scale(profile) => {
                        all.extend(blocks.specials(None));
                        all.extend(blocks.magnitudes(None));
                        all.extend(blocks.midpoints());
                    }
                    _ if has_free_scale(profile) => all.extend(blocks.magnitudes(None)),
                    (None, _) if has_tensor_scale(profile) => all.extend(blocks.of_tensors()),
                    (None, _) => all.extend(groups::groups(blocks)),
                    (Some(_), DType::Float32) => {
                        all.extend(blocks.specials(None));
                        all.extend(blocks.steps());
                        all.extend(blocks.between_steps());
                        all.extend(blocks.midpoints());
                    }
                    (Some(_), _) => {
                        all.extend(blocks.specials(None));
                        all.extend(blocks.magnitudes(None));
                    }
                }
            }
        }
    }
    // The first of equal questions stays.
    let mut seen = BTreeSet::new();
    all.retain(|question| seen.insert(question.clone()));
    all.into_iter().map(|question| (Question::QuantizeBlock(question), vec![])).collect()
}

impl Blocks {
    /// The place of the elements among those of the profile.
    fn element(self) -> usize {
        block_elements(self.profile).iter().position(|&it| it == self.to).unwrap_or(0)
    }

    /// Blocks with these largest magnitudes, which stand at each place by turns.
    fn around_each(self, magnitudes: &[u64], largest: Option<u64>) -> Vec<QuantizeBlock> {
        let count = magnitudes.len().max(self.size());
        let magnitudes = magnitudes.iter().cycle().take(count).enumerate();
        magnitudes.map(|(turn, &it)| self.around(it, turn % self.size(), largest)).collect()
    }

    /// Blocks with these largest magnitudes, which stand at each place by turns if the blocks of all elements
    /// are taken together: the largest magnitude does not depend on the elements.
    fn around_some(self, magnitudes: &[u64], largest: Option<u64>) -> Vec<QuantizeBlock> {
        let count = self.size().div_ceil(block_elements(self.profile).len()).max(magnitudes.len());
        let magnitudes = magnitudes.iter().cycle().take(count).enumerate();
        let place = |turn| (self.element() * count + turn) % self.size();
        magnitudes.map(|(turn, &it)| self.around(it, place(turn), largest)).collect()
    }

    /// The first magnitude of some scales, and the last one before it; and half of the first one above the
    /// smallest scale, a normal number that has the smallest.
    fn steps(self) -> Vec<QuantizeBlock> {
        let firsts = breakpoints(self.profile, self.to).expect("a power of two");
        let known: Vec<(usize, u64)> =
            firsts.iter().enumerate().filter_map(|(code, first)| Some((code, (*first)?))).collect();
        let end = known.len();
        let elements = block_elements(self.profile).len();
        let table = self.profile as usize * elements + self.element();
        let is_chosen = |place: usize, code: usize| {
            let near = place < NEAR || place + NEAR >= end || code.abs_diff(ONE) < NEAR;
            near || (place + table).is_multiple_of(EVERY_STEP)
        };
        let infinity = encode::infinity(&FLOAT32, false);
        let mut magnitudes = Vec::new();
        for (place, &(code, first)) in known.iter().enumerate() {
            if place == 1 {
                magnitudes.push(first - (1 << FLOAT32.significand_bits));
            }
            if is_chosen(place, code) && first < infinity {
                magnitudes.extend([first.saturating_sub(1), first]);
            }
        }
        self.around_each(&magnitudes, None)
    }

    /// Largest magnitudes from 1/2 to 1 on both sides of where some rule rounds up, and one between each
    /// two of them: the steps of a rule do not tell what a quantiser does that follows another one.
    fn between_steps(self) -> Vec<QuantizeBlock> {
        let half = (FLOAT32.bias as u64 - 1) << FLOAT32.significand_bits;
        let thirty_seconds = |part: u64| half + (part << (FLOAT32.significand_bits - 5));
        // Half of 1.5, 1.75, 1.8125, 1.875 and 1.9375.
        let steps = [16, 24, 26, 28, 30].map(thirty_seconds);
        let near = steps.into_iter().flat_map(|step| [step - 1, step, step + 1]);
        let between = [7, 20, 25, 27, 29, 31].map(thirty_seconds);
        let magnitudes = near.chain(between).enumerate();
        magnitudes.map(|(turn, magnitude)| self.around(magnitude, turn, None)).collect()
    }

    /// Every midpoint between two elements, and its neighbours, with both signs, under scales of
    /// every kind. The first number of a block is the largest that its scale has. An element follows
    /// from its scale alone, so one profile has scales of every kind. The others have the scale 1, and
    /// those that take the smallest scale or their numbers otherwise that one too.
    fn midpoints(self) -> Vec<QuantizeBlock> {
        let firsts = breakpoints(self.profile, self.to).expect("a power of two");
        let scales: &[usize] = match self.profile {
            BlockProfile::MxFloor => &[0, 1, ONE, ONE + 1, 0xf0],
            BlockProfile::MxTorchaoFloor | BlockProfile::MxTe => &[0, ONE],
            _ => &[ONE],
        };
        let mut asked = Vec::new();
        for &code in scales {
            let next = firsts[code + 1..].iter().flatten().next().expect("NaN is the last");
            let (first, most) = (firsts[code], next - 1);
            if first.is_none() {
                continue;
            }
            let divisor = (code as i32 - ONE as i32)
                .max(smallest_divisor(self.profile).expect("a power of two"));
            let near = self.near_midpoints(divisor);
            let numbers: Vec<u64> =
                near.into_iter().filter(|magnitude| *magnitude <= most).collect();
            let signed = numbers.iter().flat_map(|&code| [code, code | 1 << 31]);
            let signed: Vec<u64> = signed.collect();
            for part in signed.chunks(self.size() - 1) {
                let mut codes = vec![most];
                codes.extend(part);
                codes.resize(self.size(), 0);
                asked.push(self.ask(&codes, None));
            }
        }
        asked
    }

    /// The midpoints times a power of two, where float32 holds them, each with both neighbours.
    fn near_midpoints(self, power: i32) -> Vec<u64> {
        let mut near = Vec::new();
        for boundary in boundaries(self.to).expect("elements are floats") {
            let midpoint = decode::finite(&FLOAT32, boundary.midpoint) << power;
            let rounded = round::to_format(&midpoint, &FLOAT32, MagnitudeRounding::NearestEven);
            if rounded.is_exact() {
                let code = encode::magnitude(&FLOAT32, &rounded);
                near.extend([code - 1, code, code + 1]);
            }
        }
        near.sort_unstable();
        near.dedup();
        near
    }

    /// Some magnitudes of a narrower dtype of numbers: both ends, the limits of subnormals, and
    /// significands on both sides of where rules differ.
    fn magnitudes(self, largest: Option<u64>) -> Vec<QuantizeBlock> {
        let source = self.source();
        let bits = source.significand_bits;
        let one = (source.bias as u64) << bits;
        let eighth = 1 << (bits - 3);
        let significands = [0, 4, 5, 6, 7].map(|part| one + part * eighth);
        let near: Vec<u64> = significands.iter().flat_map(|it| [it - 1, *it, it + 1]).collect();
        let mut asked = self.around_some(&near, largest);
        let ends = [1, 2, (1 << bits) - 1, 1 << bits, source.largest_code()];
        asked.extend(ends.map(|magnitude| self.around(magnitude, 0, largest)));
        asked
    }

    /// Zeros, NaN at the first, a middle and the last place, an infinity at the last, subnormals alone,
    /// the largest number, also beside an infinity, and where the profile takes it a short block.
    fn specials(self, largest: Option<u64>) -> Vec<QuantizeBlock> {
        let source = self.source();
        let negative = 1u64 << (self.from.bits() - 1);
        let infinity = encode::infinity(&source, false);
        let quiet = infinity | 1 << (source.significand_bits - 1);
        let one = (source.bias as u64) << source.significand_bits;
        let all = |code: u64| vec![code; self.size()];
        let with = |place: usize, code: u64| {
            let mut codes = all(one);
            codes[place] = code;
            codes
        };
        let (middle, last) = (self.size() / 2 - 1, self.size() - 1);
        let mut asked = vec![all(0), all(negative), all(1), all(source.largest_code())];
        asked.push(with(3, negative));
        asked.push(with(last, infinity));
        asked.extend([0, middle, last].map(|place| with(place, quiet)));
        let mut beside = with(1, infinity | negative);
        beside[2] = source.largest_code();
        asked.push(beside);
        asked.extend([quiet | negative, infinity + 1].map(|code| with(middle, code)));
        asked.extend([all(quiet), all(infinity)]);
        let mut both = with(2, infinity);
        both[7] = quiet;
        asked.push(both);
        if quantise(self.profile, (self.from, self.to), &[one], largest).is_ok() {
            asked.extend([vec![one], vec![one, source.largest_code(), 1], vec![0; 5]]);
        }
        asked.iter().map(|codes| self.ask(codes, largest)).collect()
    }

    /// Blocks of tensors with a scale of their own: the first magnitude of some scales with its
    /// neighbours, the largest magnitude of the tensor, and special numbers.
    fn of_tensors(self) -> Vec<QuantizeBlock> {
        let mut asked = self.specials(Some(0x3f80_0000));
        if self.from != DType::Float32 {
            asked.extend(self.magnitudes(Some(0x43e0_0000)));
            return asked;
        }
        for tensor in TENSORS {
            let mut magnitudes = vec![tensor];
            for scale in SCALES {
                let first = self.first_magnitude(tensor, scale);
                let near = [first.saturating_sub(1), first, first + 1];
                magnitudes.extend(near.into_iter().filter(|magnitude| *magnitude <= tensor));
            }
            asked.extend(self.around_each(&magnitudes, Some(tensor)));
        }
        asked
    }

    /// The first magnitude up to that of the tensor with which a block has at least this scale; that of
    /// the tensor if none has it.
    fn first_magnitude(self, tensor: u64, scale: u64) -> u64 {
        let scale_of = |magnitude: u64| {
            let mut codes = vec![0; self.size()];
            codes[0] = magnitude;
            let block = quantise(self.profile, (self.from, self.to), &codes, Some(tensor));
            block.expect("a block").scale
        };
        let (mut low, mut high) = (0, tensor);
        while low < high {
            let middle = low + (high - low) / 2;
            if scale_of(middle) >= scale { high = middle } else { low = middle + 1 }
        }
        high
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_quantised::block::block_size;
    use std::collections::BTreeMap;

    fn scale_of(question: &QuantizeBlock, codes: &[u64]) -> u64 {
        let QuantizeBlock { profile, from, to, .. } = *question;
        let largest = question.largest.map(|code| code.value());
        quantise(profile, (from, to), codes, largest).expect("a block").scale
    }

    /// A quantiser that leaves out one number of a block, whichever, gives another scale somewhere: with
    /// each dtype of elements if the numbers are float32, else with some; of groups, whose blocks are long,
    /// under some profile of groups. One that has a wrong scale for
    /// one step is told in some table.
    #[test]
    fn every_number_decides_and_every_scale_is_due() {
        let mut deciding: BTreeMap<_, BTreeSet<usize>> = BTreeMap::new();
        let mut scales = BTreeSet::new();
        for (question, _) in blocks() {
            let Question::QuantizeBlock(question) = question else { unreachable!("blocks") };
            let codes = question.codes().expect("numbers");
            let scale = scale_of(&question, &codes);
            if question.scale == DType::Float8E8M0 {
                scales.insert(scale);
            }
            if has_free_scale(question.profile) {
                continue;
            }
            let to = (question.from == DType::Float32).then_some(question.to);
            let key = match question.block_size {
                128 => (BlockProfile::Fp8Deepgemm, DType::Float32, None),
                _ => (question.profile, question.from, to),
            };
            let places = deciding.entry(key);
            let places = places.or_default();
            for place in 0..codes.len() {
                let mut without = codes.clone();
                without[place] = 0;
                if !places.contains(&place) && scale_of(&question, &without) != scale {
                    places.insert(place);
                }
            }
        }
        for ((profile, from, to), places) in deciding {
            let name = profile.name();
            assert_eq!(places.len(), block_size(profile), "{name} {from} {to:?}: {places:?}");
        }
        assert_eq!(scales.into_iter().collect::<Vec<_>>(), (0..=255).collect::<Vec<_>>());
    }

    /// The midpoints that are asked lie where the scale is what they were made for.
    #[test]
    fn midpoints_have_their_scale() {
        let blocks =
            Blocks { profile: BlockProfile::MxFloor, from: DType::Float32, to: DType::Float4E2M1 };
        let scale = |it: &QuantizeBlock| scale_of(it, &it.codes().expect("numbers"));
        let scales: BTreeSet<u64> = blocks.midpoints().iter().map(scale).collect();
        assert_eq!(scales.into_iter().collect::<Vec<_>>(), [0, 1, 127, 128, 0xf0]);
    }
}
