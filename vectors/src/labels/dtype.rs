//! Labels of the element types: a name, a storage width and a class, nothing else.

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

/// What the elements of a dtype are. How their codes are read is stated by the oracle, by the
/// implementation and by the landmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DTypeClass {
    /// A truth value.
    Bool,
    /// An integer.
    Integer {
        /// Are there negative ones?
        signed: bool,
    },
    /// A float with sign and significand.
    Float,
    /// A power of two, without sign.
    PowerOfTwo,
    /// A text.
    String,
    /// A real and an imaginary part.
    Complex {
        /// The dtype of each.
        part: DType,
    },
    /// An integer that stands for a real number.
    Quantized {
        /// Are there negative ones?
        signed: bool,
    },
}

const SIGNED: DTypeClass = DTypeClass::Integer { signed: true };
const UNSIGNED: DTypeClass = DTypeClass::Integer { signed: false };

/// Label, name, storage bits of one element (0 where an element has no fixed width), class.
const TABLE: [(DType, &str, u32, DTypeClass); 33] = [
    (DType::Bool, "bool", 8, DTypeClass::Bool),
    (DType::Int2, "int2", 2, SIGNED),
    (DType::Uint2, "uint2", 2, UNSIGNED),
    (DType::Int4, "int4", 4, SIGNED),
    (DType::Uint4, "uint4", 4, UNSIGNED),
    (DType::Int8, "int8", 8, SIGNED),
    (DType::Uint8, "uint8", 8, UNSIGNED),
    (DType::Int16, "int16", 16, SIGNED),
    (DType::Uint16, "uint16", 16, UNSIGNED),
    (DType::Int32, "int32", 32, SIGNED),
    (DType::Uint32, "uint32", 32, UNSIGNED),
    (DType::Int64, "int64", 64, SIGNED),
    (DType::Uint64, "uint64", 64, UNSIGNED),
    (DType::Float4E2M1, "float4e2m1", 4, DTypeClass::Float),
    (DType::Float6E2M3, "float6e2m3", 6, DTypeClass::Float),
    (DType::Float6E3M2, "float6e3m2", 6, DTypeClass::Float),
    (DType::Float8E4M3FN, "float8e4m3fn", 8, DTypeClass::Float),
    (DType::Float8E4M3FNUZ, "float8e4m3fnuz", 8, DTypeClass::Float),
    (DType::Float8E5M2, "float8e5m2", 8, DTypeClass::Float),
    (DType::Float8E5M2FNUZ, "float8e5m2fnuz", 8, DTypeClass::Float),
    (DType::Float8E8M0, "float8e8m0", 8, DTypeClass::PowerOfTwo),
    (DType::Float16, "float16", 16, DTypeClass::Float),
    (DType::Bfloat16, "bfloat16", 16, DTypeClass::Float),
    (DType::Float32, "float32", 32, DTypeClass::Float),
    (DType::Float64, "float64", 64, DTypeClass::Float),
    (DType::String, "string", 0, DTypeClass::String),
    (DType::Complex64, "complex64", 64, DTypeClass::Complex { part: DType::Float32 }),
    (DType::Complex128, "complex128", 128, DTypeClass::Complex { part: DType::Float64 }),
    (DType::Qint8, "qint8", 8, DTypeClass::Quantized { signed: true }),
    (DType::Quint8, "quint8", 8, DTypeClass::Quantized { signed: false }),
    (DType::Qint16, "qint16", 16, DTypeClass::Quantized { signed: true }),
    (DType::Quint16, "quint16", 16, DTypeClass::Quantized { signed: false }),
    (DType::Qint32, "qint32", 32, DTypeClass::Quantized { signed: true }),
];

impl DTypeClass {
    /// Is an element one number or truth value?
    pub const fn is_numeric(self) -> bool {
        match self {
            DTypeClass::Bool
            | DTypeClass::Integer { .. }
            | DTypeClass::Float
            | DTypeClass::PowerOfTwo => true,
            DTypeClass::String | DTypeClass::Complex { .. } | DTypeClass::Quantized { .. } => false,
        }
    }
}

/// How many numeric dtypes there are. They stand first, and string stands next.
const NUMERIC: usize = {
    let mut count = 0;
    while TABLE[count].3.is_numeric() {
        count += 1;
    }
    assert!(matches!(TABLE[count].3, DTypeClass::String), "string follows the numeric dtypes");
    let mut i = count;
    while i < TABLE.len() {
        assert!(!TABLE[i].3.is_numeric(), "numeric dtypes stand before string");
        i += 1;
    }
    count
};

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
    pub const NUMERIC: &'static [DType] = DType::ALL.split_at(NUMERIC).0;

    /// The name used in every file, flag and report.
    pub const fn name(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// Storage width of one element in bits; 0 for string.
    pub const fn bits(self) -> u32 {
        TABLE[self as usize].2
    }

    /// The dtypes that ONNX `Cast` knows in some version: the numeric ones and string.
    pub const CAST: &'static [DType] = DType::ALL.split_at(NUMERIC + 1).0;

    /// What its elements are.
    pub const fn class(self) -> DTypeClass {
        TABLE[self as usize].3
    }

    /// Is the element one number or truth value?
    pub const fn is_numeric(self) -> bool {
        self.class().is_numeric()
    }

    /// Is it an integer of plain codes, neither quantized nor bool?
    pub const fn is_integer(self) -> bool {
        matches!(self.class(), DTypeClass::Integer { .. })
    }

    /// Is it a float, with or without significand?
    pub const fn is_float(self) -> bool {
        matches!(self.class(), DTypeClass::Float | DTypeClass::PowerOfTwo)
    }

    /// Are there negative elements?
    pub const fn is_signed(self) -> bool {
        match self.class() {
            DTypeClass::Integer { signed } | DTypeClass::Quantized { signed } => signed,
            DTypeClass::Float | DTypeClass::Complex { .. } => true,
            DTypeClass::Bool | DTypeClass::PowerOfTwo | DTypeClass::String => false,
        }
    }

    /// Returns the dtype of the real and the imaginary part; `None` if this dtype is not complex.
    pub const fn part(self) -> Option<DType> {
        match self.class() {
            DTypeClass::Complex { part } => Some(part),
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

    /// Names and widths of classes follow each other.
    #[test]
    fn classes_are_those_of_the_names() {
        for dtype in DType::ALL {
            let name = dtype.name();
            let class = match name.trim_end_matches(|letter: char| letter.is_ascii_digit()) {
                "bool" => DTypeClass::Bool,
                "int" => SIGNED,
                "uint" => UNSIGNED,
                "string" => DTypeClass::String,
                "qint" => DTypeClass::Quantized { signed: true },
                "quint" => DTypeClass::Quantized { signed: false },
                "complex" => {
                    let part = format!("float{}", dtype.bits() / 2);
                    DTypeClass::Complex { part: part.parse().expect("a float") }
                }
                // E8M0: eight bits of exponent, none of significand.
                _ if name.contains("m0") => DTypeClass::PowerOfTwo,
                _ => DTypeClass::Float,
            };
            assert_eq!(dtype.class(), class, "{name}");
        }
        let signed = DType::ALL.into_iter().filter(|dtype| dtype.is_signed());
        assert_eq!(signed.count(), 6 + 11 + 2 + 3, "integers, floats, complex, quantized");
        assert!(!DType::Float8E8M0.is_signed() && DType::Float8E8M0.is_float());
        assert!(DType::Uint2.is_integer() && !DType::Quint8.is_integer());
    }

    /// The reader of files lists the dtypes that it knows; a dtype that the table forgets is one.
    #[test]
    fn the_table_names_every_dtype() {
        let said = serde_json::from_str::<DType>("\"?\"").unwrap_err().to_string();
        let known: Vec<&str> = said.split('`').skip(3).step_by(2).collect();
        assert_eq!(known, DType::ALL.map(DType::name));
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
