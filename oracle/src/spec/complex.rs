//! The rules of frameworks for casts from and to complex dtypes.

use crate::promotion::DTYPES;
use castproof_vectors::{DType, RuleId, rule};

/// The rules of a framework for casts from and to complex dtypes.
pub(crate) struct ComplexRecord {
    /// The one basic real dtype that it lacks, if any.
    pub(crate) lacks: Option<DType>,
    pub(crate) truth: (Truth, RuleId),
    /// Complex to real: the real part, cast.
    pub(crate) to_real: RuleId,
    /// Complex to real, where the cast of the real part is undefined.
    pub(crate) undefined: RuleId,
    /// Real to complex: the imaginary part is 0.
    pub(crate) from_real: RuleId,
    /// Complex to complex: each part, cast.
    pub(crate) between: RuleId,
}

/// What decides whether a complex number is true.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Truth {
    RealPart,
    EitherPart,
}

impl ComplexRecord {
    /// The real dtypes that are cast from and to complex ones.
    pub(crate) fn real_dtypes(&self) -> impl Iterator<Item = DType> {
        let lacks = self.lacks;
        let known = move |dtype: &DType| dtype.part().is_none() && Some(*dtype) != lacks;
        DTYPES.into_iter().filter(known)
    }
}

pub(super) static TENSORFLOW: ComplexRecord = ComplexRecord {
    lacks: None,
    truth: (Truth::RealPart, rule::TF_C03),
    to_real: rule::TF_C01,
    undefined: rule::TF_C04,
    from_real: rule::TF_C02,
    between: rule::TF_C08,
};

pub(super) static MINDSPORE: ComplexRecord = ComplexRecord {
    lacks: None,
    truth: (Truth::RealPart, rule::MC_02),
    to_real: rule::MC_01,
    undefined: rule::MC_05,
    from_real: rule::MC_03,
    between: rule::MC_04,
};

pub(super) static NUMPY: ComplexRecord = ComplexRecord {
    lacks: Some(DType::Bfloat16),
    truth: (Truth::EitherPart, rule::NP_02),
    to_real: rule::NP_01,
    undefined: rule::NP_05,
    from_real: rule::NP_03,
    between: rule::NP_04,
};
