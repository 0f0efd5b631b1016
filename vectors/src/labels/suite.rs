//! The suites of tests.

use super::profile::Profile;
use super::spec::Spec;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// The suites.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Suite {
    /// The ONNX `Cast` operator, all versions.
    OnnxCast,
    /// The ONNX `CastLike` operator, all versions.
    OnnxCastlike,
    /// MindSpore's implicit promotion of two operands.
    MindsporePromotion,
    /// Both operands' elements, cast by MindSpore's implicit promotion.
    MindsporeOperands,
    /// Casts from and to complex dtypes, by framework.
    ComplexCast,
    /// TensorFlow's `Bitcast`.
    TfBitcast,
    /// ONNX `BitCast` 26.
    OnnxBitcast,
    /// Two ONNX `Cast` operators in a row, as one graph.
    OnnxChain,
    /// Blocks of numbers quantised to a scale and small elements.
    Blocks,
    /// Tensors of several blocks quantised, along each axis.
    BlocksTensors,
    /// Blocks decoded to the numbers that they stand for.
    BlocksDecoded,
    /// Blocks of GGUF decoded to numbers.
    Gguf,
    /// Conversions between formats by parameters.
    Projections,
    /// Codes that are put into the bytes of a layout, and taken out.
    Layouts,
    /// ONNX `QuantizeLinear`, `DequantizeLinear` and `DynamicQuantizeLinear`.
    OnnxQuantize,
    /// Casts of a profile between numeric dtypes.
    Profile(Profile),
}

impl Suite {
    /// Returns the suite's name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Suite::OnnxCast => "onnx-cast",
            Suite::OnnxCastlike => "onnx-castlike",
            Suite::MindsporePromotion => "mindspore-promotion",
            Suite::MindsporeOperands => "mindspore-operands",
            Suite::ComplexCast => "complex-cast",
            Suite::TfBitcast => "tf-bitcast",
            Suite::OnnxBitcast => "onnx-bitcast",
            Suite::OnnxChain => "onnx-chain",
            Suite::Blocks => "blocks",
            Suite::BlocksTensors => "blocks-tensors",
            Suite::BlocksDecoded => "blocks-decoded",
            Suite::Gguf => "gguf",
            Suite::Projections => "projections",
            Suite::Layouts => "layouts",
            Suite::OnnxQuantize => "onnx-quantize",
            Suite::Profile(profile) => profile.name(),
        }
    }

    /// The suites that a gate runs if none is named. [`Suite::Blocks`], [`Suite::BlocksTensors`],
    /// [`Suite::BlocksDecoded`], [`Suite::Gguf`], [`Suite::Projections`], [`Suite::Layouts`] and [`Suite::OnnxQuantize`] are not among
    /// them: who casts elements quantises no tensors.
    pub const WITHOUT_PROFILE: [Suite; 8] = [
        Suite::OnnxCast,
        Suite::OnnxCastlike,
        Suite::MindsporePromotion,
        Suite::MindsporeOperands,
        Suite::ComplexCast,
        Suite::TfBitcast,
        Suite::OnnxBitcast,
        Suite::OnnxChain,
    ];

    /// The suites of questions: all but [`Suite::OnnxCast`], which has a file for each pair.
    pub const QUESTIONS: &'static [Suite] = &[
        Suite::OnnxCastlike,
        Suite::MindsporePromotion,
        Suite::MindsporeOperands,
        Suite::ComplexCast,
        Suite::TfBitcast,
        Suite::OnnxBitcast,
        Suite::OnnxChain,
        Suite::Blocks,
        Suite::BlocksTensors,
        Suite::BlocksDecoded,
        Suite::Gguf,
        Suite::Projections,
        Suite::Layouts,
        Suite::OnnxQuantize,
    ];

    /// The suites of questions that have a file: all but [`Suite::OnnxChain`], whose questions
    /// follow from the book and from the casts that the testee supports.
    pub const FILES: &'static [Suite] = &[
        Suite::OnnxCastlike,
        Suite::MindsporePromotion,
        Suite::MindsporeOperands,
        Suite::ComplexCast,
        Suite::TfBitcast,
        Suite::OnnxBitcast,
        Suite::Blocks,
        Suite::BlocksTensors,
        Suite::BlocksDecoded,
        Suite::Gguf,
        Suite::Projections,
        Suite::Layouts,
        Suite::OnnxQuantize,
    ];

    /// Returns the suites of casts of elements, which have a vector file for each pair: that of
    /// ONNX, then those of the profiles.
    pub fn casts() -> impl Iterator<Item = Suite> {
        [Suite::OnnxCast].into_iter().chain(Profile::numeric().map(Suite::Profile))
    }

    /// Returns every suite.
    pub fn all() -> impl Iterator<Item = Suite> {
        Suite::casts().chain(Suite::QUESTIONS.iter().copied())
    }

    /// Is it one of [`Suite::casts`]?
    pub const fn is_casts(self) -> bool {
        matches!(self, Suite::OnnxCast | Suite::Profile(_))
    }

    /// Returns the specifications of a suite of casts in these versions; a profile is one
    /// specification without versions.
    pub fn specs(self, versions: &[u32]) -> Vec<Spec> {
        match self {
            Suite::Profile(profile) => vec![Spec::Profile(profile)],
            _ => versions.iter().map(|&version| Spec::cast(version)).collect(),
        }
    }

    /// Returns the folder that holds the suite's files.
    pub const fn folder(self) -> &'static str {
        match self {
            Suite::OnnxCast => "cast",
            Suite::Profile(profile) => profile.name(),
            _ => "suites",
        }
    }

    /// Returns the file of a suite of questions: `suites/tf-bitcast.json`.
    pub fn question_file(self) -> String {
        format!("{}/{}.json", self.folder(), self.name())
    }
}

impl FromStr for Suite {
    type Err = String;

    fn from_str(name: &str) -> Result<Suite, String> {
        Suite::all().find(|suite| suite.name() == name).ok_or_else(|| {
            let known: Vec<&str> = Suite::all().map(Suite::name).collect();
            format!("unknown suite '{name}'; known are {}", known.join(", "))
        })
    }
}

impl TryFrom<String> for Suite {
    type Error = String;

    fn try_from(name: String) -> Result<Suite, String> {
        name.parse()
    }
}

impl From<Suite> for String {
    fn from(suite: Suite) -> String {
        suite.name().into()
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Suite {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Suite".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "The suites.",
            "type": "string",
            "enum": Suite::all().map(Suite::name).collect::<Vec<_>>()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A suite that a list forgets is neither written nor asked.
    #[test]
    fn lists_name_every_suite() {
        // A new suite does not compile until it stands here.
        let due = |suite: Suite| match suite {
            Suite::OnnxCast => (true, false, false),
            Suite::Profile(_) => (false, false, false),
            Suite::Blocks
            | Suite::BlocksTensors
            | Suite::BlocksDecoded
            | Suite::Gguf
            | Suite::Projections
            | Suite::Layouts
            | Suite::OnnxQuantize => (false, true, true),
            Suite::OnnxChain => (true, true, false),
            Suite::OnnxCastlike
            | Suite::MindsporePromotion
            | Suite::MindsporeOperands
            | Suite::ComplexCast
            | Suite::TfBitcast
            | Suite::OnnxBitcast => (true, true, true),
        };
        for suite in Suite::all() {
            let lists = [&Suite::WITHOUT_PROFILE[..], Suite::QUESTIONS, Suite::FILES];
            let [without, questions, files] = lists.map(|list| list.contains(&suite));
            assert_eq!((without, questions, files), due(suite), "{}", suite.name());
            assert_eq!(suite.name().parse(), Ok(suite));
        }
    }
}
