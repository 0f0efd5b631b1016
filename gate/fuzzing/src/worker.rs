//! One thread of a run: it asks its own testee, and starts another one when that has died.

use super::deviations::Wrong;
use super::shared::Shared;
use castproof_arrange::ask::{AnsweredTensor, Said, ask};
use castproof_arrange::tensor::Tensor;
use castproof_book::{Book, Composer};
use castproof_check::fuzz::Draw;
use castproof_check::verdict::Verdict;
use castproof_testee::{Identity, Reply, Testee};
use castproof_vectors::Request;

/// One thread.
pub(super) struct Worker<'a> {
    pub(super) shared: &'a Shared<'a>,
    pub(super) testee: Box<dyn Testee + Send>,
    pub(super) composer: Composer<'static>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(shared: &'a Shared<'a>, testee: Box<dyn Testee + Send>) -> Worker<'a> {
        Worker { shared, testee, composer: Composer::new(Book::carried()) }
    }

    /// Asks for a tensor; restarts a testee that died.
    pub(super) fn ask(&mut self, draw: &Draw, tensor: &Tensor) -> Result<AnsweredTensor, Said> {
        let reply = ask(self.testee.as_mut(), draw, tensor, self.shared.strict);
        if matches!(reply, Err((Verdict::Crash | Verdict::Timeout, _))) {
            self.died();
        }
        reply
    }

    /// Restarts a testee that died.
    pub(super) fn died(&mut self) {
        if self.shared.is_interrupted() {
            return;
        }
        self.shared.count_death();
        match (self.shared.make)() {
            Ok(testee) => self.testee = testee,
            Err(error) => {
                self.testee = Box::new(Gone(self.testee.identity().clone()));
                self.shared.fail(error);
            }
        }
    }

    /// Asks for the same code alone in a tensor; returns its result if it fails there.
    pub(super) fn alone(&mut self, draw: &Draw, wrong: &Wrong) -> Option<Wrong> {
        let alone = Tensor::plain(*draw.request(), vec![wrong.code]);
        let came = self.ask(draw, &alone).ok()?;
        (came.verdicts[0] == Verdict::Fail).then_some(Wrong { got: came.got[0], ..*wrong })
    }
}

/// Replaces a testee that must not be asked any more.
pub(super) struct Gone(pub(super) Identity);

impl Testee for Gone {
    fn identity(&self) -> &Identity {
        &self.0
    }

    fn cast(&mut self, _: &Request, _: usize, _: &[u8]) -> Reply {
        Reply::Unsupported("the run has ended".into())
    }
}
