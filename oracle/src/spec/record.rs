//! The axes along which specifications differ.

use castproof_vectors::{Attributes, DType, RuleId};

/// The rules of one version of a specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// The dtypes that it casts from.
    pub(crate) sources: Vec<DType>,
    /// The dtypes that it casts to.
    pub(crate) targets: Vec<DType>,
    /// Does it have the attribute `saturate`?
    pub(crate) saturate: bool,
    /// Does it have the attribute `round_mode`?
    pub(crate) round_mode: bool,
    /// Pairs that are refused though both dtypes are cast: source, target.
    pub(crate) refused_pairs: Vec<(DType, DType)>,
    pub(crate) refusals: Refusals,
    pub(crate) float_to_integer: FloatToInteger,
    pub(crate) integer_to_integer: IntegerToInteger,
    pub(crate) to_float: ToFloat,
    pub(crate) same_dtype: SameDtype,
    pub(crate) bool: Bool,
    /// What infinity becomes in a float8 dtype under `saturate`.
    pub(crate) saturated_infinity: SaturatedInfinity,
    /// Does the operator's function body drop `round_mode`, so that "up" is a result too (CL-04)?
    pub(crate) drops_round_mode: bool,
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

/// Floats to integers of at least 8 bits: the fraction is dropped, then the range is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FloatToInteger {
    /// An integral number in range.
    pub(crate) exact: RuleId,
    /// A fraction between two integers in range.
    pub(crate) fraction: RuleId,
    /// A fraction whose integral part is the end of the range.
    pub(crate) edge: RuleId,
    /// An integral part out of range, or an infinity.
    pub(crate) beyond: (Beyond, RuleId),
    pub(crate) nan: (NanToInteger, RuleId),
}

/// What an integral part out of range becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beyond {
    Undefined,
    /// The nearest integer of the target.
    Saturates,
}

/// What NaN becomes in an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NanToInteger {
    Undefined,
    Zero,
}

/// Integers of at least 8 bits to integers of at least 8 bits: the low bits are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IntegerToInteger {
    pub(crate) in_range: RuleId,
    pub(crate) wrapped: RuleId,
}

/// To float16, bfloat16, float32 and float64: to nearest even, once; infinity beyond the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ToFloat {
    /// From floats of at least 16 bits.
    pub(crate) float: FloatToFloat,
    /// From integers of at least 8 bits: exact, inexact in range, beyond the largest number.
    pub(crate) integer: [RuleId; 3],
    /// Whether rounding toward zero is tolerated for an inexact number in range to bfloat16, and
    /// the rule.
    pub(crate) to_bfloat16: (TowardZero, RuleId),
}

/// Between floats of at least 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FloatToFloat {
    pub(crate) exact: RuleId,
    pub(crate) zero: RuleId,
    pub(crate) infinity: RuleId,
    pub(crate) nan: RuleId,
    /// Inexact, in range.
    pub(crate) rounded: RuleId,
    /// Above the largest number, rounded back to it.
    pub(crate) back_to_largest: RuleId,
    pub(crate) overflow: RuleId,
    /// From float64 to 16 bits, where a rounding through float32 differs and is tolerated.
    pub(crate) twice: RuleId,
}

/// Is rounding toward zero tolerated?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TowardZero {
    Tolerated,
    Wrong,
}

/// A cast to the dtype of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SameDtype {
    pub(crate) float: RuleId,
    pub(crate) nan: (SameNan, RuleId),
    pub(crate) integer: RuleId,
}

/// What NaN becomes in a cast to its own dtype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SameNan {
    /// It stays; any other NaN is tolerated.
    Kept,
    Any,
}

/// To and from bool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bool {
    /// Floats that are zero, and all others.
    pub(crate) float: [RuleId; 2],
    /// Integers of at least 8 bits that are zero, and all others.
    pub(crate) integer: [RuleId; 2],
    pub(crate) same: RuleId,
    pub(crate) to_float: RuleId,
    pub(crate) to_integer: RuleId,
}

/// What infinity becomes in a float8 dtype under `saturate`: rules for the dtypes with an
/// infinity, for those with a negative zero but no infinity, and for the FNUZ dtypes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SaturatedInfinity {
    pub(crate) with_infinity: RuleId,
    pub(crate) without: RuleId,
    pub(crate) fnuz: (FnuzInfinity, RuleId),
}

/// What infinity becomes in an FNUZ dtype under `saturate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FnuzInfinity {
    /// NaN; the largest number is tolerated.
    Nan,
    Largest,
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
        let unknown = attributes.saturate.is_some() && !self.saturate
            || attributes.round_mode.is_some() && !self.round_mode;
        if let Some((dtype, _)) = missing {
            let named = self.refusals.dtypes.iter().rev().find(|(named, _)| *named == dtype);
            Some(named.map_or(self.refusals.dtype, |(_, rule)| *rule))
        } else if self.refused_pairs.contains(&(from, to)) {
            Some(self.refusals.pair)
        } else {
            unknown.then_some(self.refusals.attribute)
        }
    }
}
