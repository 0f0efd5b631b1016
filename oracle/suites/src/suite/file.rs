//! From chosen elements to the tests of a file.

use crate::cases::{Chosen, Flag};
use crate::notes::defect_notes;
use castproof_oracle::Caster;
use castproof_vectors::{
    Attributes, DType, Element, Expectation, FORMAT, Group, Note, OutcomeRecord, Suite, Test,
    VectorFile, defects, test_id,
};
use std::collections::{BTreeMap, BTreeSet};

/// A case with its answers: each with the versions that share it.
pub(super) struct Answered {
    pub(super) element: Element,
    pub(super) flags: BTreeSet<Flag>,
    pub(super) answers: Vec<(Expectation, Vec<u32>)>,
}

/// Returns the chosen and the telling elements together.
pub(super) fn with_telling(chosen: &Chosen, telling: Vec<(Element, Flag)>) -> Chosen {
    let mut every: BTreeMap<Element, BTreeSet<Flag>> = chosen.iter().cloned().collect();
    for (element, flag) in telling {
        every.entry(element).or_default().insert(flag);
    }
    every.into_iter().collect()
}

/// Answers for every element by every caster, each with the versions that it stands for.
pub(super) fn answer_all(epochs: &[(Caster, Vec<u32>)], chosen: &Chosen) -> Vec<Answered> {
    let answer = |(element, flags): &(Element, BTreeSet<Flag>)| {
        let mut flags = flags.clone();
        let mut answers: Vec<(Expectation, Vec<u32>)> = Vec::new();
        for (caster, members) in epochs {
            let answer = caster.cast_element(element).expect("chosen codes fit the source");
            match answers.iter_mut().find(|(known, _)| *known == answer) {
                Some((_, versions)) => versions.extend(members),
                None => answers.push((answer, members.clone())),
            }
        }
        let rounds_twice =
            |caster: &Caster| element.as_code().is_some_and(|code| caster.rounds_twice(code));
        if epochs.first().is_some_and(|(caster, _)| rounds_twice(caster)) {
            flags.insert(Flag::DoubleRounding);
        }
        Answered { element: element.clone(), flags, answers }
    };
    chosen.iter().map(answer).collect()
}

/// Flags of special values, all of which level core has.
const SPECIAL: [Flag; 6] = [
    Flag::Zero,
    Flag::NegativeZero,
    Flag::Infinity,
    Flag::Nan,
    Flag::SignallingNan,
    Flag::RangeEnd,
];

pub(super) fn is_special(flags: &BTreeSet<Flag>) -> bool {
    SPECIAL.iter().any(|flag| flags.contains(flag))
}

/// Selects at most `limit` cases. Every rule gets its share and, within a rule, every combination
/// of flags. The ends of each combination come first.
pub(super) fn select(answered: &[Answered], limit: usize) -> Vec<&Answered> {
    if answered.len() <= limit {
        return answered.iter().collect();
    }
    let mut by_rule: BTreeMap<Vec<&str>, BTreeMap<&BTreeSet<Flag>, Vec<usize>>> = BTreeMap::new();
    for (index, case) in answered.iter().enumerate() {
        let rules = case.answers.iter().map(|(answer, _)| answer.rule.as_str()).collect();
        by_rule.entry(rules).or_default().entry(&case.flags).or_default().push(index);
    }
    let mut queues: Vec<std::vec::IntoIter<usize>> =
        by_rule.into_values().map(|buckets| in_turn(buckets).into_iter()).collect();
    let mut taken = BTreeSet::new();
    while taken.len() < limit {
        let before = taken.len();
        for queue in &mut queues {
            if taken.len() < limit {
                taken.extend(queue.next());
            }
        }
        if taken.len() == before {
            break;
        }
    }
    taken.into_iter().map(|index| &answered[index]).collect()
}

/// Takes one of each bucket, then the next of each. The order in a bucket is the first, the last,
/// then from the middle outwards.
fn in_turn(buckets: BTreeMap<&BTreeSet<Flag>, Vec<usize>>) -> Vec<usize> {
    let mut buckets: Vec<Vec<usize>> = buckets.into_values().collect();
    let mut order = Vec::new();
    for round in 0.. {
        for bucket in &mut buckets {
            let at = match (bucket.len(), round) {
                (0, _) => continue,
                (_, 0) => 0,
                (left, 1) => left - 1,
                (left, _) => left / 2,
            };
            order.push(bucket.remove(at));
        }
        if buckets.iter().all(Vec::is_empty) {
            return order;
        }
    }
    order
}

/// The tests of a file by group.
pub(super) struct Tests {
    suite: Suite,
    from: DType,
    to: DType,
    groups: BTreeMap<(Attributes, Vec<u32>), BTreeMap<Element, Test>>,
}

impl Tests {
    pub(super) fn new(suite: Suite, from: DType, to: DType) -> Tests {
        Tests { suite, from, to, groups: BTreeMap::new() }
    }

    pub(super) fn add(&mut self, attributes: Attributes, case: &Answered) {
        for (answer, versions) in &case.answers {
            let input = case.element.clone();
            let pair = (self.from, self.to);
            let record = |outcome| OutcomeRecord::new(outcome, self.to);
            let test = Test {
                id: test_id(self.suite, pair, versions.first().copied(), &attributes, &input),
                input,
                expect: record(&answer.expect),
                tolerate: answer.tolerate.as_ref().map(record),
                clause: answer.rule.as_str().into(),
                flags: {
                    let carried = defects()
                        .iter()
                        .filter(|defect| defect.is_carried(answer.rule.as_str(), Some(self.from)));
                    let reasons =
                        Flag::shown(&case.flags).into_iter().map(|flag| flag.name().to_string());
                    reasons.chain(carried.map(|defect| defect.flag.clone())).collect()
                },
            };
            let group = self.groups.entry((attributes, versions.clone())).or_default();
            group.insert(case.element.clone(), test);
        }
    }

    pub(super) fn into_file(self) -> VectorFile {
        let groups: Vec<Group> = self
            .groups
            .into_iter()
            .map(|((attributes, opsets), tests)| Group {
                opsets,
                attributes,
                tests: tests.into_values().collect(),
            })
            .collect();
        let used: BTreeSet<&str> = groups
            .iter()
            .flat_map(|group| &group.tests)
            .flat_map(|test| test.flags.iter().map(String::as_str))
            .collect();
        let notes = Flag::ALL.into_iter().filter(|(_, name, ..)| used.contains(name));
        VectorFile {
            format: FORMAT.into(),
            suite: self.suite,
            from: self.from,
            to: self.to,
            serves_too: BTreeMap::new(),
            number_of_tests: groups.iter().map(|group| group.tests.len()).sum(),
            notes: notes
                .map(|(_, name, description, bug_type)| {
                    let (description, bug_type) = (description.into(), bug_type.into());
                    (name.into(), Note { description, bug_type })
                })
                .chain(defect_notes(&used))
                .collect(),
            groups,
        }
    }
}
