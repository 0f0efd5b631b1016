//! A finding, as results files keep it.

use super::range::Range;
use crate::asked::{Asked, Side, is_onnx_cast, onnx_cast};
use crate::diagnosis::Done;
use crate::place::Place;
use castproof_check::verdict::{counted, thousands};
use castproof_check::words;
use castproof_vectors::{Attributes, DType, Element, OutcomeRecord, Suite, find_rule};
use serde::{Deserialize, Serialize};

/// The kind of fault. Findings are listed in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Numbers are cast to wrong numbers.
    Numeric,
    /// Elements are wrong at some places of a tensor, although right alone, or at codes beyond the
    /// vectors.
    Place,
    /// An absent attribute is read as a value other than its default.
    Default,
    /// Texts are read or written wrongly.
    Text,
    /// Casts in a row give a result other than that of their steps.
    Chain,
    /// A question of another suite is answered wrongly.
    Question,
    /// No answer came: an error, a crash or a timeout.
    Error,
    /// A request that a version refuses is accepted.
    Refusal,
    /// A result that the specification leaves open depends on the place of its element. No
    /// specification forbids it, so it is a notice: it fails no run.
    Open,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 9] = [
        Kind::Numeric,
        Kind::Place,
        Kind::Default,
        Kind::Text,
        Kind::Chain,
        Kind::Question,
        Kind::Error,
        Kind::Refusal,
        Kind::Open,
    ];

    /// Returns the name in reports and results files.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Numeric => "numeric",
            Kind::Place => "place",
            Kind::Default => "default",
            Kind::Text => "text",
            Kind::Chain => "chain",
            Kind::Question => "question",
            Kind::Error => "error",
            Kind::Refusal => "refusal",
            Kind::Open => "open",
        }
    }

    /// Returns what the faults are about, for people.
    pub const fn subject(self) -> &'static str {
        match self {
            Kind::Numeric => "numbers",
            Kind::Place => "places in a tensor",
            Kind::Default => "absent attributes",
            Kind::Text => "texts",
            Kind::Chain => "chains of casts",
            Kind::Question => "questions",
            Kind::Error => "errors",
            Kind::Refusal => "accepted what is to be refused",
            Kind::Open => "notices: open results that depend on their place",
        }
    }
}

/// One thing that is wrong, or that is worth knowing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// `F-3fa2c1`: the same in every run that finds it. It is a digest of suite, kind, cause,
    /// and what the finding is of: pair, target, version, place, rule or message.
    pub id: String,
    /// The kind of fault.
    pub kind: Kind,
    /// The suite of the tests.
    #[serde(default = "onnx_cast", skip_serializing_if = "is_onnx_cast")]
    pub suite: Suite,
    /// The pairs where it shows, in the order of the dtypes.
    pub pairs: Vec<(DType, Side)>,
    /// The versions of the operator where it shows; empty where it has none.
    pub versions: Vec<u32>,
    /// The sets of attributes with which it shows.
    pub attributes: Vec<Attributes>,
    /// The wrong method that explains it; absent if none is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Methods that explain equally much.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<String>,
    /// Tests that pass although the cause would have failed them. The cause is only a likeness then.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub contradicted: u64,
    /// Failing tests of the same pairs of which the cause would have made something else. The cause is only a
    /// likeness then, too.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub otherwise: u64,
    /// What the chains of casts are computed as, if the cause is a rewrite of them: `float64 > int64
    /// > X is computed as float64 > int32 > X: 9 chains`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computed: Option<String>,
    /// The inputs that it touches, for the pair of the example.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// The smallest example.
    pub example: Example,
    /// The id of the rule that decides the example; `rules.json` has its statement and source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Tests that fail, each counted once at each version; 0 for a notice.
    pub failing: u64,
    /// Tests of the same pairs, versions and attributes.
    pub of: u64,
    /// The reason of the baseline, if it expects all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
    /// The ids under which a file of an older program has parts of it as findings of their own.
    #[serde(skip)]
    pub former: Vec<String>,
}

/// One input that shows a finding, or what stands for it if no input does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Example {
    /// What was asked, in the newest version where it shows.
    #[serde(flatten)]
    pub asked: Asked,
    /// The id of the test; absent if it is not a test of the vectors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<String>,
    /// The input; absent if a whole request or a question fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Element>,
    /// What came back; absent if nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub got: Option<Element>,
    /// What is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<OutcomeRecord>,
    /// The place in a tensor, or the tensors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub place: Option<Place>,
    /// What is done at this place, for this pair; absent if no known methods give most of the wrong results there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<Done>,
    /// Input, result and what is due, for people: `0x43f00000 (480) gave 0x7e (448), expected any
    /// NaN`. For an error, the whole message.
    pub sentence: String,
}

impl Example {
    /// Returns an example that holds only its key.
    pub fn empty(asked: Asked) -> Example {
        let (test, input, got, expect, place) = (None, None, None, None, None);
        let done = None;
        Example { asked, test, input, got, expect, place, done, sentence: String::new() }
    }
}

impl Finding {
    /// Is it known what is wrong? A wrong method explains it, or a version accepts what it refuses, or
    /// the place says it.
    pub fn is_explained(&self) -> bool {
        match (self.kind, &self.example.place) {
            (Kind::Refusal, _) => true,
            (Kind::Place, Some(place)) => {
                !matches!(place, Place::BeyondVectors | Place::CastLikeAlone)
            }
            (Kind::Open, Some(place)) => {
                !matches!(place, Place::NotExplained | Place::NotEveryTime)
            }
            _ => self.cause.is_some() && self.contradicted + self.otherwise == 0,
        }
    }

    /// Does it fail the run? Neither what the baseline expects does, nor a notice.
    pub fn is_new(&self) -> bool {
        self.known.is_none() && !self.is_notice()
    }

    /// Is it nothing that the specification forbids?
    pub fn is_notice(&self) -> bool {
        self.kind == Kind::Open
    }

    /// Does it, or a part of it, have this id?
    pub fn is_called(&self, id: &str) -> bool {
        self.id == id || self.former.iter().any(|former| former == id)
    }

    /// Is the finding of an older program a part of this one?
    pub fn contains(&self, older: &Finding) -> bool {
        // What `CastLike` gives was a question of its own.
        let is_kind = match older.suite {
            Suite::OnnxCastlike => [Suite::OnnxCast, older.suite].contains(&self.suite),
            suite => suite == self.suite && older.kind == self.kind,
        };
        is_kind
            && older.pairs.iter().all(|pair| self.pairs.contains(pair))
            && older.versions.iter().all(|version| self.versions.contains(version))
            && older.attributes.iter().all(|given| self.attributes.contains(given))
    }

    /// Returns where it shows: `float32 -> float8e4m3fn`, or `5 dtypes -> float8e4m3fn`.
    pub fn place(&self) -> String {
        let Some((from, to)) = self.pairs.first() else { return self.suite.name().into() };
        let same_target = self.pairs.iter().all(|(_, other)| other == to);
        let same_source = self.pairs.iter().all(|(other, _)| other == from);
        let count = self.pairs.len();
        let place = match (count, same_target, same_source) {
            (1, ..) => format!("{from} -> {to}"),
            (_, true, _) if count <= 3 => format!("{} -> {to}", self.sources()),
            (_, true, _) => format!("{count} dtypes -> {to}"),
            (_, _, true) => format!("{from} -> {count} dtypes"),
            _ => format!("{count} pairs"),
        };
        if self.suite == Suite::OnnxCast { place } else { format!("{} {place}", self.suite.name()) }
    }

    fn sources(&self) -> String {
        let names: Vec<&str> = self.pairs.iter().map(|(from, _)| from.name()).collect();
        names.join(", ")
    }

    /// Says what is wrong, in one sentence without the place: the reason and the inputs.
    pub fn headline(&self) -> String {
        match self.inputs() {
            Some(inputs) => format!("{}: {inputs}", self.reason()),
            None => self.reason(),
        }
    }

    /// Says which inputs it touches; nothing where the reason says it, or nothing is known of them.
    pub fn inputs(&self) -> Option<&str> {
        let is_told = match self.kind {
            Kind::Refusal => true,
            Kind::Error | Kind::Open => self.cause.is_none(),
            _ => false,
        };
        let sentence = self.range.as_ref().map(|range| range.sentence.as_str());
        sentence.filter(|sentence| !is_told && !sentence.is_empty())
    }

    /// Says what is wrong, without place and inputs: `low half of the source dropped`.
    pub fn reason(&self) -> String {
        match (&self.cause, self.kind) {
            (_, Kind::Refusal) => {
                let refused = words::versions(self.suite, &self.versions);
                format!("accepts what {} refuses", refused.unwrap_or("its rule".into()))
            }
            (Some(cause), _) if self.contradicted > 0 => {
                let against = counted(self.contradicted, "test");
                let pass = if self.contradicted == 1 { "passes" } else { "pass" };
                format!("like '{cause}', which would have failed {against} that {pass}")
            }
            (Some(cause), _) if self.otherwise > 0 => {
                let other = counted(self.otherwise, "test");
                let fail = if self.otherwise == 1 { "fails" } else { "fail" };
                format!(
                    "like '{cause}', which would have given something else in {other} that {fail}"
                )
            }
            (Some(cause), _) => match &self.computed {
                Some(computed) => format!("{cause}: {computed}"),
                None => self.untold(cause),
            },
            (None, Kind::Numeric | Kind::Text) => "no known wrong method explains it".into(),
            (None, Kind::Error) => self.example.sentence.clone(),
            (None, Kind::Open) => {
                let place = self.example.place.as_ref().map_or(String::new(), Place::to_string);
                format!("an open result depends on its place: {place}")
            }
            (None, Kind::Place) => {
                let place = self.example.place.as_ref().map_or("wrong".into(), Place::to_string);
                match &self.example.done {
                    Some(done) => format!("{place}: {done}"),
                    None => place,
                }
            }
            (None, _) => {
                let rule = self.rule.as_deref().and_then(find_rule);
                rule.map_or("wrong".into(), |rule| format!("against '{}'", rule.statement))
            }
        }
    }

    /// Returns the cause and those that cannot be told apart from it: `sign lost, or code copied`.
    fn untold(&self, cause: &str) -> String {
        let shown = self.alternatives.iter().take(MOST_SAID);
        let mut text = shown.fold(cause.to_string(), |text, other| format!("{text}, or {other}"));
        let more = self.alternatives.len().saturating_sub(MOST_SAID);
        if more > 0 {
            text += &format!(", or one of {more} more");
        }
        text
    }

    /// Returns `27 of 1,843 tests, Cast-19 to Cast-28, saturate=0`; for a notice `12 pairs, Cast-28`.
    pub fn extent(&self) -> String {
        let mut text = match (self.is_notice(), self.pairs.len()) {
            (false, _) => format!("{} of {}", thousands(self.failing), counted(self.of, "test")),
            (true, pairs) => counted(pairs as u64, "pair"),
        };
        if let Some(versions) = words::versions(self.suite, &self.versions) {
            text += &format!(", {versions}");
        }
        let none = Attributes::default();
        if self.attributes.iter().any(|it| *it != none) {
            let shown = self.attributes.iter().map(|it| match *it == none {
                true => "no attributes".into(),
                false => it.to_string(),
            });
            text += &format!(", {}", shown.collect::<Vec<String>>().join(" | "));
        }
        text
    }

    /// Returns the rule with its statement: `F8-N07  float32 beyond ...`.
    pub fn rule_line(&self) -> Option<String> {
        let id = self.rule.as_deref()?;
        Some(find_rule(id).map_or(id.to_string(), |rule| format!("{id}  {}", rule.statement)))
    }
}

/// How many causes that cannot be told apart a headline says; `castproof show` says all.
const MOST_SAID: usize = 3;

fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page of a report has a filter for each kind that the list names.
    #[test]
    fn the_list_names_every_kind() {
        let said = serde_json::from_str::<Kind>("\"?\"").expect_err("an unknown name").to_string();
        let known: Vec<&str> = said.split('`').skip(3).step_by(2).collect();
        assert_eq!(known, Kind::ALL.map(Kind::name));
    }
}
