//! Mutations that know what the bytes of an input mean. The engine's own mutations almost never
//! make another valid request, or a code beside a tie.

use crate::input::{FIRST_PROFILE, RequestInput, attribute_bytes, number};
use castproof_check::fuzz::Random;
use castproof_oracle::NEWEST;
use castproof_suites::asked_attributes;
use castproof_vectors::{DType, Elements, Operator, Profile, versions};

/// Mutates an input that begins with a request, in place; returns its new length. `engine` is the
/// mutation of the fuzzing engine; it takes bytes, length and room.
pub fn mutate_request(
    bytes: &mut [u8],
    length: usize,
    seed: u32,
    engine: impl FnOnce(&mut [u8], usize, usize) -> usize,
) -> usize {
    let mut random = Random::new(seed.into());
    let room = bytes.len();
    if room < RequestInput::BYTES || random.below(8) == 0 {
        return engine(bytes, length, room);
    }
    if length < RequestInput::BYTES {
        bytes[length..RequestInput::BYTES].fill(0);
    }
    let length = length.max(RequestInput::BYTES);
    let [op, from, to, opset, saturate, round_mode, rest @ ..] = bytes else { return length };
    let numeric = |random: &mut Random| number(DType::NUMERIC[random.below(DType::NUMERIC.len())]);
    match random.below(10) {
        // A cast of a profile.
        8 | 9 => {
            let is_numeric =
                |number: &u8| Profile::ALL[usize::from(*number)].elements() != Elements::Complex;
            let numbers: Vec<u8> = (0..Profile::ALL.len() as u8).filter(is_numeric).collect();
            *op = FIRST_PROFILE + random.one_of(&numbers);
            (*from, *to) = (random.number() as u8, random.number() as u8);
            (*opset, *saturate, *round_mode) = (1, 0, 0);
        }
        0 => *from = numeric(&mut random),
        1 => *to = numeric(&mut random),
        2 => (*saturate, *round_mode) = (random.below(3) as u8, random.below(4) as u8),
        3 => *opset = random.below(NEWEST as usize + 1) as u8,
        // Another pair with the newest version and no attributes, like most casts; the bytes that
        // follow stay.
        4..=6 => {
            *op = 0;
            (*from, *to) = (numeric(&mut random), numeric(&mut random));
            *opset = NEWEST as u8;
            (*saturate, *round_mode) = (0, 0);
        }
        // Another pair with any version and any attributes that the pair has.
        _ => {
            let mut any = || DType::NUMERIC[random.below(DType::NUMERIC.len())];
            let (source, target) = (any(), any());
            let (sets, versions) = (asked_attributes(source, target), versions(Operator::Cast));
            *op = 0;
            (*from, *to) = (number(source), number(target));
            *opset = versions[random.below(versions.len())] as u8;
            (*saturate, *round_mode) = attribute_bytes(sets[random.below(sets.len())]);
        }
    }
    // The bytes that follow seed the batch, so another batch of codes is drawn.
    let length = length.max((RequestInput::BYTES + 8).min(room));
    let rest = &mut rest[..length - RequestInput::BYTES];
    if !rest.is_empty() {
        // The offsets of the elements, or the code, come first.
        let most = if random.below(2) == 0 { rest.len() } else { rest.len().min(8) };
        let index = random.below(most);
        rest[index] = random.number() as u8;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cast::CastInput;
    use castproof_vectors::Spec;
    use std::collections::BTreeSet;

    #[test]
    fn most_mutations_are_other_casts_that_exist() {
        let (mut bytes, mut length) = ([0; 14], 0);
        let (mut pairs, mut profiles) = (BTreeSet::new(), BTreeSet::new());
        let mut refused = 0;
        for seed in 0..12_000 {
            length = mutate_request(&mut bytes, length, seed, |_, length, _| length);
            assert!(length <= bytes.len());
            let Ok(input) = crate::decode::<CastInput>(&bytes[..length]) else { continue };
            let request = input.request.cast();
            match request.spec {
                Spec::Profile(profile) => drop(profiles.insert(profile)),
                Spec::Onnx { .. } => drop(pairs.insert((request.from, request.to))),
            }
            refused += usize::from(crate::judge::is_refused(&request));
        }
        assert_eq!(pairs.len(), 625, "every numeric pair");
        assert!(profiles == Profile::numeric().collect(), "{profiles:?}");
        assert!(refused < 4800, "{refused} requests are refused");
    }
}
