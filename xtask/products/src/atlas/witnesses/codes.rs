//! The codes of a dtype from which the witnesses of its chains are chosen.

use super::alternatives::alternatives;
use super::answers::{Answers, Came, Cast};
use castproof_check::fuzz::{Draw, Random};
use castproof_methods::Step;
use castproof_vectors::{
    Attributes, DType, Formula, Hex, NEWEST, Request, Shift, Stretch, landmarks,
};
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

/// All codes of dtypes up to this width are taken.
const WHOLE_BITS: u32 = 8;

/// All codes of other dtypes up to this width are taken, cast back.
const WHOLE_BITS_CAST_BACK: u32 = 6;

/// Of so many stretches of a cast's answers the ends are taken.
const STRETCHES: usize = 24;

/// The same for casts of other dtypes, whose codes are cast back.
const STRETCHES_CAST_BACK: usize = 12;

/// The same for codes that another cast may round to the ends.
const STRETCHES_ROUNDED_TO: usize = 8;

/// The most codes of another dtype that are cast back, beside those near whole numbers.
const CAST_BACK: usize = 128;

/// The results of casts change, and ties lie, near each number of two to a power below this one, and
/// near those that are a quarter, a half and three quarters larger. Of larger numbers the powers of two
/// are taken.
const BINADES: u32 = 17;

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
    let mut random = Random::new(from as u64);
    let mut codes: BTreeSet<u64> = named(from).into_iter().collect();
    let (mut few, mut casts) = (BTreeSet::new(), Vec::new());
    let whole = numbers(from, answers, 0..BINADES, 4..8);
    for &to in DType::NUMERIC {
        let onward = each(answers, from, to);
        for onward in &onward {
            codes.extend(edges(onward, STRETCHES).into_iter().flat_map(beside));
            few.extend(edges(onward, STRETCHES_ROUNDED_TO));
            codes.extend(whole.iter().flat_map(|code| turns(onward, *code)).flat_map(beside));
        }
        if let Ok(draw) = Draw::of(&Request::cast(from, to, NEWEST)) {
            codes.extend(draw.batch(&mut random, DRAWN));
        }
        let back = each(answers, to, from).into_iter().next();
        if let Some(back) = back {
            for code in cast_back(&back, to, answers, &mut random) {
                let ends = onward.first().map_or(Vec::new(), |onward| taken(onward, code));
                codes.extend(beside(code));
                codes.extend(ends.into_iter().map(|end| end & mask));
            }
        }
        casts.extend(onward.into_iter().next());
    }
    if from.is_integer() {
        codes.extend(powers(from).into_iter().flat_map(beside));
        few.extend(powers(from));
    }
    codes.extend(numbers(from, answers, 0..64, 4..8));
    codes.extend(rounded_to(&few, &casts, mask));
    valid(from, codes)
}

/// Returns the casts from one dtype to another: the plain one first, then those with attributes.
fn each(answers: &mut Answers, from: DType, to: DType) -> Vec<Rc<Cast>> {
    let cast = |attributes| answers.cast(Step { from, to, attributes });
    alternatives(to).into_iter().filter_map(cast).collect()
}

/// Returns results of a cast: of codes at which the casts of its source change theirs. A cast of another
/// dtype is told from others there.
fn cast_back(back: &Cast, from: DType, answers: &mut Answers, random: &mut Random) -> Vec<u64> {
    let mut others: Vec<u64> = named(from);
    let mut kept = BTreeSet::new();
    if from.bits() <= WHOLE_BITS_CAST_BACK {
        others.extend(0..=from.code_mask());
    } else {
        let mut whole = numbers(from, answers, 0..BINADES, 4..8);
        whole.extend(numbers(from, answers, BINADES..64, 4..5));
        for &to in DType::NUMERIC {
            for onward in each(answers, from, to) {
                others.extend(edges(&onward, STRETCHES_CAST_BACK));
                kept.extend(whole.iter().flat_map(|code| turns(&onward, *code)));
            }
        }
        others.sort_unstable();
        others.dedup();
    }
    while others.len() > CAST_BACK {
        others.swap_remove(random.below(others.len()));
    }
    kept.extend(others);
    let code = |other| match back.of(other) {
        Came::Code(code) => Some(code),
        _ => None,
    };
    kept.into_iter().filter_map(code).collect()
}

/// Returns codes of a dtype for powers of two with these exponents, times these quarters.
fn numbers(
    dtype: DType,
    answers: &mut Answers,
    exponents: Range<u32>,
    quarters: Range<u128>,
) -> Vec<u64> {
    let step = Step { from: DType::Uint64, to: dtype, attributes: Attributes::default() };
    let Some(cast) = answers.cast(step) else { return Vec::new() };
    let of_power = |exponent| quarters.clone().map(move |quarters| (quarters << exponent) >> 2);
    let code = |number: u128| match cast.of(number as u64) {
        Came::Code(code) => Some(code),
        _ => None,
    };
    exponents.flat_map(of_power).filter_map(code).collect()
}

/// Returns codes at which the result of a cast changes beside a code: the ends of the codes with the
/// same result, or the ties above it.
fn turns(cast: &Cast, code: u64) -> Vec<u64> {
    let Stretch { first, last, formula, .. } = cast.stretch(code);
    match formula {
        Formula::Constant(_) => vec![*first, *last],
        Formula::Shift(Shift { bits: bits @ 1..63, .. }) => {
            [1, 3].map(|halves| code.saturating_add(halves << (bits - 1))).into()
        }
        Formula::Shift(_) => Vec::new(),
    }
}

/// Returns codes that one of the casts rounds as if they were one of these, and that lie so far from
/// it that a cast which rounds to more bits does not.
fn rounded_to(ends: &BTreeSet<u64>, casts: &[Rc<Cast>], mask: u64) -> BTreeSet<u64> {
    let mut codes = BTreeSet::new();
    for &end in ends {
        for cast in casts {
            let Stretch { first, last, formula, .. } = cast.stretch(end);
            match formula {
                Formula::Constant(_) => {
                    codes.extend([first.midpoint(end), end.midpoint(*last)]);
                }
                Formula::Shift(Shift { bits: bits @ 2..63, .. }) => {
                    // The second is no tie of a cast that rounds to a bit more.
                    for gap in [1_u64 << (bits - 2), 3_u64 << (bits - 2) >> 1] {
                        codes.extend([end.wrapping_sub(gap) & mask, end.wrapping_add(gap) & mask]);
                    }
                }
                Formula::Shift(_) => {}
            }
        }
    }
    codes
}

/// Returns the codes of the powers of two and of what is opposite to them.
fn powers(dtype: DType) -> Vec<u64> {
    let powers = (0..dtype.bits()).map(|bit| 1_u64 << bit);
    powers.flat_map(|power| [power, power.wrapping_neg() & dtype.code_mask()]).collect()
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
        places.extend(at.saturating_sub(most / 2)..=last.min(at + most / 2));
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
