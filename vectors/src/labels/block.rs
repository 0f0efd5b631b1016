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
    /// DeepGEMM's groups of 128 numbers, with scales of float32
    Fp8Deepgemm,
    /// DeepGEMM's groups of 128 numbers, with scales that are powers of two
    Fp8DeepgemmUe8m0,
    /// vLLM's kernel of groups of 128 numbers, with scales of float32
    Fp8VllmGroup,
    /// SGLang's kernel of groups of 128 numbers, with scales of float32
    Fp8SglGroup,
    /// TransformerEngine's blocks of 1x128 numbers, with scales of float32
    Fp8TeBlock,
}

impl BlockProfile {
    /// All of them.
    pub const ALL: [BlockProfile; 17] = [
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
        BlockProfile::Fp8Deepgemm,
        BlockProfile::Fp8DeepgemmUe8m0,
        BlockProfile::Fp8VllmGroup,
        BlockProfile::Fp8SglGroup,
        BlockProfile::Fp8TeBlock,
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
            BlockProfile::Fp8Deepgemm => "fp8-deepgemm",
            BlockProfile::Fp8DeepgemmUe8m0 => "fp8-deepgemm-ue8m0",
            BlockProfile::Fp8VllmGroup => "fp8-vllm-group",
            BlockProfile::Fp8SglGroup => "fp8-sgl-group",
            BlockProfile::Fp8TeBlock => "fp8-te-block",
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
    /// FP8 in groups: 128 elements of float8e4m3fn share a scale of float32
    Fp8,
    /// FP8 in groups: 128 elements of float8e4m3fn share a scale of float8e8m0
    #[cfg_attr(feature = "files", serde(rename = "fp8-ue8m0"))]
    Fp8Ue8m0,
}

impl BlockFormat {
    /// All of them.
    pub const ALL: [BlockFormat; 4] =
        [BlockFormat::Mx, BlockFormat::Nvfp4, BlockFormat::Fp8, BlockFormat::Fp8Ue8m0];

    /// The name that files and reports use.
    pub const fn name(self) -> &'static str {
        match self {
            BlockFormat::Mx => "mx",
            BlockFormat::Nvfp4 => "nvfp4",
            BlockFormat::Fp8 => "fp8",
            BlockFormat::Fp8Ue8m0 => "fp8-ue8m0",
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
        for format in BlockFormat::ALL {
            let written = serde_json::to_string(&format).expect("a word");
            assert_eq!(written, format!("{:?}", format.name()));
        }
    }
}
