//! The rules of one version of a specification, as a record.

use super::axes::{
    Accuracy, Bool, FloatToInteger, FromFloat8, FromScale, IntegerRow, IntegerToInteger,
    NarrowIntegers, SameDtype, Text, ToFloat, ToFloat8, ToScale, ToSmallFloat,
};
use castproof_vectors::{Attributes, DType, RoundMode, RuleId};

/// The rules of one version of a specification. A group of dtypes that it does not cast has no
/// rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// The dtypes that it casts from.
    pub(crate) sources: Vec<DType>,
    /// The dtypes that it casts to.
    pub(crate) targets: Vec<DType>,
    pub(crate) saturate: Attribute<bool>,
    pub(crate) round_mode: Attribute<RoundMode>,
    /// Pairs that are refused though both dtypes are cast: source, target.
    pub(crate) refused_pairs: Vec<(DType, DType)>,
    pub(crate) refusals: Refusals,
    /// The first row that has the pair holds.
    pub(crate) float_to_integer: Vec<IntegerRow>,
    pub(crate) integer_to_integer: IntegerToInteger,
    pub(crate) narrow_integers: Option<NarrowIntegers>,
    pub(crate) to_float: ToFloat,
    /// What is tolerated beside the nearest float.
    pub(crate) accuracy: Option<Accuracy>,
    /// The rule by which the result is open where the target does not have the value: everything but numbers
    /// that it has, and floats whose integral part an integer has.
    pub(crate) only_exact: Option<RuleId>,
    pub(crate) to_float8: Option<ToFloat8>,
    pub(crate) from_float8: Option<FromFloat8>,
    pub(crate) to_float4: Option<ToSmallFloat>,
    /// From float4e2m1 to wider floats.
    pub(crate) from_float4: Option<RuleId>,
    pub(crate) to_float6: Option<ToSmallFloat>,
    pub(crate) to_scale: Option<ToScale>,
    pub(crate) from_scale: Option<FromScale>,
    pub(crate) same_dtype: SameDtype,
    pub(crate) bool: Bool,
    pub(crate) text: Option<Text>,
    /// The rule by which "up" is a result too, because the operator's function body drops
    /// `round_mode`.
    pub(crate) drops_round_mode: Option<RuleId>,
}

/// An attribute of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attribute<T> {
    /// May a request give it?
    pub(crate) known: bool,
    /// What holds where it is not given.
    pub(crate) default: T,
    /// The rule by which it changes nothing for the targets that it does not concern.
    pub(crate) ignored: RuleId,
}

/// The rules by which a request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusals {
    /// A dtype that is not cast, unless `dtypes` names it.
    pub(crate) dtype: RuleId,
    pub(crate) dtypes: Vec<(DType, RuleId)>,
    /// A pair of [`Record::refused_pairs`].
    pub(crate) pair: RuleId,
    /// An attribute that the version lacks.
    pub(crate) attribute: RuleId,
}

impl Record {
    /// Returns the rule by which a request is refused, if it is.
    pub(crate) fn refusal(
        &self,
        (from, to): (DType, DType),
        attributes: Attributes,
    ) -> Option<RuleId> {
        let casts = [(from, &self.sources), (to, &self.targets)];
        let missing = casts.into_iter().find(|(dtype, set)| !set.contains(dtype));
        let unknown = attributes.saturate.is_some() && !self.saturate.known
            || attributes.round_mode.is_some() && !self.round_mode.known;
        if let Some((dtype, _)) = missing {
            let named = self.refusals.dtypes.iter().rev().find(|(named, _)| *named == dtype);
            Some(named.map_or(self.refusals.dtype, |(_, rule)| *rule))
        } else if self.refused_pairs.contains(&(from, to)) {
            Some(self.refusals.pair)
        } else {
            unknown.then_some(self.refusals.attribute)
        }
    }

    /// The rules of a float to an integer.
    pub(crate) fn integers(&self, from: DType, to: DType) -> &FloatToInteger {
        let row = self.float_to_integer.iter().find(|row| row.holds(from, to));
        &row.expect("the rows have every pair that the record casts").rules
    }
}

/// The rules of a group of dtypes that the record casts.
pub(crate) fn rules_of<T>(group: &Option<T>) -> &T {
    group.as_ref().expect("a record has the rules of every dtype that it casts")
}
