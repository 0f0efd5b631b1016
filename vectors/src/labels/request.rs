//! What one cast must do: specification, dtypes, attributes.

use super::dtype::DType;
use super::round_mode::RoundMode;
use super::spec::Spec;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// The attributes that a request gives. An absent attribute is not given, and the operator's
/// default applies: `saturate` 1, `round_mode` up.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(remote = "Self", rename_all = "camelCase", deny_unknown_fields)]
pub struct Attributes {
    /// `saturate`, written 0 or 1.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "zero_or_one")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<u8>", range(min = 0, max = 1)))]
    pub saturate: Option<bool>,
    /// `round_mode`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_mode: Option<RoundMode>,
}

impl Serialize for Attributes {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        Attributes::serialize(self, s)
    }
}

/// Reads an object only. The derived reader takes a list too, in which all members may be absent.
impl<'de> Deserialize<'de> for Attributes {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Attributes, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Attributes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of attributes")
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Attributes, A::Error> {
                Attributes::deserialize(MapAccessDeserializer::new(members))
            }
        }

        d.deserialize_map(Object)
    }
}

impl fmt::Display for Attributes {
    /// Writes `saturate=0 round_mode=up`, or nothing if no attribute is given.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let saturate = self.saturate.map(|on| format!("saturate={}", u8::from(on)));
        let round_mode = self.round_mode.map(|mode| format!("round_mode={}", mode.name()));
        let parts: Vec<String> = saturate.into_iter().chain(round_mode).collect();
        f.pad(&parts.join(" "))
    }
}

/// ONNX writes truth values of attributes as integers; values other than 0 and 1 are undefined
/// (T-09).
mod zero_or_one {
    use super::*;

    pub(super) fn serialize<S: Serializer>(value: &Option<bool>, s: S) -> Result<S::Ok, S::Error> {
        value.map(u8::from).serialize(s)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<bool>, D::Error> {
        match Option::<u64>::deserialize(d)? {
            None => Ok(None),
            Some(0) => Ok(Some(false)),
            Some(1) => Ok(Some(true)),
            Some(n) => Err(serde::de::Error::custom(format!("saturate is {n}; it must be 0 or 1"))),
        }
    }
}

/// One cast request. The same request serves any number of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Request {
    /// The specification.
    pub spec: Spec,
    /// Dtype of the input.
    pub from: DType,
    /// Dtype of the output.
    pub to: DType,
    /// The attributes that are given.
    pub attributes: Attributes,
}

impl Request {
    /// Makes a request of a specification, without attributes.
    pub fn new(spec: Spec, from: DType, to: DType) -> Request {
        Request { spec, from, to, attributes: Attributes::default() }
    }

    /// Makes a request of ONNX `Cast` without attributes.
    pub fn cast(from: DType, to: DType, opset: u32) -> Request {
        Request::new(Spec::cast(opset), from, to)
    }

    /// Makes a request of ONNX `CastLike` without attributes.
    pub fn cast_like(from: DType, to: DType, opset: u32) -> Request {
        Request::new(Spec::cast_like(opset), from, to)
    }

    /// Returns the same request with these attributes.
    pub fn with(self, attributes: Attributes) -> Request {
        Request { attributes, ..self }
    }
}

impl fmt::Display for Request {
    /// `Cast(19) float32 -> float8e4m3fn saturate=0`, `rust-as float32 -> int8`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Request { spec, from, to, attributes } = self;
        match spec {
            Spec::Onnx { op, opset } => write!(f, "{op}({opset}) {from} -> {to}")?,
            Spec::Profile(profile) => write!(f, "{} {from} -> {to}", profile.name())?,
        }
        if *attributes != Attributes::default() {
            write!(f, " {attributes}")?;
        }
        Ok(())
    }
}

/// How many cases a suite holds.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The committed files: a few cases of every kind for every pair.
    #[default]
    Core,
    /// Every boundary of narrow targets, and chosen boundaries of every binade of wide ones.
    Standard,
    /// All codes of sources up to 16 bits, and every boundary of targets up to 16 bits.
    Full,
}

impl Level {
    /// Returns the level's name.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Core => "core",
            Level::Standard => "standard",
            Level::Full => "full",
        }
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(name: &str) -> Result<Level, String> {
        [Level::Core, Level::Standard, Level::Full]
            .into_iter()
            .find(|level| level.name() == name)
            .ok_or_else(|| format!("unknown level '{name}'; known are core, standard, full"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_an_object() {
        let read = |text: &str| serde_json::from_str::<Attributes>(text);
        assert_eq!(read("{}").ok(), Some(Attributes::default()));
        let given = Attributes { saturate: Some(false), round_mode: Some(RoundMode::Down) };
        let text = serde_json::to_string(&given).expect("serialises");
        assert_eq!(text, r#"{"saturate":0,"roundMode":"down"}"#);
        assert_eq!(read(&text).ok(), Some(given));
        for text in ["[]", "[null]", "[0, \"down\"]"] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.contains("expected an object of attributes"), "{error}");
        }
        assert!(read("{\"mode\":1}").unwrap_err().to_string().contains("unknown field `mode`"));
    }
}
