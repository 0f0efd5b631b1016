//! The tests of a suite, sorted into series: tests that are asked alike are asked together.

use super::drawn::DRAWN;
use super::plan::Plan;
use castproof_judge::judge::Expected;
use castproof_judge::scope::ScopeEdition;
use castproof_results::asked::Asked;
use castproof_vectors::{
    Attributes, CastChain, DType, Operator, OutcomeRecord, Question, QuestionFile, QuestionTest,
    Request, Spec, Test, VectorFile, element_count,
};

/// Most elements of one request.
const BATCH: usize = CastChain::MOST_ELEMENTS;

/// Most strings of one request. A runtime may refuse a text that the specification leaves open; the
/// refusal must not affect other texts.
const TEXT_BATCH: usize = 1;

/// Most elements of one request that must be refused. The refusal of one must not hide that another is cast.
const REFUSED_BATCH: usize = 1;

/// Of the vectors that hold in several versions, older ones are asked one in so many, each version other ones.
const SHARE: usize = 8;

/// Tests that are asked alike, in the same operator versions.
pub(super) struct Series<'a> {
    /// What the tests have in common, in any version.
    pub(super) asked: Asked,
    /// The versions in which they are asked; a single `None` if the operator has none.
    pub(super) editions: Vec<Option<ScopeEdition>>,
    /// Are all tests asked in every version, rather than in the newest one that answers and a share in older ones?
    pub(super) in_every_version: bool,
    /// The tests.
    pub(super) cases: Vec<Case<'a>>,
    /// What a testee is asked to do.
    pub(super) what: What<'a>,
}

/// What the tests of a series ask a testee to do.
#[derive(Clone, Copy)]
pub(super) enum What<'a> {
    /// A cast of elements.
    Cast,
    /// Casts in a row, of elements; this question is one of them.
    Chain(&'a CastChain),
    /// A question of its own for each test.
    Question,
}

/// One test.
#[derive(Clone)]
pub(super) struct Case<'a> {
    /// Its name.
    pub(super) id: &'a str,
    /// The clause that decides it.
    pub(super) clause: &'a str,
    /// What must come back.
    pub(super) due: Expected<'a>,
    /// The question, in a suite of questions.
    pub(super) question: Option<&'a Question>,
    /// The whole test, if it is drawn and so stands in no file.
    pub(super) drawn: Option<&'a QuestionTest>,
}

/// Returns the series of a pair's vectors: its groups.
pub(super) fn of_casts<'a>(file: &'a VectorFile, plan: &Plan) -> Vec<Series<'a>> {
    let pair = (file.from, file.to);
    let mut all = Vec::new();
    for group in &file.groups {
        let holds = |edition: &&ScopeEdition| group.holds_in(edition.version);
        let is_refused = |test: &&Test| matches!(test.expect, OutcomeRecord::Reject(_));
        let (refused, cast): (Vec<&Test>, Vec<&Test>) = group.tests.iter().partition(is_refused);
        // Of some elements of a cast a refusal is due, as where it traps. They are asked after the others.
        for tests in [cast, refused].into_iter().filter(|tests| !tests.is_empty()) {
            let due = |test: &&&Test| !plan.scope.kernel || !is_refused(test);
            let cases = tests.iter().filter(due).map(|test| Case {
                id: &test.id,
                clause: &test.clause,
                due: Expected::of_test(pair, test),
                question: None,
                drawn: None,
            });
            all.push(Series {
                asked: Asked::of_cast(file.suite, pair, group.attributes),
                editions: plan.scope.editions.iter().filter(holds).copied().map(Some).collect(),
                in_every_version: plan.scope.every_vector,
                cases: cases.collect(),
                what: What::Cast,
            });
        }
    }
    all
}

/// Returns the series of a suite of questions. Adjacent casts or chains that are asked alike make
/// one series; any other question is a series of its own.
pub(super) fn of_questions(file: &QuestionFile) -> Vec<Series<'_>> {
    let together = |one: &QuestionTest, next: &QuestionTest| {
        one.opsets == next.opsets
            && match (&one.ask, &next.ask) {
                (Question::CastLike(_), Question::CastLike(_)) => {
                    Asked::of(&one.ask) == Asked::of(&next.ask)
                }
                (Question::Chain(one), Question::Chain(next)) => {
                    let CastChain { dtypes, attributes, operators, constant, shape, input: _ } =
                        one;
                    (dtypes, attributes, operators)
                        == (&next.dtypes, &next.attributes, &next.operators)
                        && (constant, shape) == (&next.constant, &next.shape)
                }
                _ => false,
            }
    };
    let series = file.tests.chunk_by(together).map(|tests| {
        let (what, op) = match &tests[0].ask {
            Question::CastLike(_) => (What::Cast, Operator::CastLike),
            Question::Chain(chain) => (What::Chain(chain), Operator::Cast),
            _ => (What::Question, Operator::Cast),
        };
        let edition = |&opset: &u32| {
            Some(ScopeEdition { version: Some(opset), spec: Spec::Onnx { op, opset } })
        };
        let editions: Vec<Option<ScopeEdition>> = tests[0].opsets.iter().map(edition).collect();
        let cases = tests.iter().map(|test| Case {
            id: &test.id,
            clause: &test.clause,
            due: Expected::of_question(test),
            question: Some(&test.ask),
            drawn: Some(test).filter(|test| test.flags.iter().any(|flag| flag == DRAWN)),
        });
        Series {
            asked: Asked::of(&tests[0].ask),
            editions: if editions.is_empty() { vec![None] } else { editions },
            in_every_version: true,
            cases: cases.collect(),
            what,
        }
    });
    series.collect()
}

impl<'a> Series<'a> {
    /// Returns for each version the share of the tests that it is asked if a newer one answered: one in 8, and at least 8
    /// if there are as many. The versions have different ones: of 80 tests the newest version but one has the numbers 1,
    /// 9, 17, the one before it 2, 10, 18. Tests whose result is open are left out. Where all are open, as of texts
    /// that are cast to bool, all are asked, for a testee may decline most of them. Empty if every version is asked in full.
    pub(super) fn shares(&self) -> Vec<Series<'a>> {
        let decided: Vec<&Case<'a>> =
            self.cases.iter().filter(|case| !case.due.is_open()).collect();
        let (cases, step) = match decided.len() {
            0 => (self.cases.iter().collect(), 1),
            count => (decided, (count / SHARE).clamp(1, SHARE)),
        };
        let share = |(number, edition): (usize, &Option<ScopeEdition>)| Series {
            asked: self.asked,
            editions: vec![*edition],
            in_every_version: true,
            cases: cases.iter().skip(number % step).step_by(step).copied().cloned().collect(),
            what: self.what,
        };
        let editions = self.editions.iter().rev().enumerate();
        let mut shares: Vec<Series<'a>> = match self.in_every_version {
            true => Vec::new(),
            false => editions.map(share).collect(),
        };
        shares.reverse();
        shares
    }

    /// Returns the largest number of tests of one request.
    pub(super) fn batch(&self) -> usize {
        match self.what {
            What::Question => 1,
            _ if self.asked.from == DType::String => TEXT_BATCH,
            _ if self.cases.iter().any(|case| case.due.is_refusal()) => REFUSED_BATCH,
            What::Chain(CastChain { shape: Some(shape), .. }) => {
                element_count(shape).unwrap_or(1).clamp(1, BATCH)
            }
            What::Cast | What::Chain(_) => BATCH,
        }
    }

    /// Returns the request at one version, if the tests are casts of elements.
    pub(super) fn request(&self, edition: Option<ScopeEdition>) -> Option<Request> {
        let (from, to) = self.asked.pair();
        let attributes: Attributes = self.asked.attributes;
        let What::Cast = self.what else { return None };
        Some(Request { spec: edition?.spec, from, to, attributes })
    }
}

#[cfg(test)]
mod tests {
    use crate::gate::{Options, results};
    use castproof_arrange::Arrangements;
    use castproof_results::ResultsFile;
    use castproof_results::finding::Finding;
    use castproof_testee::builtin::Builtin;
    use castproof_testee::{Identity, Reply, Testee};
    use castproof_vectors::{DType, Request};
    use std::ops::Range;

    const PAIR: (DType, DType) = (DType::Float32, DType::Float8E4M3FN);

    /// Castproof's own implementation in versions up to `newest`, where all results of `wrong` are wrong.
    struct Versions {
        inner: Builtin,
        newest: u32,
        wrong: Range<u32>,
    }

    impl Testee for Versions {
        fn identity(&self) -> &Identity {
            self.inner.identity()
        }

        fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
            let opset = request.spec.opset().expect("a version of Cast");
            if opset > self.newest {
                return Reply::Unsupported("too new".into());
            }
            let mut reply = self.inner.cast(request, count, input);
            if let (Reply::Output(output), true) = (&mut reply, self.wrong.contains(&opset)) {
                output.iter_mut().for_each(|byte| *byte ^= 1);
            }
            reply
        }
    }

    fn run(newest: u32, wrong: Range<u32>, every_vector: bool) -> ResultsFile {
        let mut testee = Versions { inner: Builtin::new(), newest, wrong };
        let options = Options {
            pairs: vec![PAIR],
            arrangements: Arrangements::None,
            every_vector,
            threads: 1,
            ..Options::default()
        };
        results(&options, &mut testee).expect("a run").1
    }

    /// Returns how many tests of a version were executed.
    fn executed(file: &ResultsFile, version: u32) -> u64 {
        file.results.sum(|key| key.opset == Some(version)).counts.executed
    }

    #[test]
    fn older_versions_are_asked_a_share_of_what_the_newest_answered() {
        for newest in [28, 23] {
            let (share, all) = (run(newest, 0..0, false), run(newest, 0..0, true));
            assert_eq!(executed(&share, newest), executed(&all, newest), "up to Cast-{newest}");
            for older in [19, 21] {
                let (share, all) = (executed(&share, older), executed(&all, older));
                assert!(share > 0 && share * 7 < all, "{share} of {all} tests of Cast-{older}");
            }
            assert!(share.passed || newest < 28, "a version that is refused may be required");
        }
    }

    #[test]
    fn a_version_that_is_wrong_alone_fails_and_is_named() {
        let file = run(28, 19..20, false);
        assert!(!file.passed);
        assert!(
            file.findings.iter().all(|finding| finding.versions == [19]),
            "{:?}",
            file.findings
        );
    }

    #[test]
    fn a_test_that_fails_in_several_versions_is_one_failure() {
        let (share, all) = (run(28, 0..99, false), run(28, 0..99, true));
        let failures = |file: &ResultsFile| file.results.failures.len();
        assert_eq!(failures(&share), failures(&all));
        let versions = |file: &ResultsFile| {
            let opsets = file.findings.iter().flat_map(|finding| finding.versions.clone());
            opsets.collect::<std::collections::BTreeSet<u32>>()
        };
        assert_eq!(versions(&share), versions(&all));
    }

    /// Castproof's own implementation with the version of the call before.
    struct Kept {
        inner: Builtin,
        before: Option<Request>,
    }

    impl Testee for Kept {
        fn identity(&self) -> &Identity {
            self.inner.identity()
        }

        fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
            let before = self.before.replace(*request);
            let spec = before.filter(|it| it.to == request.to).map_or(request.spec, |it| it.spec);
            self.inner.cast(&Request { spec, ..*request }, count, input)
        }
    }

    #[test]
    fn a_version_that_is_kept_from_the_call_before_fails() {
        for every_vector in [false, true] {
            let mut testee = Kept { inner: Builtin::new(), before: None };
            let options = Options {
                pairs: vec![(DType::Float64, DType::Float16)],
                every_vector,
                threads: 1,
                ..Options::default()
            };
            let file = results(&options, &mut testee).expect("a run").1;
            let found: Vec<String> = file.findings.iter().map(Finding::headline).collect();
            assert!(!file.passed, "{every_vector}: {found:?} {:?}", file.reasons);
        }
    }
}
