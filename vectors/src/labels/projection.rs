//! Labels of projections: to which neighbour a number goes, and what one beyond the largest becomes.

/// To which of its two neighbours a number goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "files", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "files", serde(rename_all = "kebab-case"))]
pub enum RoundingMode {
    /// To the nearer one, a tie to the even one.
    NearestEven,
    /// To the nearer one, a tie to the larger magnitude.
    NearestAway,
    /// To the smaller magnitude.
    TowardZero,
    /// Toward positive infinity.
    Up,
    /// Toward negative infinity.
    Down,
    /// To the odd one.
    ToOdd,
    /// By random bits, against the fraction cut to as many bits.
    StochasticA,
    /// By random bits and one half, against the fraction cut to one bit more.
    StochasticB,
    /// By random bits, against the fraction rounded to as many bits.
    StochasticC,
}

impl RoundingMode {
    /// All, those without random bits first.
    pub const ALL: [RoundingMode; 9] = [
        RoundingMode::NearestEven,
        RoundingMode::NearestAway,
        RoundingMode::TowardZero,
        RoundingMode::Up,
        RoundingMode::Down,
        RoundingMode::ToOdd,
        RoundingMode::StochasticA,
        RoundingMode::StochasticB,
        RoundingMode::StochasticC,
    ];

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            RoundingMode::NearestEven => "nearest-even",
            RoundingMode::NearestAway => "nearest-away",
            RoundingMode::TowardZero => "toward-zero",
            RoundingMode::Up => "up",
            RoundingMode::Down => "down",
            RoundingMode::ToOdd => "to-odd",
            RoundingMode::StochasticA => "stochastic-a",
            RoundingMode::StochasticB => "stochastic-b",
            RoundingMode::StochasticC => "stochastic-c",
        }
    }

    /// The name that IEEE P3109 (draft) writes.
    pub const fn name_in_p3109(self) -> &'static str {
        match self {
            RoundingMode::NearestEven => "NearestTiesToEven",
            RoundingMode::NearestAway => "NearestTiesToAway",
            RoundingMode::TowardZero => "TowardZero",
            RoundingMode::Up => "TowardPositive",
            RoundingMode::Down => "TowardNegative",
            RoundingMode::ToOdd => "ToOdd",
            RoundingMode::StochasticA => "StochasticA",
            RoundingMode::StochasticB => "StochasticB",
            RoundingMode::StochasticC => "StochasticC",
        }
    }

    /// Does it take random bits?
    pub const fn is_stochastic(self) -> bool {
        matches!(
            self,
            RoundingMode::StochasticA | RoundingMode::StochasticB | RoundingMode::StochasticC
        )
    }
}

/// What a number beyond the largest becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "files", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "files", serde(rename_all = "kebab-case"))]
pub enum Saturation {
    /// The largest number, and infinity too.
    Finite,
    /// The largest number; infinity stays, where the format has it. Of P3109 only (PJ-21).
    Propagate,
    /// Infinity or NaN, unless the rounding goes inward.
    #[default]
    None,
}

impl Saturation {
    /// All modes.
    pub const ALL: [Saturation; 3] = [Saturation::Finite, Saturation::Propagate, Saturation::None];

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Saturation::Finite => "finite",
            Saturation::Propagate => "propagate",
            Saturation::None => "none",
        }
    }

    /// The name that IEEE P3109 (draft) writes.
    pub const fn name_in_p3109(self) -> &'static str {
        match self {
            Saturation::Finite => "SatFinite",
            Saturation::Propagate => "SatPropagate",
            Saturation::None => "SatNone",
        }
    }
}

/// Which text of P3109 holds, where two differ (PJ-17). Both are drafts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "files", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Edition {
    /// The interim report 4.0 of 26 June 2026.
    #[default]
    #[cfg_attr(feature = "files", serde(rename = "p3109-4.0"))]
    Report4,
    /// The formal text of the working group as of 14 July 2026.
    #[cfg_attr(feature = "files", serde(rename = "p3109-july-2026"))]
    July2026,
}

impl Edition {
    /// Both.
    pub const ALL: [Edition; 2] = [Edition::Report4, Edition::July2026];

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Edition::Report4 => "p3109-4.0",
            Edition::July2026 => "p3109-july-2026",
        }
    }
}

#[cfg(all(test, feature = "files"))]
mod tests {
    use super::*;

    /// What files write is the name.
    #[test]
    fn names_are_those_of_files() {
        let written = |word: serde_json::Result<String>| word.expect("a word");
        for mode in RoundingMode::ALL {
            assert_eq!(written(serde_json::to_string(&mode)), format!("{:?}", mode.name()));
        }
        for mode in Saturation::ALL {
            assert_eq!(written(serde_json::to_string(&mode)), format!("{:?}", mode.name()));
        }
        for edition in Edition::ALL {
            assert_eq!(written(serde_json::to_string(&edition)), format!("{:?}", edition.name()));
        }
    }
}
