//! Labels of the element types: a name and a storage width, nothing else.

use core::fmt;

/// An element type. Its name is the one used in every file, flag and report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "files", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "files", serde(rename_all = "lowercase"))]
#[allow(missing_docs, reason = "each variant is its own name")]
pub enum DType {
    Bool,
    Int2,
    Uint2,
    Int4,
    Uint4,
    Int8,
    Uint8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Int64,
    Uint64,
    Float4E2M1,
    Float6E2M3,
    Float6E3M2,
    Float8E4M3FN,
    Float8E4M3FNUZ,
    Float8E5M2,
    Float8E5M2FNUZ,
    Float8E8M0,
    Float16,
    Bfloat16,
    Float32,
    Float64,
    String,
    Complex64,
    Complex128,
    Qint8,
    Quint8,
    Qint16,
    Quint16,
    Qint32,
}

/// Label, name, storage bits of one element (0 where an element has no fixed width).
const TABLE: [(DType, &str, u32); 33] = [
    (DType::Bool, "bool", 8),
    (DType::Int2, "int2", 2),
    (DType::Uint2, "uint2", 2),
    (DType::Int4, "int4", 4),
    (DType::Uint4, "uint4", 4),
    (DType::Int8, "int8", 8),
    (DType::Uint8, "uint8", 8),
    (DType::Int16, "int16", 16),
    (DType::Uint16, "uint16", 16),
    (DType::Int32, "int32", 32),
    (DType::Uint32, "uint32", 32),
    (DType::Int64, "int64", 64),
    (DType::Uint64, "uint64", 64),
    (DType::Float4E2M1, "float4e2m1", 4),
    (DType::Float6E2M3, "float6e2m3", 6),
    (DType::Float6E3M2, "float6e3m2", 6),
    (DType::Float8E4M3FN, "float8e4m3fn", 8),
    (DType::Float8E4M3FNUZ, "float8e4m3fnuz", 8),
    (DType::Float8E5M2, "float8e5m2", 8),
    (DType::Float8E5M2FNUZ, "float8e5m2fnuz", 8),
    (DType::Float8E8M0, "float8e8m0", 8),
    (DType::Float16, "float16", 16),
    (DType::Bfloat16, "bfloat16", 16),
    (DType::Float32, "float32", 32),
    (DType::Float64, "float64", 64),
    (DType::String, "string", 0),
    (DType::Complex64, "complex64", 64),
    (DType::Complex128, "complex128", 128),
    (DType::Qint8, "qint8", 8),
    (DType::Quint8, "quint8", 8),
    (DType::Qint16, "qint16", 16),
    (DType::Quint16, "quint16", 16),
    (DType::Qint32, "qint32", 32),
];

impl DType {
    /// Every dtype, in the order of reports: bool, integers, floats by width, string, complex,
    /// quantized integers (which only bitcasts know).
    pub const ALL: [DType; TABLE.len()] = {
        let mut all = [DType::Bool; TABLE.len()];
        let mut i = 0;
        while i < TABLE.len() {
            assert!(TABLE[i].0 as usize == i, "TABLE stands in the order of the enum");
            all[i] = TABLE[i].0;
            i += 1;
        }
        all
    };

    /// The dtypes whose element is one number or truth value: everything but
    /// string, complex and quantized.
    pub const NUMERIC: &'static [DType] = DType::ALL.split_at(25).0;

    /// The name used in every file, flag and report.
    pub const fn name(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// Storage width of one element in bits; 0 for string.
    pub const fn bits(self) -> u32 {
        TABLE[self as usize].2
    }

    /// The dtypes that ONNX `Cast` knows in some version: the numeric ones and string.
    pub const CAST: &'static [DType] = DType::ALL.split_at(26).0;

    /// Is the element one number or truth value?
    pub fn is_numeric(self) -> bool {
        DType::NUMERIC.contains(&self)
    }

    /// Returns the dtype of the real and the imaginary part; `None` if this dtype is not complex.
    pub const fn part(self) -> Option<DType> {
        match self {
            DType::Complex64 => Some(DType::Float32),
            DType::Complex128 => Some(DType::Float64),
            _ => None,
        }
    }

    /// Returns a mask of every code that fits the storage width. Meaningful for numeric dtypes.
    pub const fn code_mask(self) -> u64 {
        match self.bits() {
            0 => 0,
            bits if bits >= 64 => u64::MAX,
            bits => (1 << bits) - 1,
        }
    }

    /// Returns the number of hex digits after `0x` in a code.
    pub const fn hex_digits(self) -> usize {
        self.bits().div_ceil(4) as usize
    }

    /// Returns a code as files and reports write it, e.g. `0x3c01`.
    #[cfg(feature = "files")]
    pub fn hex(self, code: u64) -> String {
        format!("0x{code:0width$x}", width = self.hex_digits())
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(feature = "files")]
impl std::str::FromStr for DType {
    type Err = String;

    fn from_str(name: &str) -> Result<DType, String> {
        DType::ALL.into_iter().find(|dtype| dtype.name() == name).ok_or_else(|| {
            let known: Vec<&str> = DType::ALL.iter().map(|dtype| dtype.name()).collect();
            format!("unknown dtype '{name}'; known are {}", known.join(", "))
        })
    }
}

#[cfg(all(test, feature = "files"))]
mod tests {
    use super::*;

    #[test]
    fn numeric_ends_where_string_begins() {
        assert_eq!(DType::NUMERIC.len(), 25);
        assert_eq!(DType::NUMERIC.last(), Some(&DType::Float64));
        assert!(!DType::String.is_numeric() && !DType::Complex64.is_numeric());
        assert_eq!(DType::CAST.last(), Some(&DType::String));
    }

    #[test]
    fn names_parse_back_and_serialise_as_themselves() {
        for dtype in DType::ALL {
            assert_eq!(dtype.name().parse::<DType>(), Ok(dtype));
            let json = serde_json::to_string(&dtype).expect("serialises");
            assert_eq!(json, format!("\"{}\"", dtype.name()));
        }
        assert!("float7".parse::<DType>().unwrap_err().contains("unknown dtype 'float7'"));
    }
}
