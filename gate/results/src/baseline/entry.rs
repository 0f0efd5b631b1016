//! One entry of a baseline: which tests fail, how, and why.

use super::extent::Extent;
use crate::asked::{Asked, Side};
use crate::place::Place;
use crate::{Filters, Misplaced};
use castproof_check::verdict::Verdict;
use castproof_vectors::{Attributes, DType, Level, Operand, Suite};
use serde::Deserialize;

/// Tests that fail, how, and why.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The suite of the tests; absent for `Cast` together with `CastLike`.
    pub suite: Option<Suite>,
    /// How they fail.
    #[serde(default = "fail")]
    pub verdict: Verdict,
    /// Dtypes of the inputs; for promotions, the dtypes of the tensors.
    pub from: PairSides,
    /// Dtypes of the outputs; for promotions, the other operands.
    pub to: PairSides,
    /// How many pairs a wildcard may cover; required if `from` or `to` is a wildcard.
    pub pairs: Option<usize>,
    /// Operator versions; absent for any.
    pub opsets: Option<Vec<u32>>,
    /// The attributes that are given; absent for any.
    pub attributes: Option<Attributes>,
    /// The clause; absent for any.
    pub clause: Option<String>,
    /// The places at which elements that are right alone are wrong, as a report names them, or `codes
    /// beyond the vectors`; `crash`, `timeout` or `error` is no answer at any count; `*` is any. Such an
    /// entry covers these only; with `clause`, those whose first wrong element breaks that rule.
    pub place: Option<Places>,
    /// Ids of tests; absent for any.
    pub tests: Option<Vec<String>>,
    /// The smallest level whose vectors show the failure; absent if every level does.
    pub level: Option<Level>,
    /// Do all of these tests fail, only some, or any number of them?
    #[serde(default)]
    pub share: BaselineShare,
    /// Why, for people.
    pub reason: String,
    /// Where to read more.
    pub link: Option<String>,
}

/// How many of the tests that an entry covers fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BaselineShare {
    /// Every one; a pass is unexpected.
    #[default]
    All,
    /// At least one.
    Some,
    /// Any number, also none: the failure comes and goes from run to run, or with the processor.
    Any,
}

/// One side of the pairs that an entry covers.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "SidesRecord")]
pub enum PairSides {
    /// Any of these.
    These(Vec<Side>),
    /// Any dtype or Python number, written `*`.
    Any,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a dtype, a list of dtypes, or \"*\"")]
enum SidesRecord {
    One(String),
    Several(Vec<String>),
}

impl TryFrom<SidesRecord> for PairSides {
    type Error = String;

    fn try_from(record: SidesRecord) -> Result<PairSides, String> {
        let names = match record {
            SidesRecord::One(name) if name == "*" => return Ok(PairSides::Any),
            SidesRecord::One(name) => vec![name],
            SidesRecord::Several(names) => names,
        };
        names.into_iter().map(Side::try_from).collect::<Result<_, _>>().map(PairSides::These)
    }
}

impl PairSides {
    fn covers(&self, side: Side) -> bool {
        match self {
            PairSides::These(sides) => sides.contains(&side),
            PairSides::Any => true,
        }
    }

    /// Does this filter keep all of these?
    fn is_within(&self, filter: Option<DType>) -> bool {
        filter.is_none_or(|only| match self {
            PairSides::These(sides) => sides.iter().all(|side| *side == only.into()),
            PairSides::Any => false,
        })
    }

    /// Returns the first Python number among these.
    fn number(&self) -> Option<Side> {
        let PairSides::These(sides) = self else { return None };
        sides.iter().copied().find(|side| matches!(side, Side(Operand::Number(_))))
    }
}

/// The places that an entry covers.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub enum Places {
    /// This one.
    This(Place),
    /// Tensors of any count that got this verdict instead of elements, written `crash`.
    Unanswered(Verdict),
    /// Any place, written `*`.
    Any,
}

impl TryFrom<String> for Places {
    type Error = String;

    fn try_from(text: String) -> Result<Places, String> {
        if text == "*" {
            return Ok(Places::Any);
        }
        let unanswered = [Verdict::Error, Verdict::Crash, Verdict::Timeout];
        match unanswered.into_iter().find(|verdict| verdict.name() == text) {
            Some(verdict) => Ok(Places::Unanswered(verdict)),
            None => text.parse().map(Places::This),
        }
    }
}

impl Places {
    fn covers(&self, place: &Place) -> bool {
        match self {
            Places::This(only) => only == place,
            Places::Unanswered(only) => {
                matches!(place, Place::Unanswered(verdict, _) if verdict == only)
            }
            Places::Any => true,
        }
    }
}

fn fail() -> Verdict {
    Verdict::Fail
}

/// Does the suite's operator have versions and attributes?
pub(super) fn has_versions(suite: Suite) -> bool {
    matches!(suite, Suite::OnnxCast | Suite::OnnxCastlike)
}

impl Entry {
    /// Returns the suites of the tests that the entry covers. `CastLike` casts like `Cast`, so an
    /// entry that names no suite covers both.
    pub(super) fn suites(&self) -> &[Suite] {
        match &self.suite {
            Some(suite) => std::slice::from_ref(suite),
            None => &[Suite::OnnxCast, Suite::OnnxCastlike],
        }
    }

    pub(super) fn covers_request(&self, asked: &Asked) -> bool {
        let among = |opsets: &Vec<u32>| asked.opset.is_some_and(|opset| opsets.contains(&opset));
        self.suites().contains(&asked.suite)
            && self.from.covers(asked.from.into())
            && self.to.covers(asked.to)
            && self.opsets.as_ref().is_none_or(among)
            && self.attributes.is_none_or(|attributes| attributes == asked.attributes)
    }

    pub(super) fn covers_test(&self, clause: &str, id: &str) -> bool {
        self.place.is_none()
            && self.clause.as_deref().is_none_or(|only| only == clause)
            && self.tests.as_ref().is_none_or(|tests| tests.iter().any(|test| test == id))
    }

    pub(super) fn covers_place(&self, found: &Misplaced) -> bool {
        self.covers_request(&found.asked)
            && self.place.as_ref().is_some_and(|only| only.covers(&found.place))
            && self.clause.as_ref().is_none_or(|only| found.clause.as_ref() == Some(only))
    }

    /// Does a run of this extent ask every test that the entry covers? If filters exclude
    /// `CastLike`, only `Cast` is checked.
    pub(super) fn is_within(&self, extent: &Extent) -> bool {
        let Extent { level, suites, filters, every_pair, named, kernel, arranged } = extent;
        if self.place.is_some() && !arranged {
            return false;
        }
        let filtered = *filters != Filters::default() || !named.is_empty() || kernel.is_some();
        let is_only = |opset| self.opsets.as_deref() == Some(&[opset]);
        // Tensors are arranged in the newest version, which is the one that a kernel is asked for.
        let of_kernel = |opset| is_only(opset) || self.place.is_some() && self.opsets.is_none();
        let pairs = self.are_among(named)
            && self.from.is_within(filters.from)
            && self.to.is_within(filters.to);
        let casts = *every_pair
            && pairs
            && filters.opset.is_none_or(is_only)
            && kernel.is_none_or(of_kernel);
        let asks = |suite: &Suite| match suite {
            suite if suite.is_casts() => casts && suites.contains(suite),
            Suite::OnnxCastlike if filtered && self.suite.is_none() => true,
            suite => pairs && suites.contains(suite),
        };
        self.level.is_none_or(|shows| *level >= shows) && self.suites().iter().all(asks)
    }

    /// Are all pairs that the entry covers among these? No pairs mean no limit.
    fn are_among(&self, named: &[(DType, DType)]) -> bool {
        if named.is_empty() {
            return true;
        }
        let (PairSides::These(from), PairSides::These(to)) = (&self.from, &self.to) else {
            return false;
        };
        let is_named = |from: &Side, to: &Side| {
            named.iter().any(|pair| *from == pair.0.into() && *to == pair.1.into())
        };
        from.iter().all(|from| to.iter().all(|to| is_named(from, to)))
    }

    pub(super) fn check(&self) -> Result<(), String> {
        if !self.verdict.is_bad() {
            return Err(format!(
                "verdict is '{}'; known failures are fail, error, crash or timeout",
                self.verdict.name()
            ));
        }
        if self.reason.trim().is_empty() {
            return Err("the reason is empty; say why these tests fail".into());
        }
        let wild = [&self.from, &self.to].iter().any(|side| matches!(side, PairSides::Any));
        if wild && self.pairs.is_none() {
            return Err("a wildcard needs its bound: pairs = N, the pairs it may cover".into());
        }
        if let Some(clause) = &self.clause
            && castproof_vectors::find_rule(clause).is_none()
        {
            return Err(format!("unknown clause '{clause}'"));
        }
        if self.place.is_some() && self.tests.is_some() {
            return Err("a place covers no tests; leave out 'tests' or 'place'".into());
        }
        self.check_suite()
    }

    /// Refuses an entry that no test of its suite can match: a run would take it for stale.
    fn check_suite(&self) -> Result<(), String> {
        if let Some(suite) = self.suite.filter(|&suite| !has_versions(suite)) {
            for (name, given) in
                [("opsets", self.opsets.is_some()), ("attributes", self.attributes.is_some())]
            {
                if given {
                    let suite = suite.name();
                    return Err(format!("the suite {suite} has no {name}; leave them out"));
                }
            }
        }
        let promotes =
            matches!(self.suite, Some(Suite::MindsporePromotion | Suite::MindsporeOperands));
        let numbers = [self.from.number(), self.to.number().filter(|_| !promotes)];
        match numbers.into_iter().flatten().next() {
            Some(number) => Err(format!(
                "'{number}' is not a dtype; only `to` of the suites mindspore-promotion and \
                 mindspore-operands may be a number"
            )),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process that dies by chance dies at other counts in each run.
    #[test]
    fn a_verdict_covers_tensors_without_an_answer_at_any_count() {
        let crash = Places::try_from("crash".to_string()).expect("a verdict");
        let covered = |text: &str| crash.covers(&text.parse().expect("a place"));
        assert!(covered("crash at a count of 17") && covered("crash at 129 counts from 2 to 130"));
        assert!(!covered("error at a count of 17") && !covered("the tail of 8"));
    }
}
