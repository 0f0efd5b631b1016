//! `CastLike`, which is asked for tensors as `Cast` is. What `Cast` gets wrong as well is found as its fault.

use super::words::{not_answered, padding, wrong_at};
use super::worker::Worker;
use anyhow::{Result, anyhow};
use castproof_arrange::ask::AnsweredTensor;
use castproof_arrange::tensor::{Tensor, Way};
use castproof_check::fuzz::{Draw, Random};
use castproof_check::verdict::Verdict;
use castproof_judge::answers;
use castproof_results::Misplaced;
use castproof_results::asked::Asked;
use castproof_results::place::Place;
use castproof_vectors::{Operator, Request, Spec, Suite};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Is it a request of `CastLike`?
pub(super) fn is_like(request: &Request) -> bool {
    matches!(request.spec, Spec::Onnx { op: Operator::CastLike, .. })
}

/// Returns the request of `Cast` that must give the same.
fn of_cast(request: &Request) -> Request {
    let version = Asked::of_request(request).opset.unwrap_or_default();
    let version = castproof_vectors::cast_version(Operator::CastLike, version);
    Request { spec: Spec::cast(version), ..*request }
}

/// Returns the tensor of `Cast` that must give the same, with its answers.
fn as_cast(tensor: &Tensor) -> Result<(Rc<Draw>, Tensor)> {
    let as_cast = Tensor { request: of_cast(&tensor.request), ..tensor.clone() };
    let draw = answers::draw(&as_cast.request).map_err(|problem| anyhow!(problem))?;
    Ok((draw, as_cast))
}

/// Returns the key of a request of `CastLike`.
pub(super) fn asked(request: &Request) -> Asked {
    Asked { suite: Suite::OnnxCastlike, ..Asked::of_request(&of_cast(request)) }
}

impl Worker<'_> {
    /// Asks `CastLike` for a tensor, and judges it.
    ///
    /// # Errors
    /// If a finding cannot be written.
    pub(super) fn like(&mut self, draw: &Draw, random: Random) -> Result<()> {
        let tensor = self.shared.plan.tensor(draw, random);
        let Some(tensor) = self.shared.without_deadly(tensor) else { return Ok(()) };
        let (request, asked) = (tensor.request, asked(&tensor.request));
        let reply = self.ask(draw, &tensor);
        if self.shared.is_interrupted() {
            return Ok(());
        }
        let came = match reply {
            Ok(came) => came,
            Err((Verdict::Unsupported, _)) if tensor.way.is_formed() => {
                self.shared.found().lacks(asked);
                return Ok(());
            }
            Err((Verdict::Unsupported, _)) if !self.shared.found().was_arranged(&asked) => {
                self.shared.uncount();
                self.shared.close(&request);
                self.shared.found().lacks(asked);
                return Ok(());
            }
            Err(said) => {
                let (of_cast, as_cast) = as_cast(&tensor)?;
                if self.one(&of_cast, &as_cast)?.is_none() || self.shared.is_interrupted() {
                    return Ok(()); // `Cast` does not answer either
                }
                let found = Misplaced { asked, ..not_answered(&tensor, &said) };
                self.shared.close(&request);
                return self.shared.found().misplaced(&request, vec![found]);
            }
        };
        let wrong: BTreeSet<usize> =
            (0..came.got.len()).filter(|&at| came.verdicts[at] == Verdict::Fail).collect();
        self.shared.found().count_like(asked, &came);
        let found = match wrong.first() {
            None if came.is_padded => return Ok(()),
            None => padding(&tensor),
            Some(&at) => match self.wrong_like(draw, &tensor, &came, at)? {
                Some(found) => found,
                None => return Ok(()),
            },
        };
        self.shared.found().misplaced(&request, vec![Misplaced { asked, ..found }])
    }

    /// Returns the finding of a wrong element; `None` if `Cast` gets it wrong in the same way, which is then looked
    /// at as its fault.
    fn wrong_like(
        &mut self,
        draw: &Draw,
        tensor: &Tensor,
        came: &AnsweredTensor,
        at: usize,
    ) -> Result<Option<Misplaced>> {
        let (of_cast, as_cast) = as_cast(tensor)?;
        let given = self.ask(&of_cast, &as_cast);
        if given.is_ok_and(|given| given.got[at] == came.got[at]) {
            return self.one(&of_cast, &as_cast).map(|_| None);
        }
        let code = tensor.codes[at];
        let alone = Tensor { way: Way::Plain, codes: vec![code], ..tensor.clone() };
        if let Ok(answer) = self.ask(draw, &alone)
            && answer.verdicts[0] == Verdict::Fail
        {
            let found = wrong_at(draw, &alone, 0, answer.got[0]);
            let sentence =
                found.sentence.replacen("right alone; wrong as", "CastLike: wrong as", 1);
            return Ok(Some(Misplaced { place: Place::CastLikeAlone, sentence, ..found }));
        }
        let smallest = self.smallest(draw, tensor, &BTreeSet::from([code]));
        Ok(Some(smallest.unwrap_or_else(|| {
            let found = wrong_at(draw, tensor, at, came.got[at]);
            let sentence = format!("{}; not seen again", found.sentence);
            Misplaced { place: Place::NotEveryTime, sentence, ..found }
        })))
    }
}
