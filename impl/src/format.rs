//! The float formats with a sign, an exponent and a significand, as constants; float8e8m0, which
//! has only an exponent, is in `power_of_two`.

/// The constants of a format. Codes are magnitudes, without the sign bit, unless said otherwise.
#[derive(Clone, Copy)]
pub(crate) struct Format {
    /// Bits of the exponent field.
    pub(crate) exponent_bits: u32,
    /// Bits of the significand field: those after the leading one.
    pub(crate) significand_bits: u32,
    /// What is subtracted from the exponent field of a normal number.
    pub(crate) bias: i32,
    /// Which codes are not finite numbers.
    pub(crate) specials: Specials,
    /// The result of a value beyond the largest finite one.
    pub(crate) overflow: Overflow,
}

/// Which codes are not finite numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Specials {
    /// All exponent bits set: significand zero is infinity, any other is NaN.
    Ieee,
    /// All bits set is NaN; no infinity.
    AllOnesNan,
    /// The sign bit alone is NaN; no infinity and no negative zero.
    NegativeZeroNan,
    /// Every code is a finite number.
    None,
}

/// The result of a value beyond the largest finite one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overflow {
    /// Infinity (FF-05, IF-03).
    Infinity,
    /// As the attribute `saturate` says (F8-S09, F8-N07 to F8-N09).
    Attribute,
    /// The largest finite value (F4-03, F6-03).
    Maximum,
}

impl Format {
    /// The sign bit.
    pub(crate) const fn sign(self) -> u64 {
        1 << (self.exponent_bits + self.significand_bits)
    }

    /// All bits below the sign.
    pub(crate) const fn magnitude_mask(self) -> u64 {
        self.sign() - 1
    }

    /// The exponent of the smallest normal number; subnormal numbers share it.
    pub(crate) const fn min_exponent(self) -> i32 {
        1 - self.bias
    }

    /// The exponent of the largest finite value.
    pub(crate) const fn max_exponent(self) -> i32 {
        (self.max() >> self.significand_bits) as i32 - self.bias
    }

    /// All exponent bits set, significand zero: infinity where the format is like IEEE 754.
    pub(crate) const fn exponent_mask(self) -> u64 {
        self.magnitude_mask() - ((1 << self.significand_bits) - 1)
    }

    /// The largest finite value.
    pub(crate) const fn max(self) -> u64 {
        match self.specials {
            Specials::Ieee => self.exponent_mask() - 1,
            Specials::AllOnesNan => self.magnitude_mask() - 1,
            Specials::NegativeZeroNan | Specials::None => self.magnitude_mask(),
        }
    }

    /// The quiet NaN without payload. In a `NegativeZeroNan` format it is the sign bit alone. In a
    /// format without NaN, [`Ends`](crate::rules::Ends) says what NaN becomes.
    pub(crate) const fn nan(self) -> u64 {
        match self.specials {
            Specials::Ieee => self.exponent_mask() | (1 << (self.significand_bits - 1)),
            Specials::AllOnesNan | Specials::None => self.magnitude_mask(),
            Specials::NegativeZeroNan => self.sign(),
        }
    }

    /// Replaces infinity by the largest finite value in a code with its sign. All other codes stay,
    /// NaN payloads included (F8-S08). For formats like IEEE 754.
    pub(crate) const fn saturate_infinity(self, code: u64) -> u64 {
        if code & self.magnitude_mask() == self.exponent_mask() { code - 1 } else { code }
    }

    /// The result of an overflow that does not saturate: infinity, or NaN in formats without
    /// infinity.
    pub(crate) const fn infinity_or_nan(self) -> u64 {
        match self.specials {
            Specials::Ieee => self.exponent_mask(),
            _ => self.nan(),
        }
    }
}

/// A type that stands for a format, so that every format gets loops of its own.
pub(crate) trait FloatFormat {
    /// Its constants.
    const FORMAT: Format;
}

/// Chooses the format of a dtype and gives an expression of the format's type, or else another
/// expression for dtypes without a format. A macro, because types differ. It names every dtype, so
/// that a new dtype does not compile until it has a place here.
macro_rules! by_format {
    ($dtype:expr, $format:ident => $value:expr, else $other:expr) => {
        match $dtype {
            DType::Float4E2M1 => {
                use $crate::format::Float4E2M1 as $format;
                $value
            }
            DType::Float6E2M3 => {
                use $crate::format::Float6E2M3 as $format;
                $value
            }
            DType::Float6E3M2 => {
                use $crate::format::Float6E3M2 as $format;
                $value
            }
            DType::Float8E4M3FN => {
                use $crate::format::Float8E4M3FN as $format;
                $value
            }
            DType::Float8E4M3FNUZ => {
                use $crate::format::Float8E4M3FNUZ as $format;
                $value
            }
            DType::Float8E5M2 => {
                use $crate::format::Float8E5M2 as $format;
                $value
            }
            DType::Float8E5M2FNUZ => {
                use $crate::format::Float8E5M2FNUZ as $format;
                $value
            }
            DType::Float16 => {
                use $crate::format::Float16 as $format;
                $value
            }
            DType::Bfloat16 => {
                use $crate::format::BFloat16 as $format;
                $value
            }
            DType::Float32 => {
                use $crate::format::Float32 as $format;
                $value
            }
            DType::Float64 => {
                use $crate::format::Float64 as $format;
                $value
            }
            DType::Bool
            | DType::Int2
            | DType::Uint2
            | DType::Int4
            | DType::Uint4
            | DType::Int8
            | DType::Uint8
            | DType::Int16
            | DType::Uint16
            | DType::Int32
            | DType::Uint32
            | DType::Int64
            | DType::Uint64
            | DType::Float8E8M0
            | DType::String
            | DType::Complex64
            | DType::Complex128
            | DType::Qint8
            | DType::Quint8
            | DType::Qint16
            | DType::Quint16
            | DType::Qint32 => $other,
        }
    };
}
pub(crate) use by_format;

pub(crate) enum Float64 {}
impl FloatFormat for Float64 {
    const FORMAT: Format = Format {
        exponent_bits: 11,
        significand_bits: 52,
        bias: 1023,
        specials: Specials::Ieee,
        overflow: Overflow::Infinity,
    };
}

pub(crate) enum Float32 {}
impl FloatFormat for Float32 {
    const FORMAT: Format = Format {
        exponent_bits: 8,
        significand_bits: 23,
        bias: 127,
        specials: Specials::Ieee,
        overflow: Overflow::Infinity,
    };
}

pub(crate) enum Float16 {}
impl FloatFormat for Float16 {
    const FORMAT: Format = Format {
        exponent_bits: 5,
        significand_bits: 10,
        bias: 15,
        specials: Specials::Ieee,
        overflow: Overflow::Infinity,
    };
}

pub(crate) enum BFloat16 {}
impl FloatFormat for BFloat16 {
    const FORMAT: Format = Format {
        exponent_bits: 8,
        significand_bits: 7,
        bias: 127,
        specials: Specials::Ieee,
        overflow: Overflow::Infinity,
    };
}

pub(crate) enum Float8E4M3FN {}
impl FloatFormat for Float8E4M3FN {
    const FORMAT: Format = Format {
        exponent_bits: 4,
        significand_bits: 3,
        bias: 7,
        specials: Specials::AllOnesNan,
        overflow: Overflow::Attribute,
    };
}

pub(crate) enum Float8E4M3FNUZ {}
impl FloatFormat for Float8E4M3FNUZ {
    const FORMAT: Format = Format {
        exponent_bits: 4,
        significand_bits: 3,
        bias: 8,
        specials: Specials::NegativeZeroNan,
        overflow: Overflow::Attribute,
    };
}

pub(crate) enum Float8E5M2 {}
impl FloatFormat for Float8E5M2 {
    const FORMAT: Format = Format {
        exponent_bits: 5,
        significand_bits: 2,
        bias: 15,
        specials: Specials::Ieee,
        overflow: Overflow::Attribute,
    };
}

pub(crate) enum Float8E5M2FNUZ {}
impl FloatFormat for Float8E5M2FNUZ {
    const FORMAT: Format = Format {
        exponent_bits: 5,
        significand_bits: 2,
        bias: 16,
        specials: Specials::NegativeZeroNan,
        overflow: Overflow::Attribute,
    };
}

pub(crate) enum Float6E2M3 {}
impl FloatFormat for Float6E2M3 {
    const FORMAT: Format = Format {
        exponent_bits: 2,
        significand_bits: 3,
        bias: 1,
        specials: Specials::None,
        overflow: Overflow::Maximum,
    };
}

pub(crate) enum Float6E3M2 {}
impl FloatFormat for Float6E3M2 {
    const FORMAT: Format = Format {
        exponent_bits: 3,
        significand_bits: 2,
        bias: 3,
        specials: Specials::None,
        overflow: Overflow::Maximum,
    };
}

pub(crate) enum Float4E2M1 {}
impl FloatFormat for Float4E2M1 {
    const FORMAT: Format = Format {
        exponent_bits: 2,
        significand_bits: 1,
        bias: 1,
        specials: Specials::None,
        overflow: Overflow::Maximum,
    };
}
