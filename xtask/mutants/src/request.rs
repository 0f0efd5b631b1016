//! The tests of one request, taken from a vector file.

use castproof_oracle::attribute_sets;
use castproof_vectors::{
    Attributes, Expectation, Group, Landmarks, Operator, Outcome, Request, VectorFile, landmarks,
    versions,
};
use std::collections::BTreeMap;

/// A request and its tests.
pub(crate) struct Asked {
    pub(crate) request: Request,
    /// The versions that have the same tests.
    pub(crate) opsets: Vec<u32>,
    /// What is expected of each code that is tested.
    pub(crate) tests: BTreeMap<u64, Admitted>,
}

/// The admitted outcomes of one element.
pub(crate) struct Admitted {
    expect: Outcome,
    tolerate: Option<Outcome>,
    to: &'static Landmarks,
}

impl Admitted {
    pub(crate) fn of(answer: &Expectation, to: castproof_vectors::DType) -> Admitted {
        let (expect, tolerate) = (answer.expect.clone(), answer.tolerate.clone());
        Admitted { expect, tolerate, to: landmarks(to).expect("a numeric dtype") }
    }

    /// May an implementation return this code?
    pub(crate) fn admits(&self, code: u64) -> bool {
        let admits = |outcome: &Outcome| outcome.admits(code, self.to);
        admits(&self.expect) || self.tolerate.as_ref().is_some_and(admits)
    }
}

/// Returns every request of a numeric pair, in all versions and with all attributes. Versions with
/// the same tests are joined.
pub(crate) fn requests(file: &VectorFile) -> Vec<Asked> {
    let mut by_groups: BTreeMap<(Attributes, Vec<usize>), Vec<u32>> = BTreeMap::new();
    for &opset in versions(Operator::Cast) {
        for attributes in attribute_sets(file.to, opset) {
            let of = |(_, group): &(usize, &Group)| {
                group.attributes == attributes && group.opsets.contains(&opset)
            };
            let groups: Vec<usize> =
                file.groups.iter().enumerate().filter(of).map(|(index, _)| index).collect();
            by_groups.entry((attributes, groups)).or_default().push(opset);
        }
    }
    let asked = |((attributes, groups), opsets): ((Attributes, Vec<usize>), Vec<u32>)| {
        let request = Request::cast(file.from, file.to, opsets[0]).with(attributes);
        let tests = groups.iter().flat_map(|&group| &file.groups[group].tests);
        let tests = tests.filter_map(|test| {
            let to = landmarks(file.to)?;
            let tolerate = test.tolerate.as_ref().map(castproof_vectors::OutcomeRecord::outcome);
            let admitted = Admitted { expect: test.expect.outcome(), tolerate, to };
            Some((test.input.as_code()?, admitted))
        });
        Asked { request, tests: tests.collect(), opsets }
    };
    by_groups.into_iter().map(asked).collect()
}
