//! The classes of dtypes in specifications.

use castproof_vectors::DType;

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
    /// Floats whose overflow depends on `saturate`: the four float8 dtypes with a sign.
    Float8,
    /// float8e8m0.
    Scale,
    /// Floats that overflow to infinity with all attributes: float16 and all wider ones.
    WideFloat,
    /// string, complex and quantized dtypes.
    Other,
}

impl Class {
    pub(crate) fn of(dtype: DType) -> Class {
        use DType::*;
        // Listed, because it does not follow from the format: only some floats of 8 bits saturate.
        match dtype {
            Bool => Class::Bool,
            Int2 | Uint2 | Int4 | Uint4 => Class::NarrowInteger,
            Int8 | Uint8 | Int16 | Uint16 | Int32 | Uint32 | Int64 | Uint64 => Class::Integer,
            Float4E2M1 => Class::Float4,
            Float6E2M3 | Float6E3M2 => Class::Float6,
            Float8E4M3FN | Float8E4M3FNUZ | Float8E5M2 | Float8E5M2FNUZ => Class::Float8,
            Float8E8M0 => Class::Scale,
            Float16 | Bfloat16 | Float32 | Float64 => Class::WideFloat,
            String | Complex64 | Complex128 => Class::Other,
            Qint8 | Quint8 | Qint16 | Quint16 | Qint32 => Class::Other,
        }
    }
}
