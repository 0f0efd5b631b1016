//! The sample of a run: as little as has every dtype on either side, every operation, layout and
//! feature. It is the same in every run.

use crate::ends::Ends;
use castproof_judge::pairs::pairs_of;
use castproof_vectors::{DType, Question, QuestionFile, Suite};
use std::collections::BTreeSet;

/// Pairs of a sample.
const PAIRS: usize = 40;

/// Chains of a sample.
const CHAINS: usize = 60;

/// Of so many questions of a suite one is asked.
const QUESTIONS: usize = 8;

/// Pairs of which runtimes have kernels of their own, so that these are in every sample.
const USUAL: [(DType, DType); 10] = [
    (DType::Float32, DType::Float16),
    (DType::Float16, DType::Float32),
    (DType::Float32, DType::Bfloat16),
    (DType::Bfloat16, DType::Float32),
    (DType::Float32, DType::Int8),
    (DType::Float32, DType::Float8E4M3FN),
    (DType::Float64, DType::Float32),
    (DType::Int64, DType::Float32),
    (DType::Int32, DType::Uint8),
    (DType::Float32, DType::Int64),
];

/// Returns the pairs of a suite that are asked: usual ones, then pairs that bring a dtype on a side on
/// which it was not yet, then others at equal distances.
pub(crate) fn pairs(suite: Suite) -> Vec<(DType, DType)> {
    let all = pairs_of(suite);
    let mut chosen: Vec<(DType, DType)> = USUAL.into_iter().filter(|it| all.contains(it)).collect();
    let mut from: BTreeSet<DType> = chosen.iter().map(|pair| pair.0).collect();
    let mut to: BTreeSet<DType> = chosen.iter().map(|pair| pair.1).collect();
    // Steps that are not aligned with the rows of the matrix: first pairs that are new on both sides.
    let in_steps = || (0..all.len()).map(|number| all[number * STEP % all.len()]);
    for sides in [2, 1] {
        for pair in in_steps() {
            let new = usize::from(!from.contains(&pair.0)) + usize::from(!to.contains(&pair.1));
            if new >= sides {
                from.insert(pair.0);
                to.insert(pair.1);
                chosen.push(pair);
            }
        }
    }
    for pair in in_steps() {
        if chosen.len() < PAIRS && !chosen.contains(&pair) {
            chosen.push(pair);
        }
    }
    chosen
}

/// A prime that divides no number of pairs.
const STEP: usize = 101;

/// Leaves some chains: one of each of some ends, and of those with strings all of some ends.
pub(crate) fn chains(all: &mut Vec<Ends>) {
    let step = all.len().div_ceil(CHAINS).max(1);
    let mut number = 0;
    all.retain(|_| {
        number += 1;
        (number - 1) % step == 0
    });
    for (number, Ends { records, .. }) in all.iter_mut().enumerate() {
        let kept = number % records.len().max(1);
        *records = records.iter().skip(kept).take(1).copied().collect();
    }
}

/// Leaves some questions of a suite: those of the pairs of the sample, where they are casts.
pub(crate) fn questions(file: &mut QuestionFile, pairs: &[(DType, DType)]) {
    let mut number = 0;
    file.tests.retain(|test| match &test.ask {
        Question::CastLike(cast) => pairs.contains(&(cast.from, cast.to)),
        _ => {
            number += 1;
            (number - 1) % QUESTIONS == 0
        }
    });
    file.number_of_tests = file.tests.len();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_every_dtype_on_either_side() {
        for suite in Suite::casts() {
            let (all, sample) = (pairs_of(suite), pairs(suite));
            let sides = |pairs: &[(DType, DType)]| -> [BTreeSet<DType>; 2] {
                [pairs.iter().map(|it| it.0).collect(), pairs.iter().map(|it| it.1).collect()]
            };
            assert_eq!(sides(&sample), sides(&all), "{}", suite.name());
            assert!(sample.len() <= PAIRS, "{} pairs of {}", sample.len(), suite.name());
            let distinct: BTreeSet<_> = sample.iter().collect();
            assert_eq!(distinct.len(), sample.len(), "{}", suite.name());
            assert!(sample.iter().all(|pair| all.contains(pair)), "{}", suite.name());
        }
    }

    #[test]
    fn a_sample_has_some_chains_with_every_dtype() {
        let mut by_ends = crate::ends::all_ends();
        chains(&mut by_ends);
        assert!((CHAINS / 2..=CHAINS).contains(&by_ends.len()), "{} chains", by_ends.len());
        let (texts, atlas): (Vec<Ends>, Vec<Ends>) =
            by_ends.into_iter().partition(|it| it.records.is_empty());
        assert!(!texts.is_empty() && atlas.iter().all(|it| it.records.len() == 1));
        for place in 0..3 {
            let here: BTreeSet<DType> =
                atlas.iter().map(|it| it.records[0].dtypes[place]).collect();
            assert!(here.len() >= 20, "{} dtypes at {place}", here.len());
        }
    }
}
