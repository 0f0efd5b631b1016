//! Label of the rounding attribute.

/// `round_mode`, the rounding of casts to float8e8m0. A profile may have it for other casts: to
/// integers it is the rounding to an integer, to other floats the rounding to a float.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "files", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "files", serde(rename_all = "kebab-case"))]
pub enum RoundMode {
    /// To the next power of two away from zero (the default); in a profile, to the next number towards
    /// positive infinity.
    Up,
    /// To the next power of two towards zero; in a profile, to the next number towards negative infinity.
    Down,
    /// To the nearest power of two, ties up; in a profile, to the nearest number, ties to the even one.
    Nearest,
    /// To the next number towards zero.
    TowardZero,
    /// To the nearest number, ties away from zero.
    NearestAway,
}

impl RoundMode {
    /// All modes.
    pub const ALL: [RoundMode; 5] = [
        RoundMode::Up,
        RoundMode::Down,
        RoundMode::Nearest,
        RoundMode::TowardZero,
        RoundMode::NearestAway,
    ];

    /// Those of ONNX Cast.
    pub const CAST: [RoundMode; 3] = [RoundMode::Up, RoundMode::Down, RoundMode::Nearest];

    /// The attribute's text.
    pub const fn name(self) -> &'static str {
        match self {
            RoundMode::Up => "up",
            RoundMode::Down => "down",
            RoundMode::Nearest => "nearest",
            RoundMode::TowardZero => "toward-zero",
            RoundMode::NearestAway => "nearest-away",
        }
    }
}

#[cfg(feature = "files")]
impl std::str::FromStr for RoundMode {
    type Err = String;

    fn from_str(name: &str) -> Result<RoundMode, String> {
        let found = RoundMode::ALL.into_iter().find(|mode| mode.name() == name);
        found.ok_or_else(|| {
            let names = RoundMode::ALL.map(RoundMode::name);
            format!("unknown round mode '{name}'; known are {}", names.join(", "))
        })
    }
}

#[cfg(all(test, feature = "files"))]
mod tests {
    use super::*;

    /// serde lists every variant in its message, also one that [`RoundMode::ALL`] lacks.
    #[test]
    fn the_list_names_every_mode_as_files_do() {
        let error = serde_json::from_str::<RoundMode>("\"none\"").expect_err("no mode").to_string();
        let (_, listed) = error.split_once("expected one of ").expect("a list of the variants");
        let listed: Vec<&str> = listed.split('`').skip(1).step_by(2).collect();
        assert_eq!(listed, RoundMode::ALL.map(RoundMode::name));
        for mode in RoundMode::ALL {
            assert_eq!(mode.name().parse(), Ok(mode));
        }
    }
}
