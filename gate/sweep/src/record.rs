//! The records of a sweep in its journal and in its certificate.

use super::tensors::Tensors;
use anyhow::Result;
use castproof_io::journal::this_program;
use castproof_testee::judged::Judged;
use castproof_testee::{Identity, Testee};
use castproof_vectors::{
    Attributes, DType, Hex, OneLine, Operator, OutcomeRecord, Profile, Request, Spec,
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The `format` member of every certificate.
pub(super) const CERTIFICATE: &str = "castproof-certificate/1";

/// Most ranges of failing codes that are kept for a chunk and for a request; the rest are counted.
pub(super) const RANGES: usize = 32;

/// A BLAKE3 digest, in hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(super) struct Digest(pub(super) [u8; 32]);

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Digest {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Digest".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A BLAKE3 digest in hex.",
            "type": "string",
            "pattern": "^[0-9a-f]{64}$"
        })
    }
}

impl Digest {
    /// Returns the digest of these bytes.
    pub(super) fn of(bytes: &[u8]) -> Digest {
        Digest(blake3::hash(bytes).into())
    }

    /// Returns the digest of digests, one after the other.
    pub(super) fn of_all(digests: impl IntoIterator<Item = Digest>) -> Digest {
        let mut hasher = blake3::Hasher::new();
        for digest in digests {
            hasher.update(&digest.0);
        }
        Digest(hasher.finalize().into())
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        blake3::Hash::from(digest.0).to_hex().to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = String;

    fn try_from(text: String) -> Result<Digest, String> {
        let hash = blake3::Hash::from_hex(&text);
        hash.map(|hash| Digest(hash.into()))
            .map_err(|_| format!("'{text}' is not a digest; write 64 hex digits"))
    }
}

/// What identifies a sweep: journals and certificates of one sweep agree in all of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Heading {
    /// Version of this program.
    pub(super) tool: OneLine,
    /// The rules that the expectations follow.
    pub(super) specification: OneLine,
    /// Who was swept.
    pub(super) testee: Identity,
    /// Where the draws of boundary-complete sweeps, and of places where tensors end, start.
    pub(super) seed: Hex,
    /// How the codes were divided into tensors. Absent in certificates of earlier versions, which
    /// cast every block of codes as one tensor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tensors: Option<Tensors>,
    /// Which build of the testee was swept. Absent in certificates of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tested: Option<Tested>,
    /// Digest of the requests, of how much of each is asked, of the seed and of the tensors. Absent in
    /// certificates of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) questions: Option<Digest>,
}

impl Heading {
    /// Returns what these sweeps do not have in common; `None` if they can be shares of one sweep.
    pub(super) fn difference(&self, other: &Heading) -> Option<&'static str> {
        let differences = [
            (self.tool != other.tool, "the program's version"),
            (self.specification != other.specification, "the specification"),
            (self.testee != other.testee, "the testee"),
            (self.tested != other.tested, "the digest of the testee"),
            (self.seed != other.seed, "the seed"),
            (self.tensors != other.tensors, "the division into tensors"),
            (self.questions != other.questions, "the digest of the questions"),
        ];
        differences.iter().find(|(differs, _)| *differs).map(|(_, what)| *what)
    }
}

/// Which build of a testee was swept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Tested {
    /// Digest of what it states, or of what can be known of it from outside.
    pub(super) digest: Digest,
    /// What the digest is of.
    pub(super) of: OneLine,
}

impl Tested {
    /// Returns what is known of this testee. The environment is left out, but for the settings of this
    /// program: machines that sweep shares of one testee have environments of their own.
    ///
    /// # Errors
    /// If a file of the testee cannot be read.
    pub(super) fn new(testee: &dyn Testee, judged: &Judged) -> Result<Tested> {
        if let Some(stated) = testee.digest() {
            return Ok(Tested {
                digest: Digest::of(stated.as_bytes()),
                of: "what it states".into(),
            });
        }
        let is_own = |name: &str| name.starts_with("$CASTPROOF_");
        let decides = |name: &str| name != "timeout" && (!name.starts_with('$') || is_own(name));
        let known = judged.known.iter().filter(|(name, _)| decides(name));
        let mut facts: Vec<String> =
            known.map(|(name, value)| format!("{name}\0{value}")).collect();
        let of = match (judged.known.contains_key("command"), &judged.untold) {
            (false, _) => {
                facts.push(this_program()?);
                "this program and its settings"
            }
            (true, None) => "its command and its files",
            (true, Some(_)) => "its command and the files that this names; it may load others",
        };
        Ok(Tested { digest: Digest::of(facts.join("\0").as_bytes()), of: of.into() })
    }
}

/// What one request asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "AskedRecord", into = "AskedRecord")]
pub(super) struct Asked(Request);

/// The same as files write it: of `op` and `opset`, or of a profile.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Asked"))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AskedRecord {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    op: Option<Operator>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    opset: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    profile: Option<Profile>,
    from: DType,
    to: DType,
    #[serde(default, skip_serializing_if = "is_default")]
    attributes: Attributes,
}

fn is_default(attributes: &Attributes) -> bool {
    *attributes == Attributes::default()
}

impl From<Asked> for AskedRecord {
    fn from(Asked(request): Asked) -> AskedRecord {
        let Request { spec, from, to, attributes } = request;
        let (op, opset, profile) = match spec {
            Spec::Onnx { op, opset } => (Some(op), Some(opset), None),
            Spec::Profile(profile) => (None, None, Some(profile)),
        };
        AskedRecord { op, opset, profile, from, to, attributes }
    }
}

impl TryFrom<AskedRecord> for Asked {
    type Error = &'static str;

    fn try_from(record: AskedRecord) -> Result<Asked, &'static str> {
        let AskedRecord { op, opset, profile, from, to, attributes } = record;
        let spec = match (op, opset, profile) {
            (Some(op), Some(opset), None) => Spec::Onnx { op, opset },
            (None, None, Some(profile)) => Spec::Profile(profile),
            _ => return Err("a request has op and opset, or a profile"),
        };
        Ok(Asked(Request { spec, from, to, attributes }))
    }
}

impl From<Request> for Asked {
    fn from(request: Request) -> Asked {
        Asked(request)
    }
}

impl Asked {
    pub(super) fn request(&self) -> Request {
        self.0
    }
}

/// How many elements had another result than the recommended one, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Tally {
    /// Elements whose result is left open by the rules.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) undefined: u64,
    /// Elements with a tolerated result.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) tolerated: u64,
    /// Elements with a result that no reading allows.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) fail: u64,
    /// Elements that differ from what is recommended and were not judged one by one, in
    /// certificates of earlier versions. They fail the sweep.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) unjudged: u64,
    /// The first ranges of failing codes, ascending as they were swept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) failures: Vec<Range>,
    /// Failing elements that are in none of those.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) unlisted: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Neighbouring codes that fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Range {
    /// The first code.
    pub(super) first: Hex,
    /// The last code.
    pub(super) last: Hex,
    /// How many elements of the sweep are among them.
    pub(super) elements: u64,
    /// What came of the first.
    pub(super) got: Hex,
    /// What is expected of the first.
    pub(super) expect: OutcomeRecord,
    /// The clause that says so.
    pub(super) clause: OneLine,
}

impl Tally {
    /// Adds failing elements to the last range, if their first code comes directly after its last.
    /// Returns whether it does.
    pub(super) fn extend(&mut self, first: u64, last: Hex, elements: u64) -> bool {
        let Some(range) = self.failures.last_mut() else { return false };
        let joins = range.last.value().checked_add(1) == Some(first);
        if joins {
            range.last = last;
            range.elements += elements;
        }
        joins
    }

    /// Adds the tally of the elements that follow.
    pub(super) fn append(&mut self, next: &Tally) {
        self.undefined += next.undefined;
        self.tolerated += next.tolerated;
        self.fail += next.fail;
        self.unjudged += next.unjudged;
        // Once a range is left out, later ones are left out too: the listed ranges are the first.
        for range in &next.failures {
            let whole = self.unlisted == 0;
            if whole && self.extend(range.first.value(), range.last, range.elements) {
                continue;
            }
            if whole && self.failures.len() < RANGES {
                self.failures.push(range.clone());
            } else {
                self.unlisted += range.elements;
            }
        }
        self.unlisted += next.unlisted;
    }
}

/// One chunk of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Chunk {
    /// Its number.
    pub(super) chunk: u64,
    /// Codes in it.
    pub(super) codes: u64,
    /// Digest of the expected elements, by blocks.
    pub(super) expected: Digest,
    /// Digest of the elements that came, by blocks. The expected elements stand for those that did not
    /// come.
    pub(super) observed: Digest,
    /// What differed.
    pub(super) found: Tally,
    /// What did not come, by verdict. Some elements came: otherwise the chunk is one of `stops`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) unanswered: Vec<Unanswered>,
    /// Milliseconds that a thread worked on it.
    pub(super) milliseconds: u64,
}

impl Chunk {
    /// Returns the number of codes of which elements came.
    pub(super) fn answered(&self) -> u64 {
        let unanswered = self.unanswered.iter().fold(0u64, |sum, it| sum.saturating_add(it.codes));
        self.codes.saturating_sub(unanswered)
    }
}

/// Codes of a chunk of which no elements came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Unanswered {
    /// What the testee did instead. After anything but a refusal it was not asked for the rest of the
    /// chunk, which is counted here, too.
    pub(super) verdict: StopVerdict,
    /// How many codes.
    pub(super) codes: u64,
    /// What it said at the first of them.
    pub(super) message: OneLine,
}

/// What a sweep or its certificate comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// Every code that a sweep asks for was swept, and none fails.
    Clean,
    /// Something failed, or no element came.
    Fails,
    /// Nothing failed, but it is not all: a share of a sweep, or chunks are missing.
    Part,
}

/// Why no elements came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Stop {
    /// What the testee did.
    pub(super) verdict: StopVerdict,
    /// What it said.
    pub(super) message: OneLine,
}

/// What a testee did instead of answering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(super) enum StopVerdict {
    /// It has no such cast.
    Unsupported,
    /// It failed, or broke the protocol.
    Error,
    /// It died.
    Crash,
    /// It did not answer in time.
    Timeout,
}

impl StopVerdict {
    /// Is the request not asked any further? A refusal is no failure as long as no element comes, so
    /// the other codes are asked for.
    pub(super) fn ends(self) -> bool {
        self != StopVerdict::Unsupported
    }
}

impl fmt::Display for StopVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopVerdict::Unsupported => "unsupported",
            StopVerdict::Error => "error",
            StopVerdict::Crash => "crash",
            StopVerdict::Timeout => "timeout",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::Profile;

    #[test]
    fn a_request_is_of_an_operator_or_of_a_profile() {
        let onnx = Asked::from(Request::cast(DType::Int8, DType::Uint8, 28));
        let text = r#"{"op":"cast","opset":28,"from":"int8","to":"uint8"}"#;
        assert_eq!(serde_json::to_string(&onnx).expect("JSON"), text);
        assert_eq!(serde_json::from_str::<Asked>(text).expect("a request"), onnx);
        let spec = Spec::Profile(Profile::RustAs);
        let of_profile = Asked::from(Request::new(spec, DType::Int8, DType::Uint8));
        let text = r#"{"profile":"rust-as","from":"int8","to":"uint8"}"#;
        assert_eq!(serde_json::to_string(&of_profile).expect("JSON"), text);
        assert_eq!(serde_json::from_str::<Asked>(text).expect("a request"), of_profile);
        for text in [
            r#"{"from":"int8","to":"uint8"}"#,
            r#"{"op":"cast","from":"int8","to":"uint8"}"#,
            r#"{"op":"cast","opset":28,"profile":"rust-as","from":"int8","to":"uint8"}"#,
        ] {
            let error = serde_json::from_str::<Asked>(text).unwrap_err().to_string();
            assert!(error.contains("op and opset, or a profile"), "{error}");
        }
    }
}
