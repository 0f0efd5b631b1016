//! Label of the rounding attribute.

/// `round_mode`, the rounding of casts to float8e8m0. A profile may have it for other casts: to
/// integers it is the rounding to an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "files", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "files", serde(rename_all = "lowercase"))]
pub enum RoundMode {
    /// To the next power of two away from zero (the default); to the next integer towards positive
    /// infinity.
    Up,
    /// To the next power of two towards zero; to the next integer towards negative infinity.
    Down,
    /// To the nearest power of two, ties up; to the nearest integer, ties to the even one.
    Nearest,
}

impl RoundMode {
    /// All modes.
    pub const ALL: [RoundMode; 3] = [RoundMode::Up, RoundMode::Down, RoundMode::Nearest];

    /// The attribute's text.
    pub const fn name(self) -> &'static str {
        match self {
            RoundMode::Up => "up",
            RoundMode::Down => "down",
            RoundMode::Nearest => "nearest",
        }
    }
}

#[cfg(feature = "files")]
impl std::str::FromStr for RoundMode {
    type Err = String;

    fn from_str(name: &str) -> Result<RoundMode, String> {
        RoundMode::ALL
            .into_iter()
            .find(|mode| mode.name() == name)
            .ok_or_else(|| format!("unknown round mode '{name}'; known are up, down, nearest"))
    }
}
