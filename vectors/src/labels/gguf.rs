//! The types of GGUF files: elements packed in blocks, as ggml stores them.

/// A type of GGUF, by the name that ggml gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "files", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "the names are ggml's")]
pub enum GgufType {
    /// float16, one by one
    F16,
    /// 4 bits and a scale
    Q4_0,
    /// 4 bits, a scale and a minimum
    Q4_1,
    /// 5 bits and a scale
    Q5_0,
    /// 5 bits, a scale and a minimum
    Q5_1,
    /// 8 bits and a scale
    Q8_0,
    /// 8 bits, a scale and a sum
    Q8_1,
    /// 2 bits, scales and minima of 4 bits
    Q2_K,
    /// 3 bits, scales of 6 bits
    Q3_K,
    /// 4 bits, scales and minima of 6 bits
    Q4_K,
    /// 5 bits, scales and minima of 6 bits
    Q5_K,
    /// 6 bits, scales of 8 bits
    Q6_K,
    /// 8 bits, a scale of float32 and sums
    Q8_K,
    /// 4 bits that name a row of a table, and a scale
    IQ4_NL,
    /// 4 bits that name a row of a table, scales of 6 bits
    IQ4_XS,
    /// bfloat16, one by one
    BF16,
    /// five of -1, 0 and 1 in a byte
    TQ1_0,
    /// -1, 0, 1 or 2 in 2 bits
    TQ2_0,
    /// float4e2m1 under a power of two
    MXFP4,
    /// float4e2m1 under a scale of float8e4m3fn without sign
    NVFP4,
    /// a sign and a scale
    Q1_0,
    /// 2 bits and a scale
    Q2_0,
}

/// What is said of a type: its number in files, and what a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GgufRecord {
    /// The type.
    pub kind: GgufType,
    /// The name in ggml.
    pub name: &'static str,
    /// The number in GGUF files.
    pub id: u32,
    /// How many elements a block holds.
    pub elements: usize,
    /// How many bytes a block takes.
    pub bytes: usize,
    /// The fields of a block in their order, each with its first byte, for people to read.
    pub layout: &'static str,
}

const fn row(
    (kind, name, id): (GgufType, &'static str, u32),
    (elements, bytes): (usize, usize),
    layout: &'static str,
) -> GgufRecord {
    GgufRecord { kind, name, id, elements, bytes, layout }
}

impl GgufType {
    /// What is said of each type, in the order of their numbers.
    pub const TABLE: [GgufRecord; 22] = [
        row((GgufType::F16, "F16", 1), (1, 2), "float16"),
        row((GgufType::Q4_0, "Q4_0", 2), (32, 18), "d@0, 4 bits@2"),
        row((GgufType::Q4_1, "Q4_1", 3), (32, 20), "d@0, m@2, 4 bits@4"),
        row((GgufType::Q5_0, "Q5_0", 6), (32, 22), "d@0, fifth bits@2, 4 bits@6"),
        row((GgufType::Q5_1, "Q5_1", 7), (32, 24), "d@0, m@2, fifth bits@4, 4 bits@8"),
        row((GgufType::Q8_0, "Q8_0", 8), (32, 34), "d@0, int8@2"),
        row((GgufType::Q8_1, "Q8_1", 9), (32, 36), "d@0, sum@2, int8@4"),
        row((GgufType::Q2_K, "Q2_K", 10), (256, 84), "scales@0, 2 bits@16, d@80, dmin@82"),
        row((GgufType::Q3_K, "Q3_K", 11), (256, 110), "third bits@0, 2 bits@32, scales@96, d@108"),
        row((GgufType::Q4_K, "Q4_K", 12), (256, 144), "d@0, dmin@2, scales@4, 4 bits@16"),
        row(
            (GgufType::Q5_K, "Q5_K", 13),
            (256, 176),
            "d@0, dmin@2, scales@4, fifth bits@16, 4 bits@48",
        ),
        row(
            (GgufType::Q6_K, "Q6_K", 14),
            (256, 210),
            "4 bits@0, upper 2 bits@128, scales@192, d@208",
        ),
        row((GgufType::Q8_K, "Q8_K", 15), (256, 292), "d of float32@0, int8@4, sums@260"),
        row((GgufType::IQ4_NL, "IQ4_NL", 20), (32, 18), "d@0, 4 bits@2"),
        row(
            (GgufType::IQ4_XS, "IQ4_XS", 23),
            (256, 136),
            "d@0, upper bits of scales@2, lower@4, 4 bits@8",
        ),
        row((GgufType::BF16, "BF16", 30), (1, 2), "bfloat16"),
        row((GgufType::TQ1_0, "TQ1_0", 34), (256, 54), "fives@0, fours@48, d@52"),
        row((GgufType::TQ2_0, "TQ2_0", 35), (256, 66), "2 bits@0, d@64"),
        row((GgufType::MXFP4, "MXFP4", 39), (32, 17), "exponent@0, 4 bits@1"),
        row((GgufType::NVFP4, "NVFP4", 40), (64, 36), "4 scales@0, 4 bits@4"),
        row((GgufType::Q1_0, "Q1_0", 41), (128, 18), "d@0, 1 bit@2"),
        row((GgufType::Q2_0, "Q2_0", 42), (64, 18), "d@0, 2 bits@2"),
    ];

    /// What is said of this type.
    pub const fn record(self) -> &'static GgufRecord {
        &GgufType::TABLE[self as usize]
    }

    /// All of them, in the order of their numbers.
    pub fn all() -> impl Iterator<Item = GgufType> {
        GgufType::TABLE.iter().map(|row| row.kind)
    }

    /// The name that files and reports use.
    pub const fn name(self) -> &'static str {
        self.record().name
    }
}

#[cfg(feature = "files")]
impl std::str::FromStr for GgufType {
    type Err = String;

    /// Reads a name, in either case.
    fn from_str(name: &str) -> Result<GgufType, String> {
        GgufType::all().find(|kind| kind.name().eq_ignore_ascii_case(name)).ok_or_else(|| {
            let known: Vec<&str> = GgufType::all().map(GgufType::name).collect();
            format!("unknown type '{name}' of GGUF; known are {}", known.join(", "))
        })
    }
}

impl core::fmt::Display for GgufType {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(all(test, feature = "files"))]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_its_row() {
        for (place, record) in GgufType::TABLE.iter().enumerate() {
            assert_eq!(record.kind as usize, place, "{}", record.name);
            assert_eq!(record.kind.record(), record);
            let written = serde_json::to_string(&record.kind).expect("a word");
            assert_eq!(written, format!("{:?}", record.name));
            assert_eq!(record.name.to_lowercase().parse(), Ok(record.kind));
        }
        assert!(GgufType::TABLE.is_sorted_by(|one, other| one.id < other.id));
        let said = "Q4".parse::<GgufType>().expect_err("no type");
        assert!(said.starts_with("unknown type 'Q4' of GGUF; known are F16, Q4_0,"), "{said}");
    }
}
