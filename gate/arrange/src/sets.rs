//! The requests of a pair with their tests, and what becomes of the findings.

use super::codes;
use castproof_check::arrange::Share;
use castproof_check::fuzz::Random;
use castproof_results::asked::Asked;
use castproof_results::baseline::Baseline;
use castproof_results::{Arranged, Misplaced, Results};
use castproof_vectors::{Attributes, DType, OutcomeRecord, Spec, Test, VectorFile};
use std::collections::BTreeMap;

/// A version, and the specification that its requests name.
pub(super) type Edition = (Option<u32>, Spec);

/// Returns the seed of the tensors of a pair, in the version of this number from the newest on.
pub(super) fn seed_of(seed: u64, (from, to): (DType, DType), version: usize) -> u64 {
    let names = from.name().bytes().chain([b':']).chain(to.name().bytes());
    let numbers = seed.to_le_bytes().into_iter().chain(version.to_le_bytes());
    Random::of(numbers.chain(names)).number()
}

/// Is there a test that asks for more than a refusal?
pub(super) fn takes(tests: &[Test]) -> bool {
    tests.iter().any(|test| !matches!(test.expect, OutcomeRecord::Reject(_)))
}

/// The tests of a version that ask for more than a refusal, by attributes.
pub(super) fn of_version(
    file: &VectorFile,
    version: Option<u32>,
) -> BTreeMap<Attributes, Vec<&Test>> {
    let mut sets: BTreeMap<_, Vec<&Test>> = BTreeMap::new();
    for group in file.groups.iter().filter(|group| group.holds_in(version)) {
        let tests = group.tests.iter();
        let due = tests.filter(|test| !matches!(test.expect, OutcomeRecord::Reject(_)));
        sets.entry(group.attributes).or_default().extend(due);
    }
    sets.retain(|_, tests| !tests.is_empty());
    sets
}

/// Returns the requests of a version in the order in which they are asked, with the share of the
/// counts that each gets. Requests with special codes have the counts among them: at each count,
/// such codes must be asked.
pub(super) fn shares<'a, 'b>(
    sets: &'b BTreeMap<Attributes, Vec<&'a Test>>,
) -> Vec<(Attributes, &'b [&'a Test], Share)> {
    let is_rich = |tests: &Vec<&Test>| tests.iter().any(|test| codes::is_special(test));
    let (rich, poor): (Vec<_>, Vec<_>) = sets.iter().partition(|(_, tests)| is_rich(tests));
    let of = if rich.is_empty() { poor.len() } else { rich.len() };
    let in_order = rich.into_iter().chain(poor).enumerate();
    in_order.map(|(index, (of_set, tests))| (*of_set, &tests[..], Share { index, of })).collect()
}

/// Compares the findings with the baseline, and keeps them.
pub fn note(
    asked: Asked,
    tally: Arranged,
    misplaced: Vec<Misplaced>,
    baseline: &Baseline,
    results: &mut Results,
) {
    for mut found in misplaced {
        let entry = baseline.of_place(&found);
        if let Some((key, entry)) = entry {
            let usage = results.usage.entry(key).or_default();
            usage.hits += 1;
            usage.pairs.insert((asked.from, asked.to));
            found.known = Some(entry.reason.clone());
        } else {
            results.cells.entry(asked).or_default().misplaced += 1;
        }
        results.misplaced.push(found);
    }
    *results.arranged.entry(asked).or_default() += tally;
}
