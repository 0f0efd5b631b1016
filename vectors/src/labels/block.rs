//! Specifications of blocks: numbers quantised to small elements that share a scale.

/// A specification of how a block is quantised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "files", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "files", serde(rename_all = "kebab-case"))]
pub enum BlockProfile {
    /// the scale of OCP MX: the exponent of the block is rounded down
    MxFloor,
    /// the exponent of the block is rounded up
    MxCeil,
    /// the smallest scale at which no element is beyond the largest one
    MxRceil,
    /// the largest magnitude is rounded to the elements' significand, halves up, then the scale of OCP MX
    MxEven,
    /// the smallest scale at which no element rounds beyond the largest one
    MxRfit,
    /// torchao 0.18.0, `to_mx` with `FLOOR`
    MxTorchaoFloor,
    /// torchao 0.18.0, `to_mx` with `CEIL`
    MxTorchaoCeil,
    /// torchao 0.18.0, `to_mx` with `EVEN`
    MxTorchaoEven,
    /// torchao 0.18.0, `nvfp4_quantize` with a scale of the tensor, on a CPU
    #[cfg_attr(feature = "files", serde(rename = "nvfp4-torchao"))]
    Nvfp4Torchao,
    /// TransformerEngine's NVFP4, without fast math
    #[cfg_attr(feature = "files", serde(rename = "nvfp4-te"))]
    Nvfp4Te,
    /// TransformerEngine's MXFP8
    MxTe,
    /// OCP MX 1.0: the scale is free, and the elements belong to it
    MxOcp,
}

impl BlockProfile {
    /// All of them.
    pub const ALL: [BlockProfile; 12] = [
        BlockProfile::MxFloor,
        BlockProfile::MxCeil,
        BlockProfile::MxRceil,
        BlockProfile::MxEven,
        BlockProfile::MxRfit,
        BlockProfile::MxTorchaoFloor,
        BlockProfile::MxTorchaoCeil,
        BlockProfile::MxTorchaoEven,
        BlockProfile::Nvfp4Torchao,
        BlockProfile::Nvfp4Te,
        BlockProfile::MxTe,
        BlockProfile::MxOcp,
    ];

    /// The name that files, flags and reports use.
    pub const fn name(self) -> &'static str {
        match self {
            BlockProfile::MxFloor => "mx-floor",
            BlockProfile::MxCeil => "mx-ceil",
            BlockProfile::MxRceil => "mx-rceil",
            BlockProfile::MxEven => "mx-even",
            BlockProfile::MxRfit => "mx-rfit",
            BlockProfile::MxTorchaoFloor => "mx-torchao-floor",
            BlockProfile::MxTorchaoCeil => "mx-torchao-ceil",
            BlockProfile::MxTorchaoEven => "mx-torchao-even",
            BlockProfile::Nvfp4Torchao => "nvfp4-torchao",
            BlockProfile::Nvfp4Te => "nvfp4-te",
            BlockProfile::MxTe => "mx-te",
            BlockProfile::MxOcp => "mx-ocp",
        }
    }
}

/// A format of blocks: what elements and scales stand for, however they were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "files", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "files", serde(rename_all = "lowercase"))]
pub enum BlockFormat {
    /// OCP MX: 32 elements share a scale of float8e8m0
    Mx,
    /// NVFP4: 16 elements of float4e2m1 share a scale of float8e4m3fn; the scale of the tensor is 1
    Nvfp4,
}

impl BlockFormat {
    /// All of them.
    pub const ALL: [BlockFormat; 2] = [BlockFormat::Mx, BlockFormat::Nvfp4];

    /// The name that files and reports use.
    pub const fn name(self) -> &'static str {
        match self {
            BlockFormat::Mx => "mx",
            BlockFormat::Nvfp4 => "nvfp4",
        }
    }
}

#[cfg(all(test, feature = "files"))]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_files() {
        for (place, profile) in BlockProfile::ALL.into_iter().enumerate() {
            let written = serde_json::to_string(&profile).expect("a word");
            assert_eq!(written, format!("{:?}", profile.name()));
            assert_eq!(profile as usize, place);
        }
    }
}
