//! A request with its formats and rules looked up.

use crate::format::{Kind, kind};
use crate::spec::Record;
use castproof_vectors::{DType, RoundMode};

/// What the rules need to know of a request.
#[derive(Clone)]
pub(crate) struct Plan {
    pub(crate) from: DType,
    pub(crate) to: DType,
    pub(crate) source: Kind,
    pub(crate) target: Kind,
    /// What the specification says.
    pub(crate) record: &'static Record,
    pub(crate) saturate: bool,
    pub(crate) round_mode: RoundMode,
}

/// The classes of dtypes between which the specification draws its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Bool,
    /// 2- and 4-bit integers.
    NarrowInteger,
    /// 8- to 64-bit integers.
    Integer,
    Float4,
    Float6,
    /// The four float8 dtypes with a sign.
    Float8,
    /// float8e8m0.
    Scale,
    /// float16, bfloat16, float32, float64.
    WideFloat,
    /// string and complex.
    Other,
}

impl Class {
    pub(crate) fn of(dtype: DType) -> Class {
        match (kind(dtype), dtype.bits()) {
            (None, _) => Class::Other,
            (Some(Kind::Bool), _) => Class::Bool,
            (Some(Kind::Integer(_)), 2 | 4) => Class::NarrowInteger,
            (Some(Kind::Integer(_)), _) => Class::Integer,
            (Some(Kind::Float(_)), 4) => Class::Float4,
            (Some(Kind::Float(_)), 6) => Class::Float6,
            (Some(Kind::Float(format)), 8) if format.signed => Class::Float8,
            (Some(Kind::Float(_)), 8) => Class::Scale,
            (Some(Kind::Float(_)), _) => Class::WideFloat,
        }
    }
}
