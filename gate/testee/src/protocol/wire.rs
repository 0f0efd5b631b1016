//! The lines of messages, as they are written.

use crate::form::Layout;
use castproof_vectors::{Attributes, DType, Operator, Profile, RoundMode, StepOperator};
use serde::{Deserialize, Serialize};

/// The gate's hello.
#[derive(Serialize, Deserialize)]
pub(super) struct Greeting {
    pub(super) hello: String,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Farewell {
    pub(super) bye: bool,
}

/// The members of a request that must be readable so that reading can go on after it.
#[derive(Deserialize)]
pub(super) struct Envelope {
    pub(super) seq: u64,
    pub(super) bytes: u64,
    /// Of any type, because a wrong type must not end the conversation.
    #[serde(default)]
    pub(super) op: serde_json::Value,
}

/// An unknown member is refused: it may be an attribute that changes the result.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct RequestHeader {
    pub(super) seq: u64,
    pub(super) op: Operator,
    pub(super) from: DType,
    pub(super) to: DType,
    /// The operator set, for an operator of ONNX.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) opset: Option<u32>,
    /// The profile, for a specification other than ONNX; it replaces the operator set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) profile: Option<Profile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) saturate: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) round_mode: Option<RoundMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) layout: Option<Layout>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) input: Option<Input>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) in_place: Option<bool>,
    pub(super) shape: Vec<u64>,
    pub(super) bytes: u64,
}

/// The operation of a chain.
pub(super) const CHAIN: &str = "chain";

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ChainHeader {
    pub(super) seq: u64,
    pub(super) op: String,
    pub(super) dtypes: Vec<DType>,
    pub(super) attributes: Vec<Attributes>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) operators: Vec<StepOperator>,
    pub(super) opset: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) input: Option<Input>,
    pub(super) shape: Vec<u64>,
    pub(super) bytes: u64,
}

/// The kind of the input, if it is not an input at run time.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Input {
    Constant,
}

#[derive(Serialize, Deserialize)]
pub(super) struct AnswerHeader {
    pub(super) seq: u64,
    pub(super) status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) dtype: Option<DType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) shape: Option<Vec<u64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) bytes: Option<u64>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Ok,
    Unsupported,
    Error,
}
