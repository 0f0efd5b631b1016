//! ONNX backend tests of one node: the folders that runners of the ONNX project's backend tests
//! read.
//!
//! Such a test compares with one right output. So only tests with a single right element, or any
//! NaN, and without a tolerated result can be exported; the others are counted.

use super::backend::{ModelGraph, model_file, only_answer, tensor_file};
use anyhow::Result;
use castproof_check::verdict::counted;
use castproof_vectors::{DType, Element, Group, Test, VectorFile};
use std::fmt;
use std::path::Path;

/// What was exported.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Exported {
    folders: usize,
    tests: usize,
    left_out: usize,
}

impl std::ops::AddAssign for Exported {
    fn add_assign(&mut self, other: Exported) {
        self.folders += other.folders;
        self.tests += other.tests;
        self.left_out += other.left_out;
    }
}

impl fmt::Display for Exported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Exported { folders, tests, left_out } = self;
        write!(
            f,
            "{} in {} ({left_out} without a single answer left out)",
            counted(*tests as u64, "test"),
            counted(*folders as u64, "folder")
        )
    }
}

/// One folder: the tests of a group that have one answer.
pub(super) struct Case<'a> {
    file: &'a VectorFile,
    /// The group.
    pub(super) group: &'a Group,
    /// The operator version of the model.
    pub(super) version: u32,
    /// The tests, each with its answer.
    pub(super) answered: Vec<(&'a Test, Element)>,
}

/// Returns a case for each group of a pair, at the newest operator version of the group, or at the
/// version that is named.
pub(super) fn cases(file: &VectorFile, opset: Option<u32>) -> impl Iterator<Item = Case<'_>> {
    file.groups.iter().filter_map(move |group| {
        let version = match opset {
            Some(opset) => group.opsets.contains(&opset).then_some(opset),
            None => group.opsets.last().copied(),
        }?;
        let answer = |test| Some((test, single_answer(test, file.to)?));
        let answered = group.tests.iter().filter_map(answer).collect();
        Some(Case { file, group, version, answered })
    })
}

/// Writes a folder for each case, whole or not at all.
pub(super) fn write(file: &VectorFile, opset: Option<u32>, folder: &Path) -> Result<Exported> {
    let mut exported = Exported::default();
    for case in cases(file, opset) {
        exported += case.counted();
        if case.answered.is_empty() {
            continue;
        }
        // A folder with an input and without an output would pass every runner.
        castproof_io::folder::write(&folder.join(case.name()), &case.files()?)?;
    }
    Ok(exported)
}

impl Case<'_> {
    /// What the folder holds.
    pub(super) fn counted(&self) -> Exported {
        let tests = self.answered.len();
        let folders = usize::from(tests > 0);
        Exported { folders, tests, left_out: self.group.tests.len() - tests }
    }

    /// Returns `test_cast_19_float32_to_float8e4m3fn_saturate0_9f3a1c07b2e4`. The id of the first
    /// test distinguishes groups with the same attributes.
    pub(super) fn name(&self) -> String {
        let Case { file, group, version, .. } = self;
        let attributes = group.attributes.to_string().replace('=', "").replace(' ', "_");
        let id = group.tests.first().map_or("", |test| &test.id);
        let parts = format!("test_cast_{version}_{}_to_{}_{attributes}_{id}", file.from, file.to);
        parts.replace("__", "_")
    }

    /// Returns the files of the folder, by name.
    pub(super) fn files(&self) -> Result<[(&'static str, Vec<u8>); 4]> {
        let Case { file, group, version, answered } = self;
        let inputs: Vec<Element> = answered.iter().map(|(test, _)| test.input.clone()).collect();
        let outputs: Vec<Element> = answered.iter().map(|(_, element)| element.clone()).collect();
        let graph = ModelGraph {
            version: *version,
            dtypes: &[file.from, file.to],
            attributes: &[group.attributes],
            like: false,
            count: Some(answered.len()),
        };
        Ok([
            ("data.json", EXACT.into()),
            ("model.onnx", model_file(&graph, None)?),
            ("test_data_set_0/input_0.pb", tensor_file("x", file.from, &inputs)?),
            ("test_data_set_0/output_0.pb", tensor_file("y", file.to, &outputs)?),
        ])
    }
}

/// The tolerances that the loader of ONNX reads. Without this file it allows a relative error of
/// 0.001, which hides every wrong rounding to float32.
const EXACT: &[u8] = b"{\"atol\": 0.0, \"rtol\": 0.0}\n";

/// Returns the one right element of a test without a tolerated one.
fn single_answer(test: &Test, to: DType) -> Option<Element> {
    if test.tolerate.is_some() { None } else { only_answer(&test.expect.outcome(), to) }
}
