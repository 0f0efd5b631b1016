//! What a code of each dtype means: one record per dtype.

use castproof_vectors::DType;

/// How codes of a dtype are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeKind {
    /// One byte, 0 or 1.
    Bool,
    /// Two's complement if signed.
    Integer(IntegerFormat),
    /// Sign, exponent field, significand field.
    Float(FloatFormat),
}

/// An integer format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerFormat {
    /// Width in bits.
    pub bits: u32,
    /// Two's complement?
    pub signed: bool,
}

/// A binary floating-point format, described by the properties in which such formats differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatFormat {
    /// Is the top bit a sign?
    pub signed: bool,
    /// Width of the exponent field.
    pub exponent_bits: u32,
    /// Width of the significand field; the leading bit of a normal number is not stored.
    pub significand_bits: u32,
    /// Exponent field of 1.0.
    pub bias: i32,
    /// Does the exponent field of all ones with a zero significand mean infinity?
    pub infinities: bool,
    /// Which codes are NaN.
    pub nan: NanEncoding,
    /// Which codes are zero.
    pub zero: ZeroEncoding,
}

/// Which codes of a float format are NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NanEncoding {
    /// No code.
    None,
    /// Exponent field all ones, significand field not zero (IEEE 754).
    TopBinade,
    /// Every bit but the sign is one.
    AllOnes,
    /// The sign bit alone: the code that would be negative zero.
    NegativeZero,
}

/// Which codes of a float format are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZeroEncoding {
    /// Positive and negative zero; exponent field 0 is subnormal.
    Signed,
    /// One zero, without sign; exponent field 0 is subnormal.
    Unsigned,
    /// No zero and no subnormals: exponent field 0 is a binade like any other.
    None,
}

/// The record of a dtype; `None` for string, complex and quantized dtypes.
pub fn kind(dtype: DType) -> Option<CodeKind> {
    let integer = |signed| Some(CodeKind::Integer(IntegerFormat { bits: dtype.bits(), signed }));
    match dtype {
        DType::Bool => Some(CodeKind::Bool),
        DType::Int2 | DType::Int4 | DType::Int8 | DType::Int16 | DType::Int32 | DType::Int64 => {
            integer(true)
        }
        DType::Uint2
        | DType::Uint4
        | DType::Uint8
        | DType::Uint16
        | DType::Uint32
        | DType::Uint64 => integer(false),
        DType::Float64 => Some(CodeKind::Float(FLOAT64)),
        DType::Float32 => Some(CodeKind::Float(FLOAT32)),
        DType::Float16 => Some(CodeKind::Float(FLOAT16)),
        DType::Bfloat16 => Some(CodeKind::Float(BFLOAT16)),
        DType::Float8E4M3FN => Some(CodeKind::Float(FLOAT8E4M3FN)),
        DType::Float8E4M3FNUZ => Some(CodeKind::Float(FLOAT8E4M3FNUZ)),
        DType::Float8E5M2 => Some(CodeKind::Float(FLOAT8E5M2)),
        DType::Float8E5M2FNUZ => Some(CodeKind::Float(FLOAT8E5M2FNUZ)),
        DType::Float8E8M0 => Some(CodeKind::Float(FLOAT8E8M0)),
        DType::Float6E2M3 => Some(CodeKind::Float(FLOAT6E2M3)),
        DType::Float6E3M2 => Some(CodeKind::Float(FLOAT6E3M2)),
        DType::Float4E2M1 => Some(CodeKind::Float(FLOAT4E2M1)),
        DType::String | DType::Complex64 | DType::Complex128 => None,
        DType::Qint8 | DType::Quint8 | DType::Qint16 | DType::Quint16 | DType::Qint32 => None,
    }
}

/// The format of a dtype of floats; `None` for every other dtype.
pub fn float_format(dtype: DType) -> Option<FloatFormat> {
    match kind(dtype) {
        Some(CodeKind::Float(format)) => Some(format),
        _ => None,
    }
}

/// IEEE 754 binary64.
pub const FLOAT64: FloatFormat = FloatFormat {
    signed: true,
    exponent_bits: 11,
    significand_bits: 52,
    bias: 1023,
    infinities: true,
    nan: NanEncoding::TopBinade,
    zero: ZeroEncoding::Signed,
};

/// IEEE 754 binary32.
pub const FLOAT32: FloatFormat =
    FloatFormat { exponent_bits: 8, significand_bits: 23, bias: 127, ..FLOAT64 };

/// IEEE 754 binary16.
pub const FLOAT16: FloatFormat =
    FloatFormat { exponent_bits: 5, significand_bits: 10, bias: 15, ..FLOAT64 };

/// binary32 with 16 significand bits fewer.
const BFLOAT16: FloatFormat = FloatFormat { significand_bits: 7, ..FLOAT32 };

/// No infinities; the code of all ones is the only NaN of its sign.
const FLOAT8E4M3FN: FloatFormat = FloatFormat {
    signed: true,
    exponent_bits: 4,
    significand_bits: 3,
    bias: 7,
    infinities: false,
    nan: NanEncoding::AllOnes,
    zero: ZeroEncoding::Signed,
};

/// No infinities, no negative zero, one NaN; every other code is finite.
const FLOAT8E4M3FNUZ: FloatFormat = FloatFormat {
    bias: 8,
    nan: NanEncoding::NegativeZero,
    zero: ZeroEncoding::Unsigned,
    ..FLOAT8E4M3FN
};

/// IEEE 754 in eight bits.
const FLOAT8E5M2: FloatFormat =
    FloatFormat { exponent_bits: 5, significand_bits: 2, bias: 15, ..FLOAT64 };

/// As [`FLOAT8E4M3FNUZ`], with five exponent bits.
const FLOAT8E5M2FNUZ: FloatFormat =
    FloatFormat { exponent_bits: 5, significand_bits: 2, bias: 16, ..FLOAT8E4M3FNUZ };

/// Powers of two and NaN: a scale without sign, zero or infinity.
const FLOAT8E8M0: FloatFormat = FloatFormat {
    signed: false,
    exponent_bits: 8,
    significand_bits: 0,
    bias: 127,
    infinities: false,
    nan: NanEncoding::AllOnes,
    zero: ZeroEncoding::None,
};

/// Every code is finite.
const FLOAT6E2M3: FloatFormat = FloatFormat {
    signed: true,
    exponent_bits: 2,
    significand_bits: 3,
    bias: 1,
    infinities: false,
    nan: NanEncoding::None,
    zero: ZeroEncoding::Signed,
};

/// Every code is finite.
const FLOAT6E3M2: FloatFormat =
    FloatFormat { exponent_bits: 3, significand_bits: 2, bias: 3, ..FLOAT6E2M3 };

/// Every code is finite.
const FLOAT4E2M1: FloatFormat = FloatFormat { significand_bits: 1, ..FLOAT6E2M3 };

impl IntegerFormat {
    /// Value bits, the sign not counted.
    pub fn magnitude_bits(&self) -> u32 {
        self.bits - u32::from(self.signed)
    }
}

impl FloatFormat {
    /// Exponent and significand field together.
    pub fn magnitude_bits(&self) -> u32 {
        self.exponent_bits + self.significand_bits
    }

    /// The sign bit; 0 where there is none.
    pub fn sign_bit(&self) -> u64 {
        u64::from(self.signed) << self.magnitude_bits()
    }

    /// The code with every bit set but the sign.
    pub fn magnitude_mask(&self) -> u64 {
        (1 << self.magnitude_bits()) - 1
    }

    /// The code of an exponent field of all ones with a zero significand field.
    pub fn top_binade(&self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.significand_bits
    }

    /// Code of the largest finite number.
    pub fn largest_code(&self) -> u64 {
        match self.nan {
            NanEncoding::TopBinade => self.top_binade() - 1,
            NanEncoding::AllOnes => self.magnitude_mask() - 1,
            NanEncoding::None | NanEncoding::NegativeZero => self.magnitude_mask(),
        }
    }

    /// Does exponent field 0 mean subnormal numbers and zero?
    pub fn has_subnormals(&self) -> bool {
        self.zero != ZeroEncoding::None
    }

    /// Exponent of the smallest normal number.
    pub fn min_exponent(&self) -> i32 {
        if self.has_subnormals() { 1 - self.bias } else { -self.bias }
    }

    /// Exponent of the unit in the last place of numbers whose exponent is `exponent`.
    pub fn quantum(&self, exponent: i32) -> i32 {
        exponent.max(self.min_exponent()) - self.significand_bits as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use castproof_vectors::DTypeClass;

    /// The label of a dtype says what its elements are; the records say it for themselves.
    #[test]
    fn records_are_of_the_class_of_the_dtype() {
        for dtype in DType::ALL {
            let due = match (dtype.class(), kind(dtype)) {
                (DTypeClass::Bool, Some(CodeKind::Bool)) => true,
                (DTypeClass::Integer { signed }, Some(CodeKind::Integer(format))) => {
                    format == IntegerFormat { bits: dtype.bits(), signed }
                }
                (DTypeClass::Float, Some(CodeKind::Float(format))) => {
                    format.signed && format.significand_bits > 0
                }
                (DTypeClass::PowerOfTwo, Some(CodeKind::Float(format))) => {
                    !format.signed && format.significand_bits == 0
                }
                (class, None) => !class.is_numeric(),
                _ => false,
            };
            assert!(due, "oracle/src/format.rs has {dtype} in another class");
            if let Some(CodeKind::Float(format)) = kind(dtype) {
                let bits = format.magnitude_bits() + u32::from(format.signed);
                assert_eq!(bits, dtype.bits(), "{dtype}");
            }
        }
    }
}
