//! The codes of a dtype from which the witnesses of its chains are chosen.

use super::answers::{Answers, Came, Cast};
use castproof_check::fuzz::{Draw, Random};
use castproof_methods::Step;
use castproof_vectors::{
    Attributes, DType, Formula, Hex, NEWEST, Request, Shift, Stretch, landmarks,
};
use std::collections::BTreeSet;

/// All codes of dtypes up to this width are taken.
const WHOLE_BITS: u32 = 8;

/// All codes of other dtypes up to this width are taken, cast back.
const WHOLE_BITS_CAST_BACK: u32 = 6;

/// Of so many stretches of a cast's answers the ends are taken.
const STRETCHES: usize = 24;

/// The same for casts of other dtypes, whose codes are cast back.
const STRETCHES_CAST_BACK: usize = 8;

/// The most codes of another dtype that are cast back.
const CAST_BACK: usize = 64;

/// How many codes are drawn for each cast of the dtype.
const DRAWN: usize = 12;

/// Returns codes of a dtype: landmarks, ends and ties of each of its casts, those of the casts of
/// each other dtype, with their neighbours, and drawn ones. They are the same in every run.
pub(super) fn codes(from: DType, answers: &mut Answers) -> Vec<u64> {
    let mask = from.code_mask();
    if from.bits() <= WHOLE_BITS {
        return valid(from, 0..=mask);
    }
    let beside = |code: u64| [code.wrapping_sub(1) & mask, code, code.wrapping_add(1) & mask];
    let cast = |answers: &mut Answers, from, to| {
        answers.cast(Step { from, to, attributes: Attributes::default() })
    };
    let mut random = Random::new(from as u64);
    let mut codes: BTreeSet<u64> = named(from).into_iter().collect();
    for &to in DType::NUMERIC {
        let onward = cast(answers, from, to);
        if let Some(onward) = &onward {
            codes.extend(edges(onward, STRETCHES).into_iter().flat_map(beside));
        }
        if let Ok(draw) = Draw::of(&Request::cast(from, to, NEWEST)) {
            codes.extend(draw.batch(&mut random, DRAWN));
        }
        // A cast of another dtype is told from others where its own results change.
        let Some(back) = cast(answers, to, from) else { continue };
        let mut others: BTreeSet<u64> = named(to).into_iter().collect();
        if to.bits() <= WHOLE_BITS_CAST_BACK {
            others.extend(0..=to.code_mask());
        } else {
            for &onward in DType::NUMERIC {
                if let Some(onward) = cast(answers, to, onward) {
                    others.extend(edges(&onward, STRETCHES_CAST_BACK));
                }
            }
        }
        let mut others: Vec<u64> = others.into_iter().collect();
        while others.len() > CAST_BACK {
            others.swap_remove(random.below(others.len()));
        }
        for other in others {
            if let Came::Code(code) = back.of(other) {
                let ends = onward.as_ref().map_or(Vec::new(), |onward| taken(onward, code));
                codes.extend(beside(code));
                codes.extend(ends.into_iter().map(|end| end & mask));
            }
        }
    }
    valid(from, codes)
}

/// Returns codes on both sides of where the codes end that are rounded as this one is: the next ones,
/// and some that a rounding to fewer bits takes to the end.
fn taken(cast: &Cast, code: u64) -> Vec<u64> {
    match &cast.stretch(code).formula {
        Formula::Shift(Shift { bits: bits @ 1..63, .. }) => {
            let half = 1_u64 << (bits - 1);
            let ends = [code.wrapping_sub(half), code.wrapping_add(half)];
            let gaps = [0, bits / 2, bits * 7 / 8].map(|bits| 1_u64 << bits);
            let beside = |end: u64| {
                gaps.into_iter().flat_map(move |gap| [end.wrapping_sub(gap), end.wrapping_add(gap)])
            };
            ends.into_iter().flat_map(beside).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the ends of some stretches of a cast: of the outermost, of those of numbers near one and
/// minus one, and of others evenly spaced. Of those that round also two ties: one that is rounded
/// down and one that is rounded up.
fn edges(cast: &Cast, most: usize) -> Vec<u64> {
    let stretches = cast.stretches();
    let last = stretches.len() - 1;
    let mut places: BTreeSet<usize> = match stretches.len() {
        count if count <= most => (0..count).collect(),
        _ => (0..=most).map(|step| last * step / most).chain([1, last - 1]).collect(),
    };
    // Narrow dtypes differ mostly in small numbers.
    for one in cast.ones() {
        let at = stretches.partition_point(|stretch| stretch.last < one);
        places.extend(at.saturating_sub(most / 8)..=last.min(at + most / 2));
    }
    let mut codes = Vec::new();
    for Stretch { first, last, formula, .. } in places.into_iter().map(|at| &stretches[at]) {
        codes.extend([*first, *last]);
        if let Formula::Shift(Shift { bits: bits @ 1..63, .. }) = formula {
            let half = 1 << (bits - 1);
            let start = first & !((half << 1) - 1);
            let ties = [1, 3].map(|halves| start.saturating_add(halves * half));
            codes.extend(ties.into_iter().filter(|tie| (first..=last).contains(&tie)));
        }
    }
    codes
}

/// Returns the codes that the landmarks of a dtype name.
fn named(dtype: DType) -> Vec<u64> {
    let Some(landmarks) = landmarks(dtype) else { return Vec::new() };
    let values = landmarks.values.values().map(|(code, _)| code);
    values
        .chain(&landmarks.infinity)
        .chain(landmarks.nan.iter().flatten())
        .map(Hex::value)
        .collect()
}

fn valid(dtype: DType, codes: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let is_valid = |code: &u64| landmarks(dtype).is_some_and(|it| it.is_valid(*code));
    codes.into_iter().filter(is_valid).collect()
}
