//! Asks a testee for tensors, and judges the replies.

use super::buffer::{Long, has_zero_padding, packed, padding};
use super::codes::Codes;
use super::plan::{Filling, Tensor, Way};
use super::told::{panicked, told};
use super::{LONG, One, Said};
use castproof_check::verdict::{Verdict, judge};
use castproof_testee::{Form, Reply};
use castproof_vectors::{Outcome, Request, unpack};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Tensors up to this count are handed over in batches, if the testee lets the gate ask ahead.
const SHORT: usize = 200;

/// The result of asking for one tensor.
pub(super) enum Came {
    /// Its wrong elements.
    Elements(Vec<(usize, u64)>),
    /// Only the padding bits of its output are wrong.
    Padding,
    /// It has no elements: the verdict, and the reason.
    Nothing(Verdict, String),
}

/// The codes of an output, and whether all padding bits are zero.
type Got = (Vec<u64>, bool);

impl One<'_> {
    /// Takes the next batch from the plan: one tensor, or several short ones.
    pub(super) fn batch(&self, plan: &mut VecDeque<Tensor>, codes: &Codes) -> Vec<Tensor> {
        let is_short = |tensor: &Tensor| tensor.count <= SHORT && !is_known_right(tensor, codes);
        let ahead = plan.iter().take(self.testee.ahead()).take_while(|tensor| is_short(tensor));
        let count = ahead.count().max(1);
        plan.drain(..count.min(plan.len())).collect()
    }

    /// Asks for a batch and judges the replies. Returns the results in order, at least one. There
    /// are fewer results than tensors only if the testee failed at the last tensor that has a
    /// result.
    pub(super) fn ask_each(&mut self, batch: &[Tensor], codes: &Codes) -> Vec<Came> {
        match batch {
            [tensor] if is_known_right(tensor, codes) => {
                self.tally.tensors += 1;
                self.tally.elements += 1;
                vec![Came::Elements(Vec::new())]
            }
            [tensor] => vec![self.ask(tensor, codes)],
            _ => self.ask_short(batch, codes),
        }
    }

    /// Asks for one tensor and judges the reply.
    pub(super) fn ask(&mut self, tensor: &Tensor, codes: &Codes) -> Came {
        if Long::is_for(tensor) {
            let mut long = LONG.take();
            let came = self.ask_long(tensor, codes, &mut long);
            LONG.set(long);
            return came;
        }
        let came = self.ask_short(std::slice::from_ref(tensor), codes).pop();
        came.unwrap_or_else(|| Came::Nothing(Verdict::Error, "it was not asked".into()))
    }

    fn ask_short(&mut self, batch: &[Tensor], codes: &Codes) -> Vec<Came> {
        let (mut inputs, mut due) = (Vec::new(), Vec::new());
        for tensor in batch {
            match self.packed(tensor, codes) {
                Ok((input, usual)) => {
                    inputs.push((form(tensor), input));
                    due.push(usual);
                }
                Err(problem) => return vec![Came::Nothing(Verdict::Unsupported, problem)],
            }
        }
        let replies = self.cast_each(&inputs);
        self.tally.tensors += replies.len() as u64;
        let mut all = Vec::new();
        for ((tensor, usual), reply) in batch.iter().zip(due).zip(replies) {
            all.push(match reply {
                Ok(output) => self.judge(tensor, codes, &output, usual == output),
                Err((verdict, message)) => Came::Nothing(verdict, message),
            });
        }
        all
    }

    /// Asks for tensors, and returns the replies: see [`Testee::cast_each`]. There are fewer replies
    /// than tensors only if the last one is a failure.
    fn cast_each(&mut self, inputs: &[(Form, Vec<u8>)]) -> Vec<Result<Vec<u8>, Said>> {
        let (request, testee) = (&self.request, &mut *self.testee);
        let Ok(replies) = catch_unwind(AssertUnwindSafe(|| testee.cast_each(request, inputs)))
        else {
            return vec![panicked()];
        };
        let mut replies: Vec<Result<Vec<u8>, Said>> =
            replies.into_iter().take(inputs.len()).map(Reply::told).collect();
        let is_short = replies.len() < inputs.len();
        if is_short && !replies.last().is_some_and(Result::is_err) {
            let (came, due) = (replies.len(), inputs.len());
            let problem = format!("it returned {came} replies to {due} tensors");
            replies.push(Err((Verdict::Error, problem)));
        }
        replies
    }

    /// Asks for short tensors, and returns the codes of their outputs.
    ///
    /// # Errors
    /// The first tensor that is not answered, and what was said instead.
    pub(super) fn codes_of_each(
        &mut self,
        tensors: &[Tensor],
        codes: &Codes,
    ) -> Result<Vec<Got>, (Tensor, Said)> {
        let mut all = Vec::new();
        for batch in tensors.chunks(self.testee.ahead().max(1)) {
            let mut inputs = Vec::new();
            for tensor in batch {
                let input = packed(self.request.from, tensor, codes, |place| codes.all[place].code);
                let input = input.map_err(|it| (tensor.clone(), (Verdict::Error, it)))?;
                inputs.push((form(tensor), input));
            }
            let replies = self.cast_each(&inputs);
            for (tensor, reply) in batch.iter().zip(replies) {
                let got = reply.and_then(|output| self.unpacked(tensor, &output));
                all.push(got.map_err(|said| (tensor.clone(), said))?);
            }
        }
        Ok(all)
    }

    fn unpacked(&self, tensor: &Tensor, output: &[u8]) -> Result<Got, Said> {
        let to = self.request.to;
        let got = unpack(to, output, tensor.count).map_err(|it| (Verdict::Error, it))?;
        Ok((got, has_zero_padding(to, tensor.count, output)))
    }

    /// Packs the input and the usual output of a tensor.
    ///
    /// # Errors
    /// If they do not fit in memory.
    fn packed(&self, tensor: &Tensor, codes: &Codes) -> Result<(Vec<u8>, Vec<u8>), String> {
        let Request { from, to, .. } = self.request;
        let mut input = packed(from, tensor, codes, |place| codes.all[place].code)?;
        let usual = packed(to, tensor, codes, |place| codes.all[place].usual)?;
        if let (Way::DirtyPadding, Some(last)) = (&tensor.way, input.last_mut()) {
            *last |= padding(from, tensor.count);
        }
        Ok((input, usual))
    }

    pub(super) fn is_wrong(
        &self,
        (expect, tolerate): (&Outcome, Option<&Outcome>),
        got: u64,
    ) -> bool {
        judge(expect, tolerate, got, self.target, self.how.strict) == Verdict::Fail
    }

    /// Does the same as [`ask`](One::ask), with buffers that are kept.
    fn ask_long(&mut self, tensor: &Tensor, codes: &Codes, long: &mut Long) -> Came {
        let Request { from, to, .. } = self.request;
        let (count, request, testee) = (tensor.count, self.request, &mut *self.testee);
        self.tally.tensors += 1;
        let reply = long.with_input(from, tensor, codes, |input| {
            catch_unwind(AssertUnwindSafe(|| testee.cast(&request, count, input)))
        });
        let output = match reply.map(told) {
            Ok(Ok(output)) => output,
            Ok(Err((verdict, message))) => return Came::Nothing(verdict, message),
            Err(problem) => return Came::Nothing(Verdict::Unsupported, problem),
        };
        match long.is_usual(to, tensor, codes, &output) {
            Ok(usual) => self.judge(tensor, codes, &output, usual),
            Err(problem) => Came::Nothing(Verdict::Unsupported, problem),
        }
    }

    /// Judges an output. `as_usual` says that it equals the usual output to the last bit, as most
    /// do.
    pub(super) fn judge(
        &mut self,
        tensor: &Tensor,
        codes: &Codes,
        output: &[u8],
        as_usual: bool,
    ) -> Came {
        let to = self.request.to;
        self.tally.elements += tensor.count as u64;
        if as_usual {
            return Came::Elements(Vec::new());
        }
        let got = match unpack(to, output, tensor.count) {
            Ok(got) => got,
            Err(problem) => return Came::Nothing(Verdict::Error, problem),
        };
        let mut wrong = Vec::new();
        for (index, (place, &got)) in tensor.places(codes).zip(&got).enumerate() {
            let coded = &codes.all[place];
            if got != coded.usual && self.is_wrong(coded.due(), got) {
                wrong.push((index, got));
            }
        }
        if wrong.is_empty() && !has_zero_padding(to, tensor.count, output) {
            return Came::Padding;
        }
        self.tally.wrong += wrong.len() as u64;
        Came::Elements(wrong)
    }
}

fn form(tensor: &Tensor) -> Form {
    match &tensor.way {
        Way::Formed(form) => form.clone(),
        _ => Form::flat(tensor.count),
    }
}

/// Is this a single code that was right alone when `known_codes` asked for it?
fn is_known_right(tensor: &Tensor, codes: &Codes) -> bool {
    let place = match (&tensor.way, tensor.count, &tensor.filling) {
        (Way::Plain, 1, Filling::Constant(place)) => *place,
        _ => return false,
    };
    codes.all[place].is_right_alone
}
