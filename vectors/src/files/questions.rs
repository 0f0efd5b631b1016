//! Files of questions with their answers.

use super::digest::sha256_hex;
use super::file::json;
use super::file::{FileError, Note};
use crate::Suite;
use crate::questions::question::{AnswerRecord, Question};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A suite of questions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QuestionFile {
    /// Always `castproof-vectors/1`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = super::file::FORMAT)))]
    pub format: String,
    /// The suite.
    pub suite: Suite,
    /// How many tests follow.
    pub number_of_tests: usize,
    /// The meaning of each flag that the file uses.
    pub notes: BTreeMap<String, Note>,
    /// The tests.
    pub tests: Vec<QuestionTest>,
}

/// One question and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct QuestionTest {
    /// Stable name: the first 12 hex digits of the SHA-256 of the compact JSON text
    /// `[suite,opsets,question]`.
    pub id: String,
    /// Operator versions in which the test holds; absent if the operator has only one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opsets: Vec<u32>,
    /// The question.
    pub ask: Question,
    /// What an implementation should answer.
    pub expect: AnswerRecord,
    /// What else is tolerated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerate: Option<AnswerRecord>,
    /// The clause that decides it.
    pub clause: String,
    /// Why the test exists; each flag is explained in `notes`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
}

impl QuestionTest {
    /// Returns the stable name of a test.
    pub fn id_of(suite: Suite, opsets: &[u32], ask: &Question) -> String {
        let text = serde_json::to_string(&(suite, opsets, ask)).expect("questions serialise");
        let mut id = sha256_hex(text.as_bytes());
        id.truncate(12);
        id
    }
}

impl QuestionFile {
    /// Reads a file and checks everything that can be checked without an oracle.
    ///
    /// # Errors
    /// The first error, with its place.
    pub fn parse(text: &str) -> Result<QuestionFile, FileError> {
        let parsed = serde_json::from_str::<QuestionFile>(text)
            .map_err(|error| FileError::json(&error))
            .and_then(|file| file.check().map(|()| file));
        parsed.map_err(FileError::on_one_line)
    }

    /// Writes the file deterministically, one test per line.
    pub fn render(&self) -> String {
        let mut text = format!(
            "{{\n\"format\": {}, \"suite\": {},\n\"numberOfTests\": {},\n\"notes\": {{",
            json(&self.format),
            json(&self.suite),
            self.number_of_tests
        );
        for (i, (flag, note)) in self.notes.iter().enumerate() {
            text += if i == 0 { "\n" } else { ",\n" };
            text += &format!("{}: {}", json(flag), json(note));
        }
        text += "\n},\n\"tests\": [";
        for (i, test) in self.tests.iter().enumerate() {
            text += if i == 0 { "\n" } else { ",\n" };
            text += &json(test);
        }
        text + "\n]\n}\n"
    }

    fn check(&self) -> Result<(), FileError> {
        let header = |problem: String| FileError { place: "header".into(), problem };
        if self.format != super::file::FORMAT {
            let known = super::file::FORMAT;
            return Err(header(format!("format is '{}'; this program reads {known}", self.format)));
        }
        if self.tests.len() != self.number_of_tests {
            return Err(header(format!(
                "numberOfTests is {} but the file holds {} tests",
                self.number_of_tests,
                self.tests.len()
            )));
        }
        let mut seen = BTreeSet::new();
        for test in &self.tests {
            self.check_test(test, &mut seen)
                .map_err(|problem| FileError { place: format!("test {}", test.id), problem })?;
        }
        Ok(())
    }

    fn check_test<'a>(
        &self,
        test: &'a QuestionTest,
        seen: &mut BTreeSet<&'a str>,
    ) -> Result<(), String> {
        test.ask.check(self.suite)?;
        let has_versions = [Suite::OnnxCastlike, Suite::OnnxChain].contains(&self.suite);
        if test.opsets.is_empty() == has_versions {
            return Err(
                "give opsets for CastLike and chains, and leave them out for other questions"
                    .into(),
            );
        }
        if let Some(flag) = test.flags.iter().find(|flag| !self.notes.contains_key(*flag)) {
            return Err(format!("flag '{flag}' is not explained in notes: add what it means"));
        }
        let id = QuestionTest::id_of(self.suite, &test.opsets, &test.ask);
        if id != test.id {
            return Err(format!("its id must be {id}, by its suite, opsets and question"));
        }
        if !seen.insert(&test.id) {
            return Err("stands twice in this file: delete one".into());
        }
        Ok(())
    }
}
