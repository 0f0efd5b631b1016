//! Which profiles a testee casts as where ONNX leaves the result open.

use crate::answers::Answering;
use crate::diagnosis::Observation;
use castproof_check::verdict::{Verdict, admits};
use castproof_check::words;
use castproof_results::asked::Asked;
use castproof_results::recognition::{Contradiction, Recognition};
use castproof_vectors::{
    DType, Element, Landmarks, Outcome, OutcomeRecord, Profile, Request, Spec, Suite, landmarks,
};
use std::collections::BTreeSet;

/// Most inputs that are shown of a pair.
const SHOWN: usize = 3;

/// What a profile says of some results.
enum Held {
    /// It gives all of them.
    Like,
    /// It gives another one.
    Unlike(Contradiction),
    /// It lacks the pair, or leaves these results open too. It leaves them open as well if it has a choice of
    /// some, of which an implementation takes the same one everywhere.
    Silent,
}

/// Compares what was observed where ONNX leaves the result of a float cast to integers open with what
/// each profile gives. `None`: nothing was open, or no profile has the pair.
pub fn recognise(asked: &Asked, observed: &[Observation]) -> Option<Recognition> {
    let (from, to) = asked.pair();
    if asked.suite != Suite::OnnxCast || !from.is_float() || !to.is_integer() {
        return None;
    }
    let open: BTreeSet<(u64, u64)> = observed.iter().flat_map(open).collect();
    let landmarks = landmarks(to).filter(|_| !open.is_empty())?;
    let (mut like, mut unlike) = (Vec::new(), Vec::new());
    for profile in Profile::numeric() {
        match held_to(profile, (from, to), &open, landmarks) {
            Held::Like => like.push(profile),
            Held::Unlike(contradiction) => unlike.push(contradiction),
            Held::Silent => {}
        }
    }
    if like.is_empty() && unlike.is_empty() {
        return None;
    }
    unlike.sort_by_key(|it| it.inputs);
    let sentence = |&(input, got): &(u64, u64)| {
        format!("{} gave {}", words::value(from, input), words::value(to, got))
    };
    // The results that differ tell most.
    let mut told = BTreeSet::new();
    let shown =
        open.iter().filter(|(_, got)| told.insert(*got)).take(SHOWN).map(sentence).collect();
    let inputs = open.len() as u64;
    Some(Recognition { from, to, like, unlike, inputs, shown })
}

/// Returns inputs and results of the elements that are open.
fn open(observed: &Observation) -> impl Iterator<Item = (u64, u64)> + '_ {
    let results = observed.inputs.iter().copied().zip(observed.got.iter().copied());
    let judged = results.zip(&observed.verdicts);
    judged.filter(|(_, verdict)| **verdict == Verdict::Undefined).map(|(result, _)| result)
}

/// Holds results to a profile.
fn held_to(
    profile: Profile,
    (from, to): (DType, DType),
    open: &BTreeSet<(u64, u64)>,
    landmarks: &Landmarks,
) -> Held {
    let request = Request::new(Spec::Profile(profile), from, to);
    let Ok(answers) = Answering::chosen(&request) else { return Held::Silent };
    let (mut says, mut first, mut inputs) = (false, None, 0);
    for &(input, got) in open {
        let due = answers.element(&Element::code(input, from));
        let Ok(due) = due else { return Held::Silent };
        if matches!(due.expect, Outcome::Reject | Outcome::OneOf(_)) {
            return Held::Silent;
        }
        says |= due.expect != Outcome::Any;
        let is_tolerated = due.tolerate.iter().any(|it| admits(it, got, landmarks));
        if !admits(&due.expect, got, landmarks) && !is_tolerated {
            inputs += 1;
            first.get_or_insert((input, got, due.expect));
        }
    }
    match first {
        Some((input, got, expect)) => Held::Unlike(Contradiction {
            profile,
            inputs,
            input: Element::code(input, from),
            got: Element::code(got, to),
            expect: OutcomeRecord::new(&expect, to),
        }),
        None if says => Held::Like,
        None => Held::Silent,
    }
}
