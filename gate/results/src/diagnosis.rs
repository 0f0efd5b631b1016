//! Diagnoses, as results files keep them.

use crate::asked::{is_onnx_cast, onnx_cast};
use castproof_check::verdict::{Verdict, thousands};
use castproof_vectors::{DType, Suite};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The cause of a failing test of an element that comes out otherwise at other places of a tensor. The finding of that
/// place holds it.
pub const BY_PLACE: &str = "depends on the place in the tensor";

/// The cause of such a test whose element was right when the same tensor was sent again.
pub const ONCE: &str = "right when the same tensor was sent again";

/// How many equally good explanations of texts and blocks are named beside a cause.
pub const MOST_ALTERNATIVES: usize = 3;

/// The start of causes that misread an absent attribute.
pub const ABSENT: &str = "an absent ";

/// The diagnosis of the deviating tests of a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diagnosis {
    /// The suite of the tests.
    #[serde(default = "onnx_cast", skip_serializing_if = "is_onnx_cast")]
    pub suite: Suite,
    /// Dtype of the inputs.
    pub from: DType,
    /// Dtype of the outputs.
    pub to: DType,
    /// Which tests deviate: `fail` or `tolerated`.
    pub verdict: Verdict,
    /// Deviating tests; a test with the same result at several operator versions counts once.
    pub deviations: u64,
    /// Tests of the pair that passed, counted in the same way.
    pub passes: u64,
    /// The best explanation first. Each further cause explains what the causes before it left over.
    pub causes: Vec<Cause>,
}

/// A wrong method that explains some deviations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cause {
    /// What the method does.
    pub method: String,
    /// Deviations that it reproduces exactly, among those that the causes before it left over.
    pub reproduced: u64,
    /// Deviations that the causes before it left over.
    pub of: u64,
    /// Passes where the method would have failed.
    pub contradicted: u64,
    /// Deviations of which the method would have made something else, among those that the causes before it
    /// left over.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub otherwise: u64,
    /// Methods that cannot be told apart from this one: they explain the same deviations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<String>,
}

impl fmt::Display for Diagnosis {
    /// Writes `float64 -> float16: ` and [`Diagnosis::explanation`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !is_onnx_cast(&self.suite) {
            write!(f, "{} ", self.suite.name())?;
        }
        write!(f, "{} -> {}: {}", self.from, self.to, self.explanation())
    }
}

impl Diagnosis {
    /// Returns `consistent with 'rounded through float32' (61 of 61 failures, 0 of 1,843 passes
    /// contradicted)`.
    pub fn explanation(&self) -> String {
        let passes = thousands(self.passes);
        let kind = if self.verdict == Verdict::Fail { "failures" } else { "tolerated results" };
        let mut text = String::new();
        for (index, cause) in self.causes.iter().enumerate() {
            let (joint, kind) =
                if index == 0 { ("consistent with ", kind) } else { ("; then ", "the rest") };
            let (reproduced, of) = (thousands(cause.reproduced), thousands(cause.of));
            let against = thousands(cause.contradicted);
            text += &format!("{joint}'{}'", cause.method);
            for other in &cause.alternatives {
                text += &format!(" or '{other}'");
            }
            let otherwise = match cause.otherwise {
                0 => String::new(),
                count => format!(", {} of them would be otherwise", thousands(count)),
            };
            text += &format!(
                " ({reproduced} of {of} {kind}{otherwise}, {against} of {passes} passes contradicted)"
            );
        }
        if self.causes.is_empty() {
            text +=
                &format!("no known method explains any of {} {kind}", thousands(self.deviations));
        }
        text
    }
}

/// What is done at a place where elements are wrong: many codes were put there, and their results compared with wrong
/// methods.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Done {
    /// What the methods do, the one that gives most of the wrong results first. Those that cannot be told apart are one
    /// text.
    pub methods: Vec<String>,
    /// Codes with a wrong result there of which a method gives the same.
    pub reproduced: u64,
    /// Codes with a wrong result there.
    pub of: u64,
    /// Codes with a right result there of which a method would have given a wrong one.
    pub contradicted: u64,
    /// Codes with a right result there.
    pub passes: u64,
}

impl Done {
    /// Is it all that is done there?
    pub fn is_exact(&self) -> bool {
        self.reproduced == self.of && self.contradicted == 0
    }
}

impl fmt::Display for Done {
    /// Writes `ties rounded toward zero`, or `like 'ties rounded toward zero', which gives 20 of 21 wrong results there
    /// and contradicts 1 of 80 right ones`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_exact() {
            return f.write_str(&self.methods.join("; and "));
        }
        let (give, contradict) = match self.methods.len() {
            1 => ("gives", "contradicts"),
            _ => ("give", "contradict"),
        };
        let (reproduced, of) = (thousands(self.reproduced), thousands(self.of));
        let (against, passes) = (thousands(self.contradicted), thousands(self.passes));
        write!(
            f,
            "like '{}', which {give} {reproduced} of {of} wrong results there and {contradict} {against} of \
             {passes} right ones",
            self.methods.join("', '")
        )
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What a testee does with undefined inputs of a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fingerprint {
    /// The suite of the tests.
    #[serde(default = "onnx_cast", skip_serializing_if = "is_onnx_cast")]
    pub suite: Suite,
    /// Dtype of the inputs.
    pub from: DType,
    /// Dtype of the outputs.
    pub to: DType,
    /// The habit for each class of input (`out of range`, `infinity`, `NaN`, `bytes above 1`).
    pub habits: BTreeMap<String, String>,
    /// Does one input give several results, depending on its place in the tensor?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub depends_on_place: bool,
}

impl fmt::Display for Fingerprint {
    /// Writes `NaN: 0x00, out of range: saturates`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> =
            self.habits.iter().map(|(class, habit)| format!("{class}: {habit}")).collect();
        if self.depends_on_place {
            parts.push("differs between vector body and tail".into());
        }
        f.write_str(&parts.join(", "))
    }
}
