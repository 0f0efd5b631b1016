//! The form of a tensor, and chains of casts: requests that only some testees take.

use castproof_vectors::{Attributes, DType, Operator, Project, Request, Spec, StepOperator};
use serde::{Deserialize, Serialize};

/// Features beyond contiguous tensors of rank 1, as the hello of a testee lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the protocol says what each is")]
pub enum Feature {
    Shapes,
    Constant,
    Chain,
    Strided,
    Reversed,
    Transposed,
    Broadcast,
    Offset,
    InPlace,
    ChainCastlike,
    ChainBitcast,
}

impl Feature {
    /// Every feature.
    pub const ALL: [Feature; 11] = [
        Feature::Shapes,
        Feature::Constant,
        Feature::Chain,
        Feature::Strided,
        Feature::Reversed,
        Feature::Transposed,
        Feature::Broadcast,
        Feature::Offset,
        Feature::InPlace,
        Feature::ChainCastlike,
        Feature::ChainBitcast,
    ];

    /// The name in the hello.
    pub const fn name(self) -> &'static str {
        match self {
            Feature::Shapes => "shapes",
            Feature::Constant => "constant",
            Feature::Chain => "chain",
            Feature::Strided => "strided",
            Feature::Reversed => "reversed",
            Feature::Transposed => "transposed",
            Feature::Broadcast => "broadcast",
            Feature::Offset => "offset",
            Feature::InPlace => "in-place",
            Feature::ChainCastlike => "chain-castlike",
            Feature::ChainBitcast => "chain-bitcast",
        }
    }
}

/// Where the elements of the input stand in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// One after the other, in row-major order.
    #[default]
    Contiguous,
    /// Every second element of a longer buffer, along the last axis.
    Strided,
    /// From the last to the first, along the last axis.
    Reversed,
    /// The memory holds the transposed tensor of rank 2.
    Transposed,
    /// All rows are the same row in memory.
    Broadcast,
    /// A view that begins some elements into a longer buffer.
    Offset,
}

impl Layout {
    /// The layouts that are views of a buffer.
    pub const VIEWS: [Layout; 5] =
        [Layout::Strided, Layout::Reversed, Layout::Transposed, Layout::Broadcast, Layout::Offset];

    /// Returns the feature that a testee needs for it. For contiguous tensors that is the feature
    /// of shapes.
    pub const fn feature(self) -> Feature {
        match self {
            Layout::Contiguous => Feature::Shapes,
            Layout::Strided => Feature::Strided,
            Layout::Reversed => Feature::Reversed,
            Layout::Transposed => Feature::Transposed,
            Layout::Broadcast => Feature::Broadcast,
            Layout::Offset => Feature::Offset,
        }
    }

    /// The name in requests.
    pub const fn name(self) -> &'static str {
        match self {
            Layout::Contiguous => "contiguous",
            _ => self.feature().name(),
        }
    }
}

/// The form of a tensor: everything except its elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// Its sizes.
    pub shape: Vec<u64>,
    /// Where the elements stand in memory.
    pub layout: Layout,
    /// Is the input a constant of the model?
    pub constant: bool,
    /// Is the output written over the input?
    pub in_place: bool,
}

impl Form {
    /// Makes the form of a contiguous tensor of rank 1.
    pub fn flat(count: usize) -> Form {
        Form { shape: vec![count as u64], ..Form::default() }
    }

    /// Is the input contiguous and not a constant, and is the output a separate tensor?
    pub fn is_plain(&self) -> bool {
        self.layout == Layout::Contiguous && !self.constant && !self.in_place
    }
}

/// Casts in a row, as one graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The dtypes, first to last; at least two.
    pub dtypes: Vec<DType>,
    /// The attributes of each step.
    pub attributes: Vec<Attributes>,
    /// What each step does; none: every step is a `Cast`.
    pub operators: Vec<StepOperator>,
    /// Operator set of the model.
    pub opset: u32,
    /// Is the input a constant of the model?
    pub constant: bool,
    /// The shape of its tensor; `None`: of rank 1.
    pub shape: Option<Vec<u64>>,
}

impl Chain {
    /// Dtypes of input and output.
    pub fn ends(&self) -> (DType, DType) {
        (self.dtypes[0], self.dtypes[self.dtypes.len() - 1])
    }

    /// Returns the request of a step; `None` of a bitcast, which is no cast.
    pub fn request(&self, step: usize) -> Option<Request> {
        let operator = self.operators.get(step).copied().unwrap_or_default();
        let op = match operator {
            StepOperator::Cast => Operator::Cast,
            StepOperator::CastLike => Operator::CastLike,
            StepOperator::Bitcast => return None,
        };
        let spec = Spec::Onnx { op, opset: self.opset };
        let (from, to) = (self.dtypes[step], self.dtypes[step + 1]);
        Some(Request { spec, from, to, attributes: self.attributes[step] })
    }

    /// Returns its dtypes as people write them: `float32 -> int8 -> float32 by CastLike`.
    pub fn steps_text(&self) -> String {
        let mut text = self.dtypes[0].to_string();
        for (step, to) in self.dtypes[1..].iter().enumerate() {
            text += &format!(
                " -> {to}{}",
                self.operators.get(step).copied().unwrap_or_default().suffix()
            );
        }
        text
    }

    /// Returns the features that a testee must list to be asked for it.
    pub fn features(&self) -> Vec<Feature> {
        let has = |operator: StepOperator| self.operators.contains(&operator);
        let needs = [
            (Feature::Chain, true),
            (Feature::Constant, self.constant),
            (Feature::ChainCastlike, has(StepOperator::CastLike)),
            (Feature::ChainBitcast, has(StepOperator::Bitcast)),
        ];
        needs.into_iter().filter(|(_, needed)| *needed).map(|(feature, _)| feature).collect()
    }
}

/// Codes that are to be converted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Codes {
    /// How many.
    pub count: usize,
    /// The codes, each little-endian in as many bytes as [`Conversion::width`](castproof_vectors::Conversion::width) says.
    pub given: Vec<u8>,
    /// A random number for each, likewise by the number of random bits; empty for a rounding that takes none.
    pub random: Vec<u8>,
}

impl Codes {
    /// The codes of a question.
    pub fn of(ask: &Project) -> Codes {
        let count = ask.input.codes().len();
        Codes { count, given: ask.input.bytes(), random: ask.random.bytes() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::DeserializeOwned;

    /// Returns the names that the reader knows, which it lists when it is given another one.
    fn known<T: DeserializeOwned>() -> Vec<String> {
        let said = serde_json::from_str::<T>("\"?\"").err().expect("an unknown name").to_string();
        said.split('`').skip(3).step_by(2).map(String::from).collect()
    }

    /// A layout or a feature that a list forgets would never be asked.
    #[test]
    fn lists_name_every_feature_and_layout() {
        assert_eq!(known::<Feature>(), Feature::ALL.map(Feature::name));
        let views = Layout::VIEWS.map(Layout::name);
        assert_eq!(known::<Layout>(), [&["contiguous"], &views[..]].concat());
    }
}
