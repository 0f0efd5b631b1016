//! Explains why codes of a sweep fail: finds the wrong methods that reproduce the observed results.

use super::record::{Range, Tally};
use castproof_check::verdict::Verdict;
use castproof_judge::answers;
use castproof_judge::diagnosis::{Observation, diagnose};
use castproof_results::asked::Asked;
use castproof_vectors::{Outcome, Request, stretches};

/// Passing codes that a method must not contradict.
const MOST_PASSES: usize = 512;

/// Returns a sentence for the failing ranges of a request, each represented by its first code.
/// `None` if not all of them are listed, because then it is not known which codes pass.
pub(super) fn sentence(request: &Request, found: &[&Tally]) -> Option<String> {
    if found.iter().any(|tally| tally.unlisted + tally.unjudged + tally.tolerated > 0) {
        return None;
    }
    let ranges: Vec<&Range> = found.iter().flat_map(|tally| &tally.failures).collect();
    let mut observed = Observation {
        request: *request,
        inputs: ranges.iter().map(|range| range.first.value()).collect(),
        got: ranges.iter().map(|range| range.got.value()).collect(),
        verdicts: vec![Verdict::Fail; ranges.len()],
    };
    let fails = |code: u64| {
        ranges.iter().any(|range| (range.first.value()..=range.last.value()).contains(&code))
    };
    // The ends of the stretches passed if they are not listed.
    let stretches = stretches(&(answers::chosen().pieces)(request).ok()?);
    let step = stretches.len().div_ceil(MOST_PASSES / 2);
    for stretch in stretches.iter().step_by(step) {
        for code in [stretch.first, stretch.last] {
            let expect = stretch.formula.expect(request.from, request.to, code);
            if let (Outcome::Code(expected), false) = (expect, fails(code)) {
                observed.inputs.push(code);
                observed.got.push(expected);
                observed.verdicts.push(Verdict::Pass);
            }
        }
    }
    let asked = Asked { opset: None, ..Asked::of_request(request) };
    let diagnoses = diagnose(&asked, &[observed]);
    let mut diagnoses = diagnoses.iter().map(|it| &it.diagnosis);
    diagnoses.find(|it| it.verdict == Verdict::Fail).map(ToString::to_string)
}
