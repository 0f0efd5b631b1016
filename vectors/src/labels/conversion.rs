//! Conversions between formats by parameters, each under one projection, as IEEE P3109 (draft) names them.

use super::projection::{Edition, RoundingMode, Saturation};
use std::fmt;
use std::str::FromStr;

/// One conversion: an *operation specialisation* of P3109, clause 4.6.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Conversion {
    /// Name of the format of the codes that are given, such as `binary8p4se`.
    pub from: String,
    /// Name of the format of the codes that are due.
    pub to: String,
    /// The rounding.
    pub rounding: RoundingMode,
    /// How many random bits each element has; 0 for a rounding that takes none.
    pub random_bits: u32,
    /// The saturation.
    pub saturation: Saturation,
    /// The text that holds.
    pub edition: Edition,
}

impl Conversion {
    /// How many bytes a code of so many bits takes in a message: 1, 2, 4 or 8.
    pub fn width(bits: u32) -> usize {
        (bits.div_ceil(8) as usize).next_power_of_two()
    }
}

/// P3109's names of the IEEE formats.
const EXTERNAL: [(&str, &str); 4] = [
    ("binary16", "float16"),
    ("BFloat16", "bfloat16"),
    ("binary32", "float32"),
    ("binary64", "float64"),
];

/// The name of a format as P3109 writes it.
fn written(name: &str) -> String {
    let external = EXTERNAL.iter().find(|(_, ours)| *ours == name);
    match (external, name.strip_prefix("binary")) {
        (Some((theirs, _)), _) => (*theirs).into(),
        (None, Some(rest)) => format!("Binary{rest}"),
        (None, None) => name.into(),
    }
}

/// Our name of a format.
fn read(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let external = EXTERNAL.iter().find(|(theirs, _)| theirs.to_ascii_lowercase() == lower);
    external.map_or(lower, |(_, ours)| (*ours).into())
}

impl fmt::Display for Conversion {
    /// `Convert<Binary8p3se, Binary8p4se, (NearestTiesToEven, SatFinite)>`, without the edition. The number of random bits stands
    /// behind its rounding: `StochasticA(8)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = (written(&self.from), written(&self.to));
        write!(f, "Convert<{from}, {to}, ({}", self.rounding.name_in_p3109())?;
        if self.rounding.is_stochastic() {
            write!(f, "({})", self.random_bits)?;
        }
        write!(f, ", {})>", self.saturation.name_in_p3109())
    }
}

impl FromStr for Conversion {
    type Err = String;

    /// Reads what [`Conversion`] displays, with any spaces, of the report 4.0. Whether there are such formats is not looked at.
    fn from_str(text: &str) -> Result<Conversion, String> {
        let shown: String = text.chars().take(120).collect();
        let wrong = || {
            format!(
                "'{shown}' is no conversion: write one like Convert<Binary8p3se, Binary8p4se, (NearestTiesToEven, SatFinite)>"
            )
        };
        let plain: String = text.chars().filter(|it| !it.is_whitespace()).collect();
        let inner = plain.strip_prefix("Convert<").and_then(|it| it.strip_suffix(")>"));
        let (formats, projection) = inner.and_then(|it| it.split_once(",(")).ok_or_else(wrong)?;
        let (from, to) = formats.split_once(',').ok_or_else(wrong)?;
        let (rounding, saturation) = projection.rsplit_once(',').ok_or_else(wrong)?;
        let (rounding, random_bits) = match rounding.strip_suffix(')') {
            None => (rounding, 0),
            Some(rest) => {
                let (name, bits) = rest.split_once('(').ok_or_else(wrong)?;
                (name, bits.parse().map_err(|_| wrong())?)
            }
        };
        let named = RoundingMode::ALL.into_iter().find(|it| it.name_in_p3109() == rounding);
        let rounding = named.ok_or_else(|| {
            let known = RoundingMode::ALL.map(RoundingMode::name_in_p3109).join(", ");
            format!("'{shown}': unknown rounding '{rounding}'; P3109 has {known}")
        })?;
        if rounding.is_stochastic() != (1..=63).contains(&random_bits) {
            let name = rounding.name_in_p3109();
            return Err(match rounding.is_stochastic() {
                true => {
                    format!("'{shown}': write the number of random bits, 1 to 63, like {name}(8)")
                }
                false => format!("'{shown}': {name} takes no random bits"),
            });
        }
        let named = Saturation::ALL.into_iter().find(|it| it.name_in_p3109() == saturation);
        let saturation = named.ok_or_else(|| {
            format!("'{shown}': unknown saturation '{saturation}'; P3109 has SatFinite, SatPropagate, SatNone")
        })?;
        let (from, to, edition) = (read(from), read(to), Edition::default());
        Ok(Conversion { from, to, rounding, random_bits, saturation, edition })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_conversions_come_back() {
        for text in [
            "Convert<Binary8p3se, Binary8p4se, (NearestTiesToEven, SatFinite)>",
            "Convert<binary16, Binary4p2sf, (StochasticA(8), SatNone)>",
            "Convert<BFloat16, binary32, (ToOdd, SatPropagate)>",
        ] {
            let read: Conversion = text.parse().expect(text);
            assert_eq!(read.to_string(), text);
            let spaced = text.replace(", ", " ,  ").replace('<', " < ");
            assert_eq!(spaced.parse(), Ok(read), "{spaced}");
        }
        let read: Conversion =
            "Convert<binary16,BINARY8P3SE,(TowardZero,SatNone)>".parse().expect("a conversion");
        assert_eq!((&*read.from, &*read.to), ("float16", "binary8p3se"));
    }

    #[test]
    fn what_is_no_conversion_is_said() {
        for (text, said) in [
            ("", "is no conversion"),
            ("Convert<a, b, (NearestTiesToEven)>", "is no conversion"),
            ("Add<a, b, (NearestTiesToEven, SatNone)>", "is no conversion"),
            (
                "Convert<a, b, (Nearest, SatNone)>",
                "unknown rounding 'Nearest'; P3109 has NearestTiesToEven",
            ),
            ("Convert<a, b, (ToOdd, OvfInf)>", "unknown saturation 'OvfInf'"),
            (
                "Convert<a, b, (StochasticA, SatNone)>",
                "write the number of random bits, 1 to 63, like StochasticA(8)",
            ),
            ("Convert<a, b, (StochasticB(64), SatNone)>", "1 to 63"),
            ("Convert<a, b, (ToOdd(8), SatNone)>", "ToOdd takes no random bits"),
        ] {
            let error = text.parse::<Conversion>().expect_err(text);
            assert!(error.contains(said) && error.lines().count() == 1, "{text}: {error}");
        }
        assert_eq!([1, 8, 9, 16, 19, 32, 33, 64].map(Conversion::width), [1, 1, 2, 2, 4, 4, 8, 8]);
    }
}
