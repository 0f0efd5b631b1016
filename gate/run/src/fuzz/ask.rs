//! Asks a testee for one tensor, and judges each of its elements.

use super::Draw;
use super::plan::Tensor;
use crate::arrange::padding;
use castproof_check::verdict::{Verdict, judge};
use castproof_testee::Testee;
use castproof_vectors::{landmarks, pack, unpack};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A verdict without elements, and its message.
pub(super) type Said = (Verdict, String);

/// The result of a tensor that was answered with elements.
pub(super) struct Came {
    /// The elements.
    pub(super) got: Vec<u64>,
    /// The verdict on each.
    pub(super) verdicts: Vec<Verdict>,
    /// Are the padding bits of the output zero, as they must be?
    pub(super) is_padded: bool,
}

/// Asks for a tensor and judges its elements. `strict`: tolerated results fail.
///
/// # Errors
/// What was said instead of elements.
pub(super) fn ask(
    testee: &mut dyn Testee,
    draw: &Draw,
    tensor: &Tensor,
    strict: bool,
) -> Result<Came, Said> {
    let error = |problem: String| (Verdict::Error, problem);
    let Tensor { request, codes, form, dirty } = tensor;
    let mut input = pack(request.from, codes).map_err(error)?;
    if let (true, Some(last)) = (*dirty, input.last_mut()) {
        *last |= padding(request.from, codes.len());
    }
    let reply = catch_unwind(AssertUnwindSafe(|| match form {
        Some(form) => testee.cast_formed(request, form, &input),
        None => testee.cast(request, codes.len(), &input),
    }));
    let output = reply.map_err(|_| (Verdict::Crash, "it panicked".to_string()))?.told()?;
    let got = unpack(request.to, &output, codes.len()).map_err(error)?;
    let verdicts = codes.iter().zip(&got).map(|(&code, &got)| verdict(draw, code, got, strict));
    let outside = padding(request.to, codes.len());
    let is_padded = output.last().is_none_or(|last| last & outside == 0);
    Ok(Came { verdicts: verdicts.collect(), is_padded, got })
}

fn verdict(draw: &Draw, code: u64, got: u64, strict: bool) -> Verdict {
    let due = draw.expectation(code);
    let Some(target) = landmarks(draw.request().to) else { return Verdict::Error };
    judge(&due.expect, due.tolerate.as_ref(), got, target, strict)
}
