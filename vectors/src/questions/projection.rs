//! Questions about conversions between formats by parameters: codes, each with random bits where the rounding takes them.

use crate::{Conversion, Edition, Outcome, RoundingMode, Saturation};
use serde::{Deserialize, Serialize};

/// Codes of a format that become codes of another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Project {
    /// Name of the format of the codes that are given, such as `binary8p4se`.
    pub from: String,
    /// Name of the format of the codes that are due.
    pub to: String,
    /// To which of its two neighbours a number goes.
    pub rounding: RoundingMode,
    /// What a number beyond the largest becomes.
    pub saturation: Saturation,
    /// The text of P3109 that holds where two differ; absent: the report 4.0.
    #[serde(default, skip_serializing_if = "is_report")]
    pub edition: Edition,
    /// How many random bits each code has; absent for a rounding that takes none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub random_bits: u32,
    /// The codes.
    pub input: FormatCodes,
    /// A random number for each code; absent for a rounding that takes none.
    #[serde(default, skip_serializing_if = "FormatCodes::is_empty")]
    pub random: FormatCodes,
}

fn is_report(edition: &Edition) -> bool {
    *edition == Edition::default()
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(bits: &u32) -> bool {
    *bits == 0
}

impl Project {
    /// The conversion.
    pub fn conversion(&self) -> Conversion {
        let Project { rounding, random_bits, saturation, edition, .. } = *self;
        let (from, to) = (self.from.clone(), self.to.clone());
        Conversion { from, to, rounding, random_bits, saturation, edition }
    }

    /// The random number of the code at a place; 0 for a rounding that takes none.
    pub fn random_at(&self, place: usize) -> u64 {
        self.random.codes.get(place).copied().unwrap_or(0)
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        let (codes, randoms) = (self.input.codes.len(), self.random.codes.len());
        if codes == 0 {
            return Err("no codes: give at least one".into());
        }
        let due = if self.rounding.is_stochastic() { codes } else { 0 };
        if randoms != due {
            return Err(format!("{codes} codes with {randoms} random numbers: give {due}"));
        }
        let bits = self.random_bits;
        if self.rounding.is_stochastic() != (1..=63).contains(&bits) {
            return Err(format!("{bits} random bits do not go with {}", self.rounding.name()));
        }
        let too_wide = |number: &&u64| due > 0 && **number >> bits != 0;
        match self.random.codes.iter().find(too_wide) {
            Some(number) => Err(format!("the random number {number:#x} has more than {bits} bits")),
            None => Ok(()),
        }
    }
}

/// Codes of one format: in files in hex, each with all digits of the format, separated by spaces.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FormatCodes {
    /// Hex digits of each code: a format of 19 bits has 5.
    digits: usize,
    codes: Vec<u64>,
}

impl FormatCodes {
    /// Codes of so many bits.
    pub fn new(bits: u32, codes: Vec<u64>) -> FormatCodes {
        FormatCodes { digits: if codes.is_empty() { 0 } else { bits.div_ceil(4) as usize }, codes }
    }

    /// The codes.
    pub fn codes(&self) -> &[u64] {
        &self.codes
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// How many bytes one takes in a message.
    pub fn width(&self) -> usize {
        Conversion::width(4 * self.digits as u32)
    }

    /// The bytes of a message, each code little-endian in [`FormatCodes::width`] bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let width = self.width();
        self.codes.iter().flat_map(|code| code.to_le_bytes().into_iter().take(width)).collect()
    }
}

impl From<FormatCodes> for String {
    fn from(FormatCodes { digits, codes }: FormatCodes) -> String {
        let words: Vec<String> = codes.iter().map(|code| format!("{code:0digits$x}")).collect();
        words.join(" ")
    }
}

/// Reads a code in hex of up to 16 digits.
fn code(word: &str) -> Option<u64> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let is_code = (1..=16).contains(&word.len()) && word.bytes().all(is_digit);
    if is_code { u64::from_str_radix(word, 16).ok() } else { None }
}

impl TryFrom<String> for FormatCodes {
    type Error = String;

    fn try_from(text: String) -> Result<FormatCodes, String> {
        let digits = text.split(' ').next().map_or(0, str::len);
        let read = |word: &str| {
            code(word).filter(|_| word.len() == digits).ok_or_else(|| {
                format!("'{word}' is no code: write hex digits, as many for each code, with a space between")
            })
        };
        Ok(FormatCodes { digits, codes: text.split(' ').map(read).collect::<Result<_, _>>()? })
    }
}

/// The codes of a conversion as an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ProjectedAnswer {
    /// What is due of each code.
    pub codes: DueCodes,
}

/// Codes that are due: in files in hex, with all digits of the format, separated by spaces. `nan` stands for any NaN of the
/// format, `any` for any code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DueCodes {
    /// Hex digits of each code; 0 if none is a code.
    digits: usize,
    due: Vec<Outcome>,
}

impl DueCodes {
    /// Codes of a format of so many bits; each is a code, any NaN or any code.
    pub fn new(bits: u32, due: Vec<Outcome>) -> DueCodes {
        let has_codes = due.iter().any(|due| matches!(due, Outcome::Code(_)));
        DueCodes { digits: if has_codes { bits.div_ceil(4) as usize } else { 0 }, due }
    }

    /// What is due of each code.
    pub fn due(&self) -> &[Outcome] {
        &self.due
    }
}

impl From<DueCodes> for String {
    fn from(DueCodes { digits, due }: DueCodes) -> String {
        let word = |due: &Outcome| match due {
            Outcome::Code(code) => format!("{code:0digits$x}"),
            Outcome::AnyNan => "nan".into(),
            _ => "any".into(),
        };
        due.iter().map(word).collect::<Vec<_>>().join(" ")
    }
}

impl TryFrom<String> for DueCodes {
    type Error = String;

    fn try_from(text: String) -> Result<DueCodes, String> {
        let is_word = |word: &&str| ["nan", "any"].contains(word);
        let digits = text.split(' ').find(|word| !is_word(word)).map_or(0, str::len);
        let read = |word: &str| match word {
            "nan" => Ok(Outcome::AnyNan),
            "any" => Ok(Outcome::Any),
            _ => code(word).filter(|_| word.len() == digits).map(Outcome::Code).ok_or_else(|| {
                format!(
                    "'{word}' is no code: write hex digits, as many for each code, 'nan' or 'any'"
                )
            }),
        };
        Ok(DueCodes { digits, due: text.split(' ').map(read).collect::<Result<_, _>>()? })
    }
}

#[cfg(feature = "schema")]
mod schema {
    use super::{DueCodes, FormatCodes};
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

    impl JsonSchema for FormatCodes {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "FormatCodes".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({
                "description": "Codes of one format in hex, each with all digits, separated by spaces.",
                "type": "string",
                "pattern": "^[0-9a-f]{1,16}( [0-9a-f]{1,16})*$"
            })
        }
    }

    impl JsonSchema for DueCodes {
        fn schema_name() -> std::borrow::Cow<'static, str> {
            "DueCodes".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({
                "description": "Codes that are due, in hex, separated by spaces; `nan` for any NaN, `any` for any code.",
                "type": "string",
                "pattern": "^([0-9a-f]{1,16}|nan|any)( ([0-9a-f]{1,16}|nan|any))*$"
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_as_they_are_written() {
        for (text, width) in [("3f", 1), ("7 0 3", 1), ("3c00 fbff", 2), ("3fbff", 4)] {
            let codes: FormatCodes = serde_json::from_str(&format!("{text:?}")).expect(text);
            assert_eq!((codes.width(), codes.bytes().len()), (width, width * codes.codes().len()));
            assert_eq!(String::from(codes), text);
        }
        for text in ["7e nan any 00", "nan", "any any"] {
            let due: DueCodes = serde_json::from_str(&format!("{text:?}")).expect(text);
            assert_eq!(String::from(due), text);
        }
        for text in ["", "3f 1", "3F", "0x3f", "nan", "3f  3f", "11112222333344445"] {
            assert!(FormatCodes::try_from(text.to_string()).is_err(), "{text}");
        }
        for text in ["", "3f 1", "Nan", "7e,7e"] {
            assert!(DueCodes::try_from(text.to_string()).is_err(), "{text}");
        }
    }

    #[test]
    fn random_numbers_go_with_their_codes() {
        let ask = |rounding: &str, rest: &str| {
            let text = format!(
                r#"{{"from":"float16","to":"binary8p3se","rounding":"{rounding}","saturation":"none","input":"3c00 0001"{rest}}}"#
            );
            serde_json::from_str::<Project>(&text).map_err(|it| it.to_string())?.check()
        };
        for (rounding, rest, said) in [
            ("to-odd", "", ""),
            ("stochastic-a", r#","randomBits":3,"random":"7 0""#, ""),
            (
                "stochastic-a",
                r#","randomBits":3,"random":"7""#,
                "2 codes with 1 random numbers: give 2",
            ),
            ("stochastic-a", r#","randomBits":3"#, "with 0 random numbers: give 2"),
            ("stochastic-a", r#","randomBits":3,"random":"8 0""#, "0x8 has more than 3 bits"),
            ("stochastic-a", r#","random":"7 0""#, "0 random bits do not go with stochastic-a"),
            ("up", r#","random":"7 0""#, "with 2 random numbers: give 0"),
            ("up", r#","randomBits":3"#, "3 random bits do not go with up"),
        ] {
            let came = ask(rounding, rest);
            assert_eq!(came.is_err(), !said.is_empty(), "{rounding} {rest}: {came:?}");
            assert!(came.err().unwrap_or_default().contains(said), "{rounding} {rest}");
        }
    }
}
