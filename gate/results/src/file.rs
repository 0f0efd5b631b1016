//! The results file, as it is written.

use super::Results;
use crate::finding::Finding;
use castproof_check::verdict::Counts;
use castproof_testee::{Feature, Identity, Limits};
use castproof_vectors::{DType, Level, Profile, Suite};
use serde::{Deserialize, Serialize};

/// The `format` member of every results file.
pub const FORMAT: &str = "castproof-results/1";

/// A results file: the results of a run, and the run that they belong to.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ResultsFile {
    /// `castproof-results/1`
    pub format: String,
    /// The testee.
    pub testee: Identity,
    /// The level of the vectors.
    pub level: Level,
    /// The filters of the run.
    pub filters: Filters,
    /// The suites that were asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<Suite>,
    /// The options that make the run smaller than a whole one, as on the command line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reductions: Vec<String>,
    /// Features that the testee's hello does not list. What needs one of them was not asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lacking: Vec<Feature>,
    /// The tensors that the testee takes, as its hello says; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// What was asked and what was not, beside that: a sentence about each part, without its full stop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coverage: Vec<String>,
    /// Were tolerated results failures?
    #[serde(default, skip_serializing_if = "is_false")]
    pub strict: bool,
    /// The profile by which results were judged that ONNX leaves open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silent_as: Option<Profile>,
    /// Did the testee pass?
    pub passed: bool,
    /// The reasons why it did not.
    pub reasons: Vec<String>,
    /// The sum of all verdicts.
    pub totals: Counts,
    /// The baseline of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// The findings, the gravest first.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// The results.
    #[serde(flatten)]
    pub results: Results,
}

/// What the user asked to leave out. `None` leaves out nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Filters {
    /// Only this input dtype.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<DType>,
    /// Only this output dtype.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<DType>,
    /// Only this operator set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opset: Option<u32>,
}

impl Filters {
    /// Returns the filters as options of the command line.
    pub fn words(&self) -> Vec<String> {
        let parts = [
            self.from.map(|dtype| format!("--from {dtype}")),
            self.to.map(|dtype| format!("--to {dtype}")),
            self.opset.map(|opset| format!("--opset {opset}")),
        ];
        parts.into_iter().flatten().collect()
    }
}

impl ResultsFile {
    /// Returns the names of the features in `lacking`: `strided, reversed`.
    pub fn gaps(&self) -> String {
        let names: Vec<&str> = self.lacking.iter().map(|feature| feature.name()).collect();
        names.join(", ")
    }

    /// Returns the sentence that says what was not asked, without its full stop; `None` if nothing
    /// is lacking.
    pub fn not_asked(&self) -> Option<String> {
        let gaps = self.gaps();
        let sentence = format!("Not asked, because the testee's hello does not list it: {gaps}");
        (!gaps.is_empty()).then_some(sentence)
    }
}

fn is_false(flag: &bool) -> bool {
    !flag
}
