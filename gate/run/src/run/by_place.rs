//! Failing codes whose result depends on where in a tensor they stand. Vectors are sent in one tensor, so a kernel
//! with a wrong tail fails at the codes that stand there. No method explains such codes; the arrangements find the
//! place.

use castproof_check::verdict::Verdict;
use castproof_judge::diagnosis::{Explained, Observation};
use castproof_results::Results;
use castproof_results::asked::Asked;
use castproof_results::diagnosis::{BY_PLACE, ONCE};
use castproof_testee::{Reply, Testee};
use castproof_vectors::{Attributes, OutcomeRecord, pack, unpack};
use std::collections::{BTreeMap, BTreeSet};

/// The elements of a tensor in which a code is asked again: more than twice the longest body of a kernel, and odd, so
/// that it has a tail.
const COUNT: usize = 131;

/// So many failing codes of an observation are asked again first. If each comes out as before, so do the others.
const SOME: usize = 32;

/// The most failing codes that are asked again. With more the fault is one of nearly all places.
const MOST: usize = 2048;

/// A failing code: attributes, input and result.
type Wrong = (Attributes, u64, u64);

/// Codes whose result depends on the place, each with its cause.
pub(super) type Placed = BTreeMap<Wrong, &'static str>;

/// Do methods give every failing result, and none that contradicts a passing one? Then the failing codes need not be
/// asked again: a method may also be one of places, such as elements that are shifted by one.
pub(super) fn is_certain(explained: &Explained) -> bool {
    let Explained { diagnosis, by } = explained;
    diagnosis.verdict != Verdict::Fail
        || by.iter().all(|(_, cause)| cause.is_some())
            && diagnosis.causes.iter().all(|cause| cause.contradicted + cause.otherwise == 0)
}

/// Returns what was observed without the failing elements that come out otherwise at other places, and those.
pub(super) fn taken_out(
    observed: &[Observation],
    testee: &mut dyn Testee,
) -> (Vec<Observation>, Placed) {
    let mut placed = Placed::new();
    let mut left = observed.to_vec();
    for each in &mut left {
        let varying = varying(each, testee);
        if varying.is_empty() {
            continue;
        }
        let attributes = each.request.attributes;
        let again = sent_again(each, testee);
        let cause = |it: &(u64, u64)| match &again {
            Some(again) if !again.contains(it) => ONCE,
            _ => BY_PLACE,
        };
        let is_kept = |at: usize| !varying.contains(&(each.inputs[at], each.got[at]));
        let kept: Vec<usize> = (0..each.inputs.len()).filter(|at| is_kept(*at)).collect();
        placed.extend(varying.iter().map(|it| ((attributes, it.0, it.1), cause(it))));
        each.inputs = kept.iter().map(|&at| each.inputs[at]).collect();
        each.verdicts = kept.iter().map(|&at| each.verdicts[at]).collect();
        each.got = kept.iter().map(|&at| each.got[at]).collect();
    }
    left.retain(|each| !each.inputs.is_empty());
    (left, placed)
}

/// Names the place as the cause of the tests of these codes.
pub(super) fn name(asked: &Asked, placed: &Placed, results: &mut Results) {
    for failure in &mut results.failures {
        let codes = failure.input.as_code().zip(failure.got.as_code());
        let is_of_pair = (failure.from, failure.to) == asked.pair();
        let is_refusal = matches!(failure.expect, OutcomeRecord::Reject(_));
        let cause = codes.and_then(|(code, got)| placed.get(&(failure.attributes, code, got)));
        if let Some(cause) = cause.filter(|_| is_of_pair && !is_refusal) {
            failure.cause = Some((*cause).into());
        }
    }
}

/// Returns the failing codes and results of a request of which some place gives another result.
fn varying(each: &Observation, testee: &mut dyn Testee) -> BTreeSet<(u64, u64)> {
    let fails = |at: &usize| each.verdicts[*at] == Verdict::Fail;
    let wrong = (0..each.inputs.len()).filter(fails).map(|at| (each.inputs[at], each.got[at]));
    let wrong: Vec<(u64, u64)> = wrong.collect::<BTreeSet<_>>().into_iter().collect();
    // Beside a code that passes, so that the tensor is no constant.
    let right = (0..each.inputs.len()).find(|at| each.verdicts[*at] == Verdict::Pass);
    let right = right.map(|at| each.inputs[at]);
    let mut varies =
        |&(code, got): &(u64, u64)| is_varying(each, (code, got), right.unwrap_or(code), testee);
    if wrong.len() > MOST {
        return BTreeSet::new();
    }
    let some = wrong.iter().step_by(wrong.len().div_ceil(SOME).max(1));
    if !some.copied().collect::<Vec<_>>().iter().any(&mut varies) {
        return BTreeSet::new();
    }
    wrong.into_iter().filter(varies).collect()
}

/// Sends the tensor of an observation again. Returns its codes with their results; `None` if none came.
fn sent_again(seen: &Observation, testee: &mut dyn Testee) -> Option<BTreeSet<(u64, u64)>> {
    let Observation { request, inputs, .. } = seen;
    let input = pack(request.from, inputs).ok()?;
    let Reply::Output(output) = testee.cast(request, inputs.len(), &input) else { return None };
    let results = unpack(request.to, &output, inputs.len()).ok()?;
    Some(inputs.iter().copied().zip(results).collect())
}

/// Does a code give another result than this one somewhere? It is asked for at every place of a tensor.
fn is_varying(
    Observation { request, .. }: &Observation,
    (code, got): (u64, u64),
    other: u64,
    testee: &mut dyn Testee,
) -> bool {
    (0..2).any(|turn| {
        let stands = |at: &usize| at % 2 == turn;
        let codes: Vec<u64> = (0..COUNT).map(|at| if stands(&at) { code } else { other }).collect();
        let Ok(input) = pack(request.from, &codes) else { return false };
        let Reply::Output(output) = testee.cast(request, COUNT, &input) else { return false };
        let Ok(results) = unpack(request.to, &output, COUNT) else { return false };
        (0..COUNT).filter(stands).any(|at| results[at] != got)
    })
}

#[cfg(test)]
mod tests {
    use crate::gate::{Options, results};
    use castproof_results::finding::{Finding, Kind};
    use castproof_testee::builtin::Builtin;
    use castproof_testee::{Identity, Reply, Testee};
    use castproof_vectors::{DType, Request};

    /// Castproof's own implementation, whose last elements beyond whole bodies are cast by another function.
    struct WrongTail {
        inner: Builtin,
        body: usize,
        tail: fn(&[u8]) -> Vec<u8>,
    }

    impl Testee for WrongTail {
        fn identity(&self) -> &Identity {
            self.inner.identity()
        }

        fn cast(&mut self, request: &Request, count: usize, input: &[u8]) -> Reply {
            let Reply::Output(mut output) = self.inner.cast(request, count, input) else {
                return Reply::Unsupported("this request".into());
            };
            let bytes = |all: &[u8]| all.len().checked_div(count);
            if let Some((from, to)) = bytes(input).zip(bytes(&output)) {
                let body = count - count % self.body;
                output.truncate(body * to);
                output.extend(input[body * from..].chunks(from).flat_map(self.tail));
            }
            Reply::Output(output)
        }
    }

    fn truncated(input: &[u8]) -> Vec<u8> {
        let code = u32::from_le_bytes(input.try_into().expect("four bytes"));
        let is_nan = code & 0x7fff_ffff > 0x7f80_0000;
        ((code >> 16) as u16 | if is_nan { 0x40 } else { 0 }).to_le_bytes().into()
    }

    fn saturated(input: &[u8]) -> Vec<u8> {
        let number = i32::from_le_bytes(input.try_into().expect("four bytes"));
        vec![number.clamp(-128, 127) as i8 as u8]
    }

    /// The vectors whose codes stand in the tail fail. No method is blamed for them: the finding is that of the place,
    /// and it holds them.
    #[test]
    fn a_wrong_tail_is_one_finding() {
        for (from, to, tail) in [
            (DType::Float32, DType::Bfloat16, truncated as fn(&[u8]) -> Vec<u8>),
            (DType::Int32, DType::Int8, saturated),
        ] {
            for body in [4, 8, 16] {
                let options = Options {
                    pairs: vec![(from, to)],
                    kernel: true,
                    threads: 1,
                    ..Options::default()
                };
                let mut testee = WrongTail { inner: Builtin::new(), body, tail };
                let (_, file) = results(&options, &mut testee).expect("a run");
                let found: Vec<String> = file.findings.iter().map(Finding::headline).collect();
                assert_eq!(found.len(), 1, "{from} to {to}, {body}: {found:?}");
                let finding = &file.findings[0];
                assert_eq!(finding.kind, Kind::Place, "{found:?}");
                let failing = file.results.failures.len() as u64;
                assert!(failing > 0 && finding.failing > failing, "{found:?}");
            }
        }
    }

    /// Float32 to float16 as IEEE 754 has it, but that ties go toward zero.
    fn ties_toward_zero(input: &[u8]) -> Vec<u8> {
        let code = u32::from_le_bytes(input.try_into().expect("four bytes"));
        let (sign, magnitude) = ((code >> 31 << 15) as u16, code & 0x7fff_ffff);
        let exponent = magnitude >> 23;
        let half = match exponent {
            255 if magnitude > 0x7f80_0000 => 0x7e00,
            // From 65520 on, as a kernel asks before it rounds.
            _ if magnitude >= 0x477f_f000 => 0x7c00,
            ..102 => 0,
            _ => {
                // A normal result loses 13 bits of 23, a subnormal one more.
                let lost = if exponent >= 113 { 13 } else { 126 - exponent };
                let significand = magnitude & 0x7f_ffff | 0x80_0000;
                let rest = significand & ((1 << lost) - 1);
                let is_up = rest > 1 << (lost - 1);
                (exponent.saturating_sub(113) << 10) + (significand >> lost) + u32::from(is_up)
            }
        };
        (half as u16 | sign).to_le_bytes().into()
    }

    /// The same, and subnormal results are zero.
    fn ties_toward_zero_flushed(input: &[u8]) -> Vec<u8> {
        let rounded = ties_toward_zero(input);
        if rounded[1] & 0x7c == 0 { vec![0, rounded[1] & 0x80] } else { rounded }
    }

    /// The finding says where the kernel is wrong, and what it does there.
    #[test]
    fn a_finding_names_the_tail_and_what_is_done_in_it() {
        for (body, tail, said) in [
            (
                8,
                ties_toward_zero as fn(&[u8]) -> Vec<u8>,
                "the tail of 8: ties rounded toward zero",
            ),
            (16, ties_toward_zero, "the tail of 16: ties rounded toward zero"),
            (
                8,
                ties_toward_zero_flushed,
                // The tie below the smallest normal number takes both: it becomes subnormal, and that zero.
                "the tail of 8: like 'subnormal result flushed to zero', 'ties rounded toward zero', which give",
            ),
        ] {
            let pairs = vec![(DType::Float32, DType::Float16)];
            let options = Options { pairs, kernel: true, threads: 1, ..Options::default() };
            let mut testee = WrongTail { inner: Builtin::new(), body, tail };
            let (_, file) = results(&options, &mut testee).expect("a run");
            let found: Vec<String> = file.findings.iter().map(Finding::headline).collect();
            let [only] = &found[..] else { panic!("{found:?}") };
            let is_exact = !said.contains("like");
            assert!(if is_exact { only == said } else { only.starts_with(said) }, "{only}");
        }
    }
}
