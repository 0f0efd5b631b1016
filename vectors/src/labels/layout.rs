//! The names of layouts: how the codes of a matrix lie in bytes.

use LayoutForm::*;

/// How codes are put into bytes, whatever their width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LayoutForm {
    /// Two codes a byte, the first in the low nibble.
    NibblesLow,
    /// The same, and each row begins with a byte of its own.
    NibblesLowRows,
    /// Two codes a byte, the first in the high nibble.
    NibblesHigh,
    /// Blocks of 16 codes, the first 8 in the low nibbles.
    NibblesSplit16,
    /// Blocks of 32 codes, the first 16 in the low nibbles.
    NibblesSplit32,
    /// `pack_quantized` of compressed-tensors, along the columns.
    CompressedTensors,
    /// Zero points of compressed-tensors, along the rows.
    CompressedTensorsZeros,
    /// Weights of GPTQ.
    Gptq,
    /// Zero points of GPTQ, version 2.
    GptqZerosV2,
    /// Zero points of GPTQ, version 1, none of them 0.
    GptqZerosV1,
    /// Zero points of GPTQ, version 1, made from words of version 2.
    GptqZerosV1Word,
    /// Zero points of GPTQ, version 1, made from each zero point alone.
    GptqZerosV1Field,
    /// Weights and zero points of AWQ.
    Awq,
    /// Scales in tiles of 128 x 4, zeros around them.
    Swizzle128x4,
    /// The same, anything around them.
    Swizzle128x4Any,
    /// The same, 0x7f around them.
    Swizzle128x4One,
    /// Scales in tiles of 8 x 4, zeros around them.
    Swizzle8x4,
    /// The same, anything around them.
    Swizzle8x4Any,
    /// Scales of float8e8m0, four columns a word, words column by column.
    Ue8m0Mn,
    /// The same, anything in the rows behind the last.
    Ue8m0MnKernel,
    /// Scales of float32, column by column.
    Float32Mn,
    /// Weights of Marlin for activations of 16 bits.
    Marlin,
}

/// A layout: its name, how it puts codes into bytes, and the bits of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodeLayout {
    form: LayoutForm,
    bits: u32,
    name: &'static str,
    what: &'static str,
}

const fn row(name: &'static str, form: LayoutForm, bits: u32, what: &'static str) -> CodeLayout {
    CodeLayout { form, bits, name, what }
}

const CT: &str = "integers of compressed-tensors, N x K";
const CT_ZEROS: &str = "zero points of compressed-tensors, N x groups";
const GPTQ: &str = "weights of GPTQ, K x N";
const ZEROS_V2: &str = "zero points of GPTQ, version 2, groups x N";
const ZEROS_V1: &str = "zero points of GPTQ, version 1, none of them 0, groups x N";
const ZEROS_WORD: &str = "zero points of GPTQ, version 1, 1 subtracted in whole words, groups x N";
const ZEROS_FIELD: &str = "zero points of GPTQ, version 1, 1 subtracted from each, groups x N";

impl CodeLayout {
    /// All of them.
    pub const ALL: [CodeLayout; 45] = [
        row("nibbles-low", NibblesLow, 4, "int4, uint4 and float4 of ONNX, PyTorch, DeepGEMM"),
        row("nibbles-low-rows", NibblesLowRows, 4, "zero points of MatMulNBits"),
        row("nibbles-high", NibblesHigh, 4, "NF4 and FP4 of bitsandbytes"),
        row("nibbles-split-16", NibblesSplit16, 4, "elements of NVFP4 in GGUF"),
        row("nibbles-split-32", NibblesSplit32, 4, "elements of Q4_0, Q4_1 and MXFP4 in GGUF"),
        row("ct-1", CompressedTensors, 1, CT),
        row("ct-2", CompressedTensors, 2, CT),
        row("ct-3", CompressedTensors, 3, CT),
        row("ct-4", CompressedTensors, 4, CT),
        row("ct-5", CompressedTensors, 5, CT),
        row("ct-6", CompressedTensors, 6, CT),
        row("ct-7", CompressedTensors, 7, CT),
        row("ct-8", CompressedTensors, 8, CT),
        row("ct-zeros-4", CompressedTensorsZeros, 4, CT_ZEROS),
        row("ct-zeros-8", CompressedTensorsZeros, 8, CT_ZEROS),
        row("gptq-2", Gptq, 2, GPTQ),
        row("gptq-3", Gptq, 3, GPTQ),
        row("gptq-4", Gptq, 4, GPTQ),
        row("gptq-8", Gptq, 8, GPTQ),
        row("gptq-zeros-v2-2", GptqZerosV2, 2, ZEROS_V2),
        row("gptq-zeros-v2-3", GptqZerosV2, 3, ZEROS_V2),
        row("gptq-zeros-v2-4", GptqZerosV2, 4, ZEROS_V2),
        row("gptq-zeros-v2-8", GptqZerosV2, 8, ZEROS_V2),
        row("gptq-zeros-v1-2", GptqZerosV1, 2, ZEROS_V1),
        row("gptq-zeros-v1-3", GptqZerosV1, 3, ZEROS_V1),
        row("gptq-zeros-v1-4", GptqZerosV1, 4, ZEROS_V1),
        row("gptq-zeros-v1-8", GptqZerosV1, 8, ZEROS_V1),
        row("gptq-zeros-v1-word-2", GptqZerosV1Word, 2, ZEROS_WORD),
        row("gptq-zeros-v1-word-4", GptqZerosV1Word, 4, ZEROS_WORD),
        row("gptq-zeros-v1-word-8", GptqZerosV1Word, 8, ZEROS_WORD),
        row("gptq-zeros-v1-field-2", GptqZerosV1Field, 2, ZEROS_FIELD),
        row("gptq-zeros-v1-field-3", GptqZerosV1Field, 3, ZEROS_FIELD),
        row("gptq-zeros-v1-field-4", GptqZerosV1Field, 4, ZEROS_FIELD),
        row("gptq-zeros-v1-field-8", GptqZerosV1Field, 8, ZEROS_FIELD),
        row("awq", Awq, 4, "weights and zero points of AWQ (gemm), K x N and groups x N"),
        row(
            "swizzle-128x4",
            Swizzle128x4,
            8,
            "scales for cuBLAS as torchao's to_blocked writes them",
        ),
        row("swizzle-128x4-any", Swizzle128x4Any, 8, "the same with any padding"),
        row("swizzle-128x4-7f", Swizzle128x4One, 8, "the same, padded with the 1.0 of float8e8m0"),
        row("swizzle-8x4", Swizzle8x4, 8, "scales for small batches in flashinfer"),
        row("swizzle-8x4-any", Swizzle8x4Any, 8, "the same with any padding"),
        row(
            "ue8m0-mn",
            Ue8m0Mn,
            8,
            "packed UE8M0 scales of DeepGEMM as its PyTorch form writes them",
        ),
        row("ue8m0-mn-kernel", Ue8m0MnKernel, 8, "the same as its kernel writes them"),
        row("float32-mn", Float32Mn, 32, "float32 scales of DeepGEMM"),
        row("marlin-4", Marlin, 4, "weights of Marlin for 16-bit activations, K x N"),
        row("marlin-8", Marlin, 8, "weights of Marlin for 16-bit activations, K x N"),
    ];

    /// How it puts codes into bytes.
    pub const fn form(self) -> LayoutForm {
        self.form
    }

    /// The bits of a code.
    pub const fn bits(self) -> u32 {
        self.bits
    }

    /// The name that files and reports use.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// What it is used for, for people.
    pub const fn what(self) -> &'static str {
        self.what
    }

    /// The bytes that a code takes outside of its layout.
    pub const fn width(self) -> usize {
        self.bits.div_ceil(8) as usize
    }

    /// The layout of this name.
    pub fn named(name: &str) -> Option<CodeLayout> {
        CodeLayout::ALL.into_iter().find(|layout| layout.name == name)
    }
}

impl core::fmt::Display for CodeLayout {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.name)
    }
}

#[cfg(feature = "files")]
impl std::str::FromStr for CodeLayout {
    type Err = String;

    fn from_str(name: &str) -> Result<CodeLayout, String> {
        CodeLayout::named(name).ok_or_else(|| {
            let known: Vec<&str> = CodeLayout::ALL.iter().map(|it| it.name).collect();
            format!("unknown layout '{name}'; known are {}", known.join(", "))
        })
    }
}

#[cfg(feature = "files")]
impl serde::Serialize for CodeLayout {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name)
    }
}

#[cfg(feature = "files")]
impl<'de> serde::Deserialize<'de> for CodeLayout {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<CodeLayout, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for CodeLayout {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CodeLayout".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "How the codes of a matrix lie in bytes.",
            "type": "string",
            "enum": CodeLayout::ALL.map(CodeLayout::name).to_vec()
        })
    }
}

#[cfg(all(test, feature = "files"))]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_one_layout() {
        for layout in CodeLayout::ALL {
            let written = serde_json::to_string(&layout).expect("a word");
            assert_eq!(serde_json::from_str::<CodeLayout>(&written).ok(), Some(layout));
            let same = CodeLayout::ALL.into_iter().filter(|it| {
                it.name == layout.name || (it.form, it.bits) == (layout.form, layout.bits)
            });
            assert_eq!(same.count(), 1, "{layout}");
        }
        let said = "swizzle".parse::<CodeLayout>().expect_err("no layout");
        assert!(said.starts_with("unknown layout 'swizzle'; known are nibbles-low, "), "{said}");
    }
}
