//! Which profiles a testee casts as where ONNX leaves the result open.

use crate::answers::Answering;
use crate::asked::Asked;
use crate::diagnosis::Observation;
use castproof_check::verdict::{Verdict, admits};
use castproof_check::words;
use castproof_vectors::{
    DType, Element, Landmarks, Outcome, OutcomeRecord, Profile, Request, Spec, Suite, landmarks,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// Most inputs that are shown of a pair.
const SHOWN: usize = 3;

/// What a testee gave for the inputs of a pair for which ONNX leaves the result open, held to the
/// profiles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Recognition {
    /// Dtype of the inputs.
    pub from: DType,
    /// Dtype of the outputs.
    pub to: DType,
    /// The profiles that give all of these results.
    #[serde(rename = "as")]
    pub like: Vec<Profile>,
    /// The other profiles that have the pair, the nearest first.
    #[serde(rename = "not")]
    pub unlike: Vec<Contradiction>,
    /// How many inputs were compared.
    pub inputs: u64,
    /// Some of them, each with what the testee gave: `0x4f32d05e (3000000000) gave 0x80000000
    /// (-2147483648)`.
    pub shown: Vec<String>,
}

/// The first input at which a testee does not give what a profile gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Contradiction {
    /// The profile.
    pub profile: Profile,
    /// How many of the inputs contradict it.
    pub inputs: u64,
    /// The first of them.
    pub input: Element,
    /// What the testee gave.
    pub got: Element,
    /// What the profile gives.
    pub expect: OutcomeRecord,
}

impl fmt::Display for Recognition {
    /// Writes `float32 -> int32: ` and [`Recognition::sentence`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}: {}", self.from, self.to, self.sentence())
    }
}

impl Recognition {
    /// Returns `as x86-sse2 (0x7fc00000 (NaN) gave 0x80000000 (-2147483648)), not rust-as`.
    pub fn sentence(&self) -> String {
        if let ([], [nearest, ..]) = (&self.like[..], &self.unlike[..]) {
            let Contradiction { profile, input, got, expect, .. } = nearest;
            return format!(
                "as no profile; nearest is {}, but {} gave {}, and as {0} it is {}",
                profile.name(),
                words::element(self.from, input),
                words::element(self.to, got),
                words::outcome(self.to, &expect.outcome()),
            );
        }
        let text = format!("as {} ({})", names(&self.like), self.shown.join("; "));
        let others: Vec<Profile> = self.unlike.iter().map(|it| it.profile).collect();
        if others.is_empty() { text } else { format!("{text}, not {}", names(&others)) }
    }
}

/// Returns the names of profiles, for people.
pub fn names(profiles: &[Profile]) -> String {
    let names: Vec<&str> = profiles.iter().map(|profile| profile.name()).collect();
    names.join(", ")
}

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
