//! The built-in testee with other answers to questions, and what the gate finds of them.

use castproof::finding::{Finding, Kind};
use castproof::findings;
use castproof::gate::{self, Options};
use castproof::testee::builtin::Builtin;
use castproof::testee::{Identity, Reply, Returned, Testee};
use castproof_vectors::{Question, Request, Suite};

/// The built-in testee, in whose place `answer` answers questions; `None`: it answers itself.
struct Answering<F> {
    inner: Builtin,
    answer: F,
}

impl<F> Testee for Answering<F>
where
    F: FnMut(&Question, &mut Builtin) -> Option<Reply<Returned>>,
{
    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
        self.inner.cast(request, count, input)
    }

    fn ask(&mut self, question: &Question) -> Reply<Returned> {
        (self.answer)(question, &mut self.inner).unwrap_or_else(|| self.inner.ask(question))
    }
}

/// Gates a suite whose questions are answered so, and returns the findings of failing tests.
pub(crate) fn found_by(
    options: &Options,
    answer: impl FnMut(&Question, &mut Builtin) -> Option<Reply<Returned>>,
) -> Vec<Finding> {
    let mut testee = Answering { inner: Builtin::new(), answer };
    let (_, file) = gate::results(options, &mut testee).expect("the gate runs");
    findings(&file.results).into_iter().filter(|it| it.kind == Kind::Question).collect()
}

/// The options that ask one suite.
pub(crate) fn of_suite(suite: Suite) -> Options {
    Options { suites: vec![suite], ..Options::default() }
}
