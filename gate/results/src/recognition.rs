//! Which profiles a testee casts as where ONNX leaves the result open.

use castproof_check::words;
use castproof_vectors::{DType, Element, OutcomeRecord, Profile};
use serde::{Deserialize, Serialize};
use std::fmt;

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
