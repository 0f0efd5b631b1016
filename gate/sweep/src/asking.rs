//! Asks for the tensors of one chunk, and keeps account of what did not come.

use super::coverage::Word;
use super::record::{Chunk, Stop, StopVerdict, Unanswered};
use anyhow::{Result, anyhow};
use castproof_testee::{Reply, Testee};
use castproof_vectors::{DType, Request, pack};
use std::borrow::Cow;

/// The result of a chunk.
pub(super) enum Swept {
    /// Elements came, and all that came were compared.
    Done(Chunk),
    /// The testee answered with no element.
    Stopped(Stop),
    /// The user wants the program to stop.
    Interrupted,
}

impl Swept {
    /// Did the testee do something after which the request is not asked any further?
    pub(super) fn has_ended(&self) -> bool {
        match self {
            Swept::Done(chunk) => chunk.unanswered.iter().any(|it| it.verdict.ends()),
            Swept::Stopped(stop) => stop.verdict.ends(),
            Swept::Interrupted => false,
        }
    }
}

/// What came of the tensors of a chunk so far.
pub(super) struct Asking<'a> {
    testee: &'a mut dyn Testee,
    request: &'a Request,
    /// Codes of which elements came.
    answered: u64,
    /// Codes that were answered in a tensor of their own; `None` if none was asked for so.
    alone: Option<u64>,
    /// Codes of which no element came, by verdict.
    unanswered: Vec<Unanswered>,
}

impl<'a> Asking<'a> {
    pub(super) fn new(testee: &'a mut dyn Testee, request: &'a Request) -> Asking<'a> {
        Asking { testee, request, answered: 0, alone: None, unanswered: Vec::new() }
    }

    /// Asks for the elements of one tensor of a batch, unless the testee is not asked any more. Returns
    /// whether they came.
    pub(super) fn tensor(
        &mut self,
        (start, end): (u64, u64),
        input: &[u8],
        output: &mut [u8],
    ) -> bool {
        let count = end - start;
        if let Some(ended) = self.unanswered.iter_mut().find(|it| it.verdict.ends()) {
            ended.codes += count;
            return false;
        }
        let range = |dtype| packed_bytes(dtype, start)..packed_bytes(dtype, end);
        let Request { from, to, .. } = *self.request;
        let (input, output) = (&input[range(from)], &mut output[range(to)]);
        match tensor(self.testee, self.request, count as usize, input, output) {
            Ok(()) => self.answered += count,
            Err(stop) => {
                self.note(stop, count);
                return false;
            }
        }
        true
    }

    /// Asks for one code in a tensor of its own. Its element is not compared, because its code is in one
    /// of the tensors of the chunk.
    pub(super) fn single(&mut self, input: &[u8]) {
        let answered = self.alone.get_or_insert(0);
        let mut output = vec![0; packed_bytes(self.request.to, 1)];
        match tensor(self.testee, self.request, 1, input, &mut output) {
            Ok(()) => *answered += 1,
            Err(stop) if stop.verdict.ends() => self.note(stop, 0),
            Err(_) => {}
        }
    }

    fn note(&mut self, Stop { verdict, message }: Stop, codes: u64) {
        match self.unanswered.iter_mut().find(|it| it.verdict == verdict) {
            Some(noted) => noted.codes += codes,
            None => self.unanswered.push(Unanswered { verdict, codes, message }),
        }
        self.unanswered.sort_by_key(|it| it.verdict);
    }

    /// Were codes asked for alone?
    pub(super) fn asked_alone(&self) -> bool {
        self.alone.is_some()
    }

    /// Did the testee do something after which it is not asked any further?
    pub(super) fn has_ended(&self) -> bool {
        self.unanswered.iter().any(|it| it.verdict.ends())
    }

    /// Did the testee answer with an element, in a tensor of the chunk or alone?
    pub(super) fn some_came(&self) -> bool {
        self.answered > 0 || self.alone > Some(0)
    }

    /// Returns the codes of which no element came, neither in a tensor of the chunk nor alone.
    pub(super) fn unanswered(mut self) -> Vec<Unanswered> {
        // If all tensors were refused, the codes that were answered alone are what came.
        if self.answered == 0
            && let Some(refused) = self.unanswered.first_mut()
        {
            refused.codes -= self.alone.unwrap_or(0).min(refused.codes);
        }
        self.unanswered.retain(|it| it.codes > 0);
        self.unanswered
    }

    /// Returns the end of a chunk of which no element came: the worst that the testee did.
    pub(super) fn stopped(self) -> Swept {
        let Some(worst) = self.unanswered.into_iter().next_back() else {
            return Swept::Interrupted;
        };
        Swept::Stopped(Stop { verdict: worst.verdict, message: worst.message })
    }
}

/// Returns the bounds of tensors with these ends.
pub(super) fn tensors(ends: &[u64]) -> impl Iterator<Item = (u64, u64)> + '_ {
    [0].into_iter().chain(ends.iter().copied()).zip(ends.iter().copied())
}

/// Returns how many bytes this number of packed elements takes.
pub(super) fn packed_bytes(dtype: DType, elements: u64) -> usize {
    (elements * u64::from(dtype.bits())).div_ceil(8) as usize
}

/// Returns codes of a request's source as its testee gets them.
///
/// # Errors
/// If a code is not one of the source.
pub(super) fn packed<'a, W: Word>(request: &Request, codes: &'a [W]) -> Result<Cow<'a, [u8]>> {
    if request.from.bits() as usize == 8 * size_of::<W>() {
        return Ok(Cow::Borrowed(bytemuck::cast_slice(codes)));
    }
    let wide: Vec<u64> = codes.iter().map(|code| code.code()).collect();
    Ok(Cow::Owned(pack(request.from, &wide).map_err(|error| anyhow!(error))?))
}

/// Casts one tensor into `output`. The error says why it was not cast.
fn tensor(
    testee: &mut dyn Testee,
    request: &Request,
    count: usize,
    input: &[u8],
    output: &mut [u8],
) -> Result<(), Stop> {
    let reply = testee.cast_into(request, count, input, output).unwrap_or_else(|| {
        match testee.cast(request, count, input) {
            Reply::Output(came) if came.len() == output.len() => {
                output.copy_from_slice(&came);
                Reply::Output(())
            }
            Reply::Output(came) => {
                let (came, due) = (came.len(), output.len());
                Reply::Error(format!("{came} bytes came for {count} elements, not {due}"))
            }
            other => other.map(|_| ()),
        }
    });
    let (verdict, message) = match reply {
        Reply::Output(()) => return Ok(()),
        Reply::Unsupported(message) => (StopVerdict::Unsupported, message),
        Reply::Error(message) => (StopVerdict::Error, message),
        Reply::Crash(message) => (StopVerdict::Crash, message),
        Reply::Timeout(message) => (StopVerdict::Timeout, message),
    };
    Err(Stop { verdict, message: message.into() })
}
