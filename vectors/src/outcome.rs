//! What a cast must return for one element, in memory and as files write it.

use crate::{DType, Hex};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the oracle says of one element.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Exactly this code of the target.
    Code(u64),
    /// Any NaN code of the target.
    AnyNan,
    /// Any of these codes, ascending, at least two.
    OneOf(Vec<u64>),
    /// Undefined: any valid element of the target, but no crash.
    Any,
    /// The request itself must be refused.
    Reject,
}

impl Outcome {
    /// The outcome "any of these": sorted, without repeats, a single code as [`Outcome::Code`].
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

    /// Does `code` fulfil this outcome? NaN codes and valid codes of the target are asked of
    /// `is_nan` and `is_valid`, because labels do not know them.
    pub fn admits(
        &self,
        code: u64,
        is_nan: impl Fn(u64) -> bool,
        is_valid: impl Fn(u64) -> bool,
    ) -> bool {
        match self {
            Outcome::Code(expected) => *expected == code,
            Outcome::AnyNan => is_nan(code),
            Outcome::OneOf(codes) => codes.contains(&code),
            Outcome::Any => is_valid(code),
            Outcome::Reject => false,
        }
    }
}

/// The recommended reading of one case, further readings that are tolerated, and the rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Expectation {
    /// What an implementation should return.
    pub expect: Outcome,
    /// What a report calls tolerated, not failed.
    pub tolerate: Option<Outcome>,
    /// Id of the clause that decides the case.
    pub clause: &'static str,
}

/// An [`Outcome`] as vector files and reports write it: exactly one key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum OutcomeRecord {
    /// `{"code": "0x7e"}`
    Code(Hex),
    /// `{"anyNaN": true}`
    #[serde(rename = "anyNaN")]
    AnyNan(True),
    /// `{"oneOf": ["0x00", "0x80"]}`
    OneOf(Vec<Hex>),
    /// `{"any": true}`
    Any(True),
    /// `{"reject": true}`
    Reject(True),
}

impl OutcomeRecord {
    /// Writes codes in the width of the target dtype.
    pub fn new(outcome: &Outcome, to: DType) -> OutcomeRecord {
        let hex = |code: &u64| Hex::new(*code, to);
        match outcome {
            Outcome::Code(code) => OutcomeRecord::Code(hex(code)),
            Outcome::AnyNan => OutcomeRecord::AnyNan(True),
            Outcome::OneOf(codes) => OutcomeRecord::OneOf(codes.iter().map(hex).collect()),
            Outcome::Any => OutcomeRecord::Any(True),
            Outcome::Reject => OutcomeRecord::Reject(True),
        }
    }

    /// The outcome that is written here.
    pub fn outcome(&self) -> Outcome {
        match self {
            OutcomeRecord::Code(code) => Outcome::Code(code.value()),
            OutcomeRecord::AnyNan(True) => Outcome::AnyNan,
            OutcomeRecord::OneOf(codes) => Outcome::OneOf(codes.iter().map(Hex::value).collect()),
            OutcomeRecord::Any(True) => Outcome::Any,
            OutcomeRecord::Reject(True) => Outcome::Reject,
        }
    }

    /// The codes that are written here.
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

impl JsonSchema for True {
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
