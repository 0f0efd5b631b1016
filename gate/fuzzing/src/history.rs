//! Which findings a new testee shows, and which depend on what was asked before. The vectors of a
//! folder replay only the former; the sequence of a run replays both.

use super::deviations::Deviations;
use anyhow::{Result, anyhow};
use castproof_arrange::ask::ask;
use castproof_arrange::tensor::Tensor;
use castproof_check::verdict::Verdict;
use castproof_judge::answers;
use castproof_results::place::Place;
use castproof_run::chains;
use castproof_testee::Testee;

/// Most failing codes and chains that are asked again.
const MOST: usize = 256;

/// What a new testee shows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shown {
    /// Some of the findings.
    pub(super) some: bool,
    /// Not all of them: a fault depends on earlier requests.
    pub(super) not_all: bool,
}

impl Shown {
    fn note(&mut self, is_shown: bool) {
        self.some |= is_shown;
        self.not_all |= !is_shown;
    }
}

impl Deviations {
    /// Asks a new testee for what was found.
    ///
    /// # Errors
    /// If the book lacks an answer; it has all of them.
    pub(super) fn shown_by(&self, testee: &mut dyn Testee, strict: bool) -> Result<Shown> {
        let mut shown = Shown::default();
        for (request, code) in self.failing().take(MOST) {
            let draw = answers::draw(&request).map_err(|problem| anyhow!(problem))?;
            let alone = Tensor::plain(request, vec![code]);
            let came = ask(testee, &draw, &alone, strict);
            shown.note(came.map_or(true, |came| came.verdicts[0] == Verdict::Fail));
        }
        let tests: Vec<_> = self.chain_tests().take(MOST).cloned().collect();
        if !tests.is_empty() {
            let run = chains::ask(&tests, strict, testee)?;
            shown.note(run.deviations.iter().any(|deviation| deviation.verdict.is_bad()));
        }
        for place in self.places() {
            shown.note(!matches!(place, Place::EarlierCall | Place::NotEveryTime));
        }
        shown.some |= self.has_remarks();
        Ok(shown)
    }
}
