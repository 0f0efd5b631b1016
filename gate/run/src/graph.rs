//! Two casts in a row as one graph: its tests, and what came of it.

use castproof_check::verdict::{Verdict, judge};
use castproof_methods::Casts;
use castproof_testee::{Chain, Testee};
use castproof_vectors::{
    AnswerRecord, CastChain, Element, Expectation, OutcomeRecord, Question, QuestionTest, Suite,
    landmarks, pack, unpack,
};
use std::collections::BTreeMap;

/// Two casts in a row, as one graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Graph {
    pub(crate) casts: Casts,
    pub(crate) opset: u32,
}

/// A code, the expected result of the casts, and the flag of its test.
pub(crate) type ExpectedElement = (u64, Expectation, &'static str);

impl Graph {
    /// Returns the tests of those codes that the testee gets right step by step.
    pub(crate) fn tests(
        &self,
        due: Vec<ExpectedElement>,
        testee: &mut dyn Testee,
    ) -> Vec<QuestionTest> {
        let codes: Vec<u64> = due.iter().map(|(code, ..)| *code).collect();
        let Some(steps) = self.steps(&codes, testee) else { return Vec::new() };
        self.right_tests(due, &codes.into_iter().zip(steps).collect())
    }

    /// Returns the tests of those codes for which the casts one by one gave what is due.
    pub(crate) fn right_tests(
        &self,
        due: Vec<ExpectedElement>,
        steps: &BTreeMap<u64, u64>,
    ) -> Vec<QuestionTest> {
        let Some(target) = landmarks(self.casts.dtypes[2]) else { return Vec::new() };
        let right = |(code, expected, _): &ExpectedElement| {
            let (expect, tolerate) = (&expected.expect, expected.tolerate.as_ref());
            let is_right =
                |got: &u64| judge(expect, tolerate, *got, target, false) != Verdict::Fail;
            steps.get(code).is_some_and(is_right)
        };
        due.into_iter().filter(right).map(|due| self.test(due)).collect()
    }

    /// Casts codes step by step; `None` if the testee does not answer.
    fn steps(&self, codes: &[u64], testee: &mut dyn Testee) -> Option<Vec<u64>> {
        let Graph { casts: Casts { dtypes, attributes }, opset } = *self;
        let chain =
            Chain { dtypes: dtypes.into(), attributes: attributes.into(), opset, constant: false };
        let input = pack(dtypes[0], codes).ok()?;
        let output = testee.cast_in_turn(&chain, codes.len(), &input).told().ok()?;
        unpack(dtypes[2], &output, codes.len()).ok()
    }

    fn test(&self, (code, due, flag): ExpectedElement) -> QuestionTest {
        let Graph { casts: Casts { dtypes, attributes }, opset } = *self;
        let input = Element::code(code, dtypes[0]);
        let ask = Question::Chain(CastChain { dtypes, attributes, constant: false, input });
        let record = |outcome| AnswerRecord::Outcome(OutcomeRecord::new(outcome, dtypes[2]));
        QuestionTest {
            id: QuestionTest::id_of(Suite::OnnxChain, &[opset], &ask),
            opsets: vec![opset],
            ask,
            expect: record(&due.expect),
            tolerate: due.tolerate.as_ref().map(record),
            clause: due.rule.to_string(),
            flags: vec![flag.into()],
        }
    }
}

/// One chain as it was asked, and what came of it.
#[derive(Clone, Debug)]
pub(crate) struct Observed {
    pub(crate) graph: Graph,
    /// The ids of its tests.
    pub(crate) ids: Vec<String>,
    pub(crate) inputs: Vec<u64>,
    pub(crate) got: Vec<u64>,
    pub(crate) verdicts: Vec<Verdict>,
}
