//! What the two sides tell each other.

use crate::form::{Chain, Codes, Feature, Form};
use crate::limits::Limits;
use castproof_vectors::{Conversion, OneLine, Profile, Question, Request};
use serde::{Deserialize, Serialize};

/// Name and version of the protocol, as the hello message carries it.
pub const PROTOCOL: &str = "castproof-testee/1";

/// The largest payload that a request may ask for in either direction, in bytes.
pub const MAX_PAYLOAD: usize = 1 << 30;

/// What a testee says of itself. Members that are not known here are ignored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// [`PROTOCOL`].
    pub hello: String,
    /// Name of the implementation.
    pub name: OneLine,
    /// Its version.
    pub version: OneLine,
    /// The language that it is called from.
    #[serde(default)]
    pub language: OneLine,
    /// A digest of everything that decides its answers, to which journals are bound; absent: unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<OneLine>,
    /// The casts that it has; absent: everything is tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub casts: Option<Vec<Supported>>,
    /// Its features beyond contiguous tensors of rank 1, by [`Feature::name`]; unknown names are
    /// ignored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
    /// The profiles whose casts it takes, by [`Profile::name`]; unknown names are ignored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub profiles: Vec<String>,
    /// The conversions between formats by parameters that it claims, as [`Conversion`](castproof_vectors::Conversion) writes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conversions: Vec<OneLine>,
    /// The tensors that it takes; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// May a request be sent before the previous one is answered?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ahead: bool,
}

impl Hello {
    /// Returns the listed features that are known here.
    pub fn known_features(&self) -> Vec<Feature> {
        let listed = |feature: &Feature| self.features.iter().any(|name| name == feature.name());
        Feature::ALL.into_iter().filter(listed).collect()
    }

    /// Returns the listed profiles that are known here and have casts between numeric dtypes.
    pub fn known_profiles(&self) -> Vec<Profile> {
        let listed = |profile: &Profile| self.profiles.iter().any(|name| name == profile.name());
        Profile::numeric().filter(listed).collect()
    }
}

/// Casts that a testee has: from one dtype to others, in some operator sets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Supported {
    /// Name of the input dtype.
    pub from: String,
    /// Names of the output dtypes.
    pub to: Vec<String>,
    /// Operator sets or operator versions; absent: all. Casts of profiles are not listed here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opsets: Option<Vec<u32>>,
}

impl Supported {
    /// Is a cast of ONNX among these?
    pub fn has(&self, request: &Request) -> bool {
        let (opset, version) = (request.spec.opset(), request.spec.version().ok().flatten());
        let is_listed = |listed: &u32| [opset, version].contains(&Some(*listed));
        self.from == request.from.name()
            && self.to.iter().any(|to| to == request.to.name())
            && self.opsets.as_deref().is_none_or(|opsets| opsets.iter().any(is_listed))
    }
}

/// A testee's answer to one request; its output is elements, packed and little-endian, or the answer
/// to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TesteeAnswer<T = Vec<u8>> {
    /// The output.
    Output(T),
    /// The testee has no such cast; the reason.
    Unsupported(String),
    /// The testee failed; the error.
    Error(String),
}

impl<T> TesteeAnswer<T> {
    /// Applies a function to the output of the answer.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> TesteeAnswer<U> {
        match self {
            TesteeAnswer::Output(output) => TesteeAnswer::Output(change(output)),
            TesteeAnswer::Unsupported(message) => TesteeAnswer::Unsupported(message),
            TesteeAnswer::Error(message) => TesteeAnswer::Error(message),
        }
    }
}

/// A message to a testee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming {
    /// A cast to carry out.
    Cast {
        /// Number of the request, to be repeated in the answer.
        seq: u64,
        /// What to do.
        request: Request,
        /// The form of the tensor.
        form: Form,
        /// Number of elements.
        count: usize,
        /// The elements, packed and little-endian.
        input: Vec<u8>,
    },
    /// Casts in a row, as one graph.
    Chain {
        /// Number of the request, to be repeated in the answer.
        seq: u64,
        /// What to do.
        chain: Chain,
        /// Number of elements.
        count: usize,
        /// The elements, packed and little-endian.
        input: Vec<u8>,
    },
    /// Codes of a format by parameters to convert.
    Project {
        /// Number of the request, to be repeated in the answer.
        seq: u64,
        /// What to do.
        conversion: Conversion,
        /// The codes.
        codes: Codes,
    },
    /// A question beside casts.
    Question {
        /// Number of the request, to be repeated in the answer.
        seq: u64,
        /// The question.
        question: Question,
    },
    /// An invalid request; its payload has been skipped.
    Bad {
        /// Number of the request, to be repeated in the answer.
        seq: u64,
        /// What is wrong with it.
        problem: String,
        /// Is it of a later protocol: has it a member or a value that is not known here? It is answered `unsupported` then.
        is_unknown: bool,
    },
    /// The conversation is over.
    Bye,
}
