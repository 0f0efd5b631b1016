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
    /// The first row that has the pair and the round mode holds.
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
pub(crate) struct Attribute<T: 'static> {
    /// The values that a request may give; none if the specification lacks the attribute.
    pub(crate) values: &'static [T],
    /// What holds where it is not given.
    pub(crate) default: T,
    /// The sources and the targets that it concerns; empty for all.
    pub(crate) from: &'static [DType],
    pub(crate) to: &'static [DType],
    /// The rule by which it changes nothing for other pairs; `None` if it is refused there.
    pub(crate) ignored: Option<RuleId>,
}

/// The rules by which a request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusals {
    /// A dtype that is not cast, unless `dtypes` names it.
    pub(crate) dtype: RuleId,
    pub(crate) dtypes: Vec<(DType, RuleId)>,
    /// A pair of [`Record::refused_pairs`].
    pub(crate) pair: RuleId,
    /// An attribute that the version lacks, or a value of it, or an attribute of a pair that it does
    /// not concern unless it is ignored there.
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
        let unknown = self.saturate.refuses((from, to), attributes.saturate)
            || self.round_mode.refuses((from, to), attributes.round_mode);
        if let Some((dtype, _)) = missing {
            let named = self.refusals.dtypes.iter().rev().find(|(named, _)| *named == dtype);
            Some(named.map_or(self.refusals.dtype, |(_, rule)| *rule))
        } else if self.refused_pairs.contains(&(from, to)) {
            Some(self.refusals.pair)
        } else {
            unknown.then_some(self.refusals.attribute)
        }
    }

    /// The rules of a float to an integer. `mode` is the round mode that is given and concerns the
    /// pair.
    pub(crate) fn integers(
        &self,
        pair: (DType, DType),
        mode: Option<RoundMode>,
    ) -> &FloatToInteger {
        let row = self.float_to_integer.iter().find(|row| row.holds(pair, mode));
        &row.expect("the rows have every pair that the record casts").rules
    }

    /// Returns those of the attributes that concern a pair.
    pub(crate) fn concerning(&self, pair: (DType, DType), given: Attributes) -> Attributes {
        Attributes {
            saturate: given.saturate.filter(|_| self.saturate.concerns(pair)),
            round_mode: given.round_mode.filter(|_| self.round_mode.concerns(pair)),
        }
    }
}

impl<T: Copy + PartialEq> Attribute<T> {
    /// Does the specification have the attribute?
    pub(crate) const fn is_known(&self) -> bool {
        !self.values.is_empty()
    }

    /// Can it change a cast of this pair?
    pub(crate) fn concerns(&self, (from, to): (DType, DType)) -> bool {
        let has = |set: &[DType], dtype| set.is_empty() || set.contains(&dtype);
        self.is_known() && has(self.from, from) && has(self.to, to)
    }

    /// Returns the values that a request of this pair may give and that can change the cast.
    pub(crate) fn values_for(&self, pair: (DType, DType)) -> &'static [T] {
        if self.concerns(pair) { self.values } else { &[] }
    }

    /// Is a request of this pair refused because it gives this value?
    fn refuses(&self, pair: (DType, DType), given: Option<T>) -> bool {
        given.is_some_and(|value| match self.concerns(pair) {
            true => !self.values.contains(&value),
            false => !self.is_known() || self.ignored.is_none(),
        })
    }
}

/// The rules of a group of dtypes that the record casts.
pub(crate) fn rules_of<T>(group: &Option<T>) -> &T {
    group.as_ref().expect("a record has the rules of every dtype that it casts")
}
