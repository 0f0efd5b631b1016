//! What a cast must return for one element, in memory and as files write it.

use crate::{DType, Hex, Landmarks, RuleId};
use serde::{Deserialize, Serialize};

/// The results that are right for one element.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Exactly this code of the target.
    Code(u64),
    /// Any NaN code of the target.
    AnyNan,
    /// Any quiet NaN code of the target: a NaN whose highest significand bit is set. Sign and payload are free.
    QuietNan,
    /// Any of these codes, ascending, at least two.
    OneOf(Vec<u64>),
    /// Undefined: any valid element of the target, but no crash.
    Any,
    /// The request must be refused. Of one element of a request that is cast otherwise: the cast traps, and a
    /// tensor that holds the element is refused.
    Reject,
    /// What a cast to string must write.
    Text(TextOutcome),
}

/// What a cast to string must write for one element.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextOutcome {
    /// Exactly this text.
    Exactly(String),
    /// Any of these texts.
    OneOf(Vec<String>),
    /// Any text that is read back as the same code, in this notation.
    RoundTrips(Notation),
}

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Notation {
    /// Digits with at most one point: `314.15926`.
    Plain,
    /// Plain or scientific: `3.1415926e2`.
    Any,
}

impl Outcome {
    /// Returns the outcome "any of these": sorted, without repeats, a single code as
    /// [`Outcome::Code`].
    ///
    /// # Panics
    /// If `codes` is empty, which no rule can ask for.
    pub fn one_of(codes: impl IntoIterator<Item = u64>) -> Outcome {
        let mut codes: Vec<u64> = codes.into_iter().collect();
        codes.sort_unstable();
        codes.dedup();
        match codes[..] {
            [] => panic!("a set of allowed codes cannot be empty"),
            [code] => Outcome::Code(code),
            _ => Outcome::OneOf(codes),
        }
    }

    /// Does `code` fulfil this outcome? `to` holds the landmarks of the target.
    #[inline]
    pub fn admits(&self, code: u64, to: &Landmarks) -> bool {
        match self {
            Outcome::Code(expected) => *expected == code,
            Outcome::AnyNan => to.is_nan(code),
            Outcome::QuietNan => to.is_quiet_nan(code),
            Outcome::OneOf(codes) => codes.contains(&code),
            Outcome::Any => to.is_valid(code),
            Outcome::Reject | Outcome::Text(_) => false,
        }
    }

    /// Returns the NaN codes of the target of which it admits any, as inclusive ranges; `None` if it admits no such
    /// class of codes.
    pub fn nans<'a>(&self, to: &'a Landmarks) -> Option<&'a [[Hex; 2]]> {
        match self {
            Outcome::AnyNan => Some(&to.nan),
            Outcome::QuietNan => Some(&to.quiet_nan),
            _ => None,
        }
    }

    /// Does `text` fulfil this outcome? `None` if the outcome is not about text; [`Outcome::Any`]
    /// admits every text. `reads_back` says whether the text is in a notation and stands for the
    /// element that was cast, because labels do not know numerals.
    pub fn admits_text(
        &self,
        text: &str,
        reads_back: impl FnOnce(Notation) -> bool,
    ) -> Option<bool> {
        match self {
            Outcome::Any => Some(true),
            Outcome::Text(TextOutcome::Exactly(expected)) => Some(expected == text),
            Outcome::Text(TextOutcome::OneOf(expected)) => {
                Some(expected.iter().any(|one| one == text))
            }
            Outcome::Text(TextOutcome::RoundTrips(notation)) => Some(reads_back(*notation)),
            _ => None,
        }
    }
}

/// The recommended reading of one case, another outcome that is tolerated, and the rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Expectation {
    /// What an implementation should return.
    pub expect: Outcome,
    /// An outcome that a report calls tolerated, not failed.
    pub tolerate: Option<Outcome>,
    /// The rule that decides the case.
    pub rule: RuleId,
}

/// An outcome as vector files and reports write it: exactly one key, except that `roundTrips` has
/// `notation` beside it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Members", into = "Members")]
pub enum OutcomeRecord {
    /// `{"code": "0x7e"}`
    Code(Hex),
    /// `{"anyNaN": true}`
    AnyNan(True),
    /// `{"quietNaN": true}`
    QuietNan(True),
    /// `{"oneOf": ["0x00", "0x80"]}`
    OneOf(Vec<Hex>),
    /// `{"any": true}`
    Any(True),
    /// `{"reject": true}`
    Reject(True),
    /// `{"text": "-7"}`
    Text(String),
    /// `{"oneOfText": ["NaN", "nan"]}`
    OneOfText(Vec<String>),
    /// `{"roundTrips": true, "notation": "plain"}`
    RoundTrips(Notation),
}

/// The members of a record; exactly one of them is present, or `roundTrips` and `notation`.
#[derive(Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Members {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<Hex>,
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "anyNaN")]
    any_nan: Option<True>,
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "quietNaN")]
    quiet_nan: Option<True>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    one_of: Option<Vec<Hex>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    any: Option<True>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reject: Option<True>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    one_of_text: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    round_trips: Option<True>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    notation: Option<Notation>,
}

impl TryFrom<Members> for OutcomeRecord {
    type Error = &'static str;

    fn try_from(members: Members) -> Result<OutcomeRecord, Self::Error> {
        let round_trips = match (members.round_trips, members.notation) {
            (Some(True), Some(notation)) => Some(OutcomeRecord::RoundTrips(notation)),
            (None, None) => None,
            _ => return Err("roundTrips and notation must be given together"),
        };
        let given = [
            members.code.map(OutcomeRecord::Code),
            members.any_nan.map(OutcomeRecord::AnyNan),
            members.quiet_nan.map(OutcomeRecord::QuietNan),
            members.one_of.map(OutcomeRecord::OneOf),
            members.any.map(OutcomeRecord::Any),
            members.reject.map(OutcomeRecord::Reject),
            members.text.map(OutcomeRecord::Text),
            members.one_of_text.map(OutcomeRecord::OneOfText),
            round_trips,
        ];
        let mut given = given.into_iter().flatten();
        match (given.next(), given.next()) {
            (Some(record), None) => Ok(record),
            _ => Err(
                "an outcome must have exactly one of code, anyNaN, quietNaN, oneOf, any, reject, \
                      text, oneOfText, roundTrips",
            ),
        }
    }
}

impl From<OutcomeRecord> for Members {
    fn from(record: OutcomeRecord) -> Members {
        let none = Members::default();
        match record {
            OutcomeRecord::Code(code) => Members { code: Some(code), ..none },
            OutcomeRecord::AnyNan(yes) => Members { any_nan: Some(yes), ..none },
            OutcomeRecord::QuietNan(yes) => Members { quiet_nan: Some(yes), ..none },
            OutcomeRecord::OneOf(codes) => Members { one_of: Some(codes), ..none },
            OutcomeRecord::Any(yes) => Members { any: Some(yes), ..none },
            OutcomeRecord::Reject(yes) => Members { reject: Some(yes), ..none },
            OutcomeRecord::Text(text) => Members { text: Some(text), ..none },
            OutcomeRecord::OneOfText(texts) => Members { one_of_text: Some(texts), ..none },
            OutcomeRecord::RoundTrips(notation) => {
                Members { round_trips: Some(True), notation: Some(notation), ..none }
            }
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for OutcomeRecord {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "OutcomeRecord".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let hex = generator.subschema_for::<Hex>();
        let notation = generator.subschema_for::<Notation>();
        let yes = generator.subschema_for::<True>();
        let text = schemars::json_schema!({ "type": "string" });
        let object = |members: &[(&str, schemars::Schema)]| {
            let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
            let properties: serde_json::Map<String, serde_json::Value> = members
                .iter()
                .map(|(name, schema)| ((*name).to_string(), schema.clone().to_value()))
                .collect();
            schemars::json_schema!({
                "type": "object",
                "properties": properties,
                "required": names,
                "additionalProperties": false
            })
        };
        let list = |item: &schemars::Schema| schemars::json_schema!({ "type": "array", "items": item, "minItems": 1 });
        schemars::json_schema!({
            "description": "What a cast must return for one element.",
            "oneOf": [
                object(&[("code", hex.clone())]),
                object(&[("anyNaN", yes.clone())]),
                object(&[("quietNaN", yes.clone())]),
                object(&[("oneOf", list(&hex))]),
                object(&[("any", yes.clone())]),
                object(&[("reject", yes.clone())]),
                object(&[("text", text.clone())]),
                object(&[("oneOfText", list(&text))]),
                object(&[("roundTrips", yes), ("notation", notation)]),
            ]
        })
    }
}

impl OutcomeRecord {
    /// Makes the record of an outcome. Codes have the width of the target dtype.
    pub fn new(outcome: &Outcome, to: DType) -> OutcomeRecord {
        let hex = |code: &u64| Hex::new(*code, to);
        match outcome {
            Outcome::Code(code) => OutcomeRecord::Code(hex(code)),
            Outcome::AnyNan => OutcomeRecord::AnyNan(True),
            Outcome::QuietNan => OutcomeRecord::QuietNan(True),
            Outcome::OneOf(codes) => OutcomeRecord::OneOf(codes.iter().map(hex).collect()),
            Outcome::Any => OutcomeRecord::Any(True),
            Outcome::Reject => OutcomeRecord::Reject(True),
            Outcome::Text(TextOutcome::Exactly(text)) => OutcomeRecord::Text(text.clone()),
            Outcome::Text(TextOutcome::OneOf(texts)) => OutcomeRecord::OneOfText(texts.clone()),
            Outcome::Text(TextOutcome::RoundTrips(notation)) => {
                OutcomeRecord::RoundTrips(*notation)
            }
        }
    }

    /// Returns the outcome that the record holds.
    pub fn outcome(&self) -> Outcome {
        match self {
            OutcomeRecord::Code(code) => Outcome::Code(code.value()),
            OutcomeRecord::AnyNan(True) => Outcome::AnyNan,
            OutcomeRecord::QuietNan(True) => Outcome::QuietNan,
            OutcomeRecord::OneOf(codes) => Outcome::OneOf(codes.iter().map(Hex::value).collect()),
            OutcomeRecord::Any(True) => Outcome::Any,
            OutcomeRecord::Reject(True) => Outcome::Reject,
            OutcomeRecord::Text(text) => Outcome::Text(TextOutcome::Exactly(text.clone())),
            OutcomeRecord::OneOfText(texts) => Outcome::Text(TextOutcome::OneOf(texts.clone())),
            OutcomeRecord::RoundTrips(notation) => {
                Outcome::Text(TextOutcome::RoundTrips(*notation))
            }
        }
    }

    /// Is it about the text of a string element?
    pub(crate) fn is_text(&self) -> bool {
        matches!(
            self,
            OutcomeRecord::Text(_) | OutcomeRecord::OneOfText(_) | OutcomeRecord::RoundTrips(_)
        )
    }

    /// Returns the codes that the record names.
    pub(crate) fn codes(&self) -> &[Hex] {
        match self {
            OutcomeRecord::Code(code) => std::slice::from_ref(code),
            OutcomeRecord::OneOf(codes) => codes,
            _ => &[],
        }
    }
}

/// The JSON value `true` and no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "bool", into = "bool")]
pub struct True;

impl TryFrom<bool> for True {
    type Error = &'static str;

    fn try_from(value: bool) -> Result<True, Self::Error> {
        value.then_some(True).ok_or("must be true where it is given")
    }
}

impl From<True> for bool {
    fn from(_: True) -> bool {
        true
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for True {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "True".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "const": true })
    }
}
