//! Casts in a row as one graph: its tests, and what came of it.

use castproof_check::verdict::{Verdict, judge};
use castproof_methods::Step;
use castproof_testee::{Chain, Testee};
use castproof_vectors::{
    AnswerRecord, Attributes, CastChain, DType, Element, Expectation, OutcomeRecord, Question,
    QuestionTest, Request, StepOperator, Suite, landmarks, pack, pack_elements, unpack,
    unpack_elements,
};
use std::collections::BTreeMap;

/// Two or more casts in a row, as one graph. One of the steps may be a bitcast.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The casts, one after the other.
    pub steps: Vec<Step>,
    /// What each step does; none: every step is a `Cast`.
    pub operators: Vec<StepOperator>,
    /// The operator set of the graph.
    pub opset: u32,
}

/// A code, the expected result of the casts, and the flag of its test.
pub type ExpectedElement = (u64, Expectation, &'static str);

impl Graph {
    /// Returns the dtypes of input and output.
    pub fn ends(&self) -> (DType, DType) {
        (self.steps[0].from, self.steps[self.steps.len() - 1].to)
    }

    /// Returns the number of its bitcast; `None` if there is none.
    pub fn bitcast(&self) -> Option<usize> {
        self.operators.iter().position(|operator| *operator == StepOperator::Bitcast)
    }

    /// Are there strings in it?
    pub fn has_text(&self) -> bool {
        self.dtypes().contains(&DType::String)
    }

    /// Returns its casts, each as a request of its own.
    pub fn requests(&self) -> Vec<Request> {
        self.steps.iter().map(|step| step.request(self.opset)).collect()
    }

    /// Returns the tests of those codes that the testee gets right step by step.
    pub fn tests(&self, due: Vec<ExpectedElement>, testee: &mut dyn Testee) -> Vec<QuestionTest> {
        let codes: Vec<u64> = due.iter().map(|(code, ..)| *code).collect();
        let Some(steps) = self.steps(&codes, testee) else { return Vec::new() };
        self.right_tests(due, &codes.into_iter().zip(steps).collect())
    }

    /// Returns the tests of those codes for which the casts one by one gave what is due.
    pub fn right_tests(
        &self,
        due: Vec<ExpectedElement>,
        steps: &BTreeMap<u64, u64>,
    ) -> Vec<QuestionTest> {
        let Some(target) = landmarks(self.ends().1) else { return Vec::new() };
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
        let (from, to) = self.ends();
        let input = pack(from, codes).ok()?;
        let output = testee.cast_in_turn(&self.chain(), codes.len(), &input).told().ok()?;
        unpack(to, &output, codes.len()).ok()
    }

    /// Casts elements step by step.
    ///
    /// # Errors
    /// The verdict on a reply without elements.
    pub fn each_step(
        &self,
        elements: &[Element],
        testee: &mut dyn Testee,
    ) -> Result<Vec<Element>, Verdict> {
        let (from, to) = self.ends();
        let input = pack_elements(from, elements).map_err(|_| Verdict::Error)?;
        let reply = testee.cast_in_turn(&self.chain(), elements.len(), &input);
        let output = reply.told().map_err(|(verdict, _)| verdict)?;
        unpack_elements(to, &output, elements.len()).map_err(|_| Verdict::Error)
    }

    fn chain(&self) -> Chain {
        let (dtypes, attributes) = (self.dtypes(), self.attributes());
        let operators = self.operators.clone();
        Chain { dtypes, attributes, operators, opset: self.opset, constant: false, shape: None }
    }

    /// Returns the dtypes of the input, of the tensors between the casts, and of the output.
    pub fn dtypes(&self) -> Vec<DType> {
        let first = std::iter::once(self.ends().0);
        first.chain(self.steps.iter().map(|step| step.to)).collect()
    }

    /// Returns the attributes of each cast.
    fn attributes(&self) -> Vec<Attributes> {
        self.steps.iter().map(|step| step.attributes).collect()
    }

    fn test(&self, (code, due, flag): ExpectedElement) -> QuestionTest {
        self.test_of(Element::code(code, self.ends().0), &due, flag)
    }

    /// Returns the test of an element.
    pub fn test_of(&self, input: Element, due: &Expectation, flag: &str) -> QuestionTest {
        let to = self.ends().1;
        let ask = Question::Chain(CastChain {
            dtypes: self.dtypes(),
            attributes: self.attributes(),
            operators: self.operators.clone(),
            constant: false,
            shape: None,
            input,
        });
        let record = |outcome| AnswerRecord::Outcome(OutcomeRecord::new(outcome, to));
        QuestionTest {
            id: QuestionTest::id_of(Suite::OnnxChain, &[self.opset], &ask),
            opsets: vec![self.opset],
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
    /// Was it asked in a tensor of a shape of its own?
    pub(crate) is_shaped: bool,
    /// The ids of its tests.
    pub(crate) ids: Vec<String>,
    /// Codes and results; empty if there are strings in it.
    pub(crate) inputs: Vec<u64>,
    pub(crate) got: Vec<u64>,
    /// Elements and results, if there are strings in it.
    pub(crate) texts: Vec<(Element, Element)>,
    pub(crate) verdicts: Vec<Verdict>,
}
