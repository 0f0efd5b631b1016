//! The vector file, `castproof-vectors/1`: one JSON file per (suite, from, to).

use super::digest::sha256_hex;
use crate::{Attributes, DType, Element, OutcomeRecord, Profile, Request, Suite};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

#[cfg(castproof_plant)]
use crate::plant::is_planted;

/// The `format` member of every vector file.
pub const FORMAT: &str = "castproof-vectors/1";

/// A vector file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VectorFile {
    /// Always `castproof-vectors/1`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = FORMAT)))]
    pub format: String,
    /// The suite.
    pub suite: Suite,
    /// Dtype of the inputs.
    pub from: DType,
    /// Dtype of the outputs.
    pub to: DType,
    /// The other profiles that give the same answers for the pair. Of each, the clause that takes
    /// the place of each clause of this file.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub serves_too: BTreeMap<Profile, BTreeMap<String, String>>,
    /// Tests in all groups together.
    pub number_of_tests: usize,
    /// The meaning of each flag that the file uses.
    pub notes: BTreeMap<String, Note>,
    /// The tests, grouped by operator versions and attributes.
    pub groups: Vec<Group>,
}

/// What a flag means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Note {
    /// Why such a test exists.
    pub description: String,
    /// The kind of bug that it finds.
    pub bug_type: String,
}

/// Tests with the same meaning in all of `opsets`, under the same attributes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Operator versions in which every test of the group holds, ascending; absent for a profile,
    /// which has no versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opsets: Vec<u32>,
    /// The attributes that the request gives.
    pub attributes: Attributes,
    /// The tests.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub tests: Vec<Test>,
}

impl Group {
    /// Does the group hold in this operator version? `None` stands for a profile, which has no
    /// versions.
    pub fn holds_in(&self, version: Option<u32>) -> bool {
        version.map_or(self.opsets.is_empty(), |version| self.opsets.contains(&version))
    }
}

/// One element and the result that it must give.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Test {
    /// Stable name: the first 12 hex digits of a SHA-256 over suite, dtypes, first version of the
    /// group, attributes and input.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[0-9a-f]{12}$")))]
    pub id: String,
    /// The input element.
    pub input: Element,
    /// What an implementation should return.
    pub expect: OutcomeRecord,
    /// What else is tolerated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerate: Option<OutcomeRecord>,
    /// The clause that decides it.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub clause: String,
    /// Why the test exists; each flag is explained in `notes`.
    pub flags: Vec<String>,
}

/// Returns the stable name of a test: the first 12 hex digits of the SHA-256 of the compact JSON
/// text `[suite,from,to,first opset of the group,attributes,input]`, for example
/// `["onnx-cast","float32","float8e4m3fn",19,{"saturate":0},"0x43e80000"]`. For a profile the opset
/// is `null`.
pub fn test_id(
    suite: Suite,
    (from, to): (DType, DType),
    first_opset: Option<u32>,
    attributes: &Attributes,
    input: &Element,
) -> String {
    let named = (suite, from, to, first_opset, attributes, input);
    let text = serde_json::to_string(&named).expect("labels serialise");
    let mut id = sha256_hex(text.as_bytes());
    id.truncate(12);
    id
}

/// Returns `cast/float32__float8e4m3fn.json`.
pub fn file_name(suite: Suite, from: DType, to: DType) -> String {
    format!("{}/{from}__{to}.json", suite.folder())
}

/// An error of a vector file, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// The place in the file: a line, a group, a test.
    pub place: String,
    /// What is wrong there.
    pub problem: String,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.problem)
    }
}

impl std::error::Error for FileError {}

impl FileError {
    /// Makes an error of a JSON error.
    pub(crate) fn json(error: &serde_json::Error) -> FileError {
        FileError {
            place: format!("line {} column {}", error.line(), error.column()),
            problem: strip_position(&error.to_string()),
        }
    }

    /// Escapes what the error quotes from the file, so that it stays on one line.
    pub(crate) fn on_one_line(self) -> FileError {
        let escaped = |text: String| -> String {
            let breaks = |c: char| c.is_control();
            #[cfg(castproof_plant)]
            let breaks = |c: char| breaks(c) && (c != '\t' || !is_planted("tab-in-an-error"));
            let escape =
                |c: char| if breaks(c) { c.escape_default().to_string() } else { c.into() };
            text.chars().map(escape).collect()
        };
        FileError { place: escaped(self.place), problem: escaped(self.problem) }
    }
}

impl VectorFile {
    /// Reads a file and checks everything that can be checked without an oracle: format, counts,
    /// code widths, ids, that no test occurs twice, that every flag is explained.
    ///
    /// # Errors
    /// The first error, with its place.
    pub fn parse(text: &str) -> Result<VectorFile, FileError> {
        let parsed =
            serde_json::from_str::<VectorFile>(text).map_err(|error| FileError::json(&error));
        parsed.and_then(|file| file.check().map(|()| file)).map_err(FileError::on_one_line)
    }

    /// Writes the file deterministically, one test per line.
    pub fn render(&self) -> String {
        let mut text = format!(
            "{{\n\"format\": {}, \"suite\": {}, \"from\": {}, \"to\": {},\n",
            json(&self.format),
            json(&self.suite),
            json(&self.from),
            json(&self.to),
        );
        if !self.serves_too.is_empty() {
            text += &format!("\"servesToo\": {},\n", json(&self.serves_too));
        }
        text += &format!("\"numberOfTests\": {},\n\"notes\": {{", self.number_of_tests);
        for (i, (flag, note)) in self.notes.iter().enumerate() {
            text += if i == 0 { "\n" } else { ",\n" };
            text += &format!("{}: {}", json(flag), json(note));
        }
        text += "\n},\n\"groups\": [";
        for (i, group) in self.groups.iter().enumerate() {
            text += if i == 0 { "\n" } else { ",\n" };
            let opsets = match group.opsets[..] {
                [] => String::new(),
                _ => format!("\"opsets\": {}, ", json(&group.opsets)),
            };
            text += &format!("{{{opsets}\"attributes\": {}, \"tests\": [", json(&group.attributes));
            for (j, test) in group.tests.iter().enumerate() {
                text += if j == 0 { "\n" } else { ",\n" };
                #[cfg(castproof_plant)]
                let test = &planted_test(test);
                text += &json(test);
            }
            text += "\n]}";
        }
        text + "\n]\n}\n"
    }

    fn check(&self) -> Result<(), FileError> {
        let header = |problem: String| FileError { place: "header".into(), problem };
        if self.format != FORMAT {
            return Err(header(format!(
                "format is '{}'; this program reads {FORMAT}",
                self.format
            )));
        }
        if !self.suite.is_casts() {
            let name = self.suite.name();
            return Err(header(format!("{name} is a suite of questions: give a suite of casts")));
        }
        if let Err(problem) = self.check_served() {
            return Err(header(problem));
        }
        if [self.from, self.to].iter().any(|dtype| !DType::CAST.contains(dtype)) {
            return Err(header(format!(
                "{} -> {} is not a pair of Cast: name dtypes of Cast",
                self.from, self.to
            )));
        }
        let count: usize = self.groups.iter().map(|group| group.tests.len()).sum();
        let is_counted = count == self.number_of_tests;
        #[cfg(castproof_plant)]
        let is_counted = is_counted || is_planted("count-unchecked");
        if !is_counted {
            return Err(header(format!(
                "numberOfTests is {} but the groups hold {count} tests",
                self.number_of_tests
            )));
        }
        let mut seen = BTreeSet::new();
        for (index, group) in self.groups.iter().enumerate() {
            let place = format!("group {}", index + 1);
            if let Err(problem) = self.check_opsets(group) {
                return Err(FileError { place, problem });
            }
            if group.tests.is_empty() {
                return Err(FileError {
                    place,
                    problem: "holds no test: add one, or delete the group".into(),
                });
            }
            for test in &group.tests {
                self.check_test(group, test, &mut seen).map_err(|problem| FileError {
                    place: format!("{place}, test {}", test.id),
                    problem,
                })?;
            }
        }
        Ok(())
    }

    fn check_opsets(&self, group: &Group) -> Result<(), String> {
        match self.suite {
            Suite::Profile(_) if group.opsets.is_empty() => Ok(()),
            Suite::Profile(profile) => {
                Err(format!("{} has no versions; leave opsets out", profile.name()))
            }
            #[cfg(castproof_plant)]
            _ if is_planted("opset-twice") && group.opsets.is_sorted() => Ok(()),
            _ if group.opsets.is_empty() || !group.opsets.is_sorted_by(|a, b| a < b) => {
                Err("opsets must be ascending and not empty".into())
            }
            _ => Ok(()),
        }
    }

    /// Every profile that the file serves has a clause for each clause of the tests.
    fn check_served(&self) -> Result<(), String> {
        let tests = || self.groups.iter().flat_map(|group| &group.tests);
        for (profile, clauses) in &self.serves_too {
            let name = profile.name();
            if !matches!(self.suite, Suite::Profile(own) if own != *profile) {
                return Err(format!("servesToo names {name}; it may name other profiles only"));
            }
            if let Some(test) = tests().find(|test| !clauses.contains_key(&test.clause)) {
                return Err(format!("servesToo has no clause of {name} for {}", test.clause));
            }
        }
        Ok(())
    }

    /// Returns the same tests as those of another profile that gives the same answers; `None` if the
    /// file does not serve it.
    pub fn serving(&self, profile: Profile) -> Option<VectorFile> {
        let clauses = self.serves_too.get(&profile)?;
        let suite = Suite::Profile(profile);
        let mut file = VectorFile { suite, serves_too: BTreeMap::new(), ..self.clone() };
        for group in &mut file.groups {
            for test in &mut group.tests {
                test.clause.clone_from(clauses.get(&test.clause)?);
                let (pair, first) = ((self.from, self.to), group.opsets.first().copied());
                test.id = test_id(suite, pair, first, &group.attributes, &test.input);
            }
        }
        Some(file)
    }

    /// Returns the requests that a group asks, one for each operator version.
    pub fn requests(&self, group: &Group) -> Vec<Request> {
        let specs = self.suite.specs(&group.opsets).into_iter();
        let request = |spec| Request::new(spec, self.from, self.to).with(group.attributes);
        specs.map(request).collect()
    }

    fn check_test<'a>(
        &self,
        group: &Group,
        test: &'a Test,
        seen: &mut BTreeSet<&'a str>,
    ) -> Result<(), String> {
        test.input.check(self.from)?;
        for outcome in std::iter::once(&test.expect).chain(&test.tolerate) {
            for code in outcome.codes() {
                code.check(self.to)?;
            }
            match outcome {
                OutcomeRecord::OneOf(codes) if codes.is_empty() => {
                    return Err("oneOf is empty: list the results".into());
                }
                OutcomeRecord::OneOfText(texts) if texts.is_empty() => {
                    return Err("oneOfText is empty: list the texts".into());
                }
                _ if outcome.is_text() && self.to != DType::String => {
                    return Err(format!(
                        "expects a text, but elements of {} are codes: give a code",
                        self.to
                    ));
                }
                _ => {}
            }
        }
        let is_unexplained = |flag: &&String| !self.notes.contains_key(*flag);
        #[cfg(castproof_plant)]
        let is_unexplained =
            |flag: &&String| is_unexplained(flag) && !is_planted("flag-unexplained");
        if let Some(flag) = test.flags.iter().find(is_unexplained) {
            return Err(format!("flag '{flag}' is not explained in notes: add what it means"));
        }
        if test.clause.is_empty() {
            return Err("names no clause: give the id of its rule".into());
        }
        let pair = (self.from, self.to);
        let id = test_id(
            self.suite,
            pair,
            group.opsets.first().copied(),
            &group.attributes,
            &test.input,
        );
        let is_its_id = id == test.id;
        #[cfg(castproof_plant)]
        let is_its_id = is_its_id || is_planted("id-unchecked");
        if !is_its_id {
            return Err(format!(
                "its id must be {id}, by its suite, pair, opset, attributes and input"
            ));
        }
        if !seen.insert(&test.id) {
            return Err("stands twice in this file: delete one".into());
        }
        Ok(())
    }
}

/// Returns a test as a planted fault writes it.
#[cfg(castproof_plant)]
fn planted_test(test: &Test) -> Test {
    let is_lost = is_planted("tolerance-lost") && matches!(test.expect, OutcomeRecord::AnyNan(_));
    Test { tolerate: test.tolerate.clone().filter(|_| !is_lost), ..test.clone() }
}

/// serde_json repeats the position at the end of its messages; `FileError` has its own place.
fn strip_position(message: &str) -> String {
    message.rsplit_once(" at line ").map_or(message, |(text, _)| text).to_string()
}

pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("file members serialise")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{
"format": "castproof-vectors/1", "suite": "onnx-cast", "from": "float32", "to": "float8e4m3fn",
"numberOfTests": 1, "notes": {"tie": {"description": "d", "bugType": "b"}},
"groups": [{"opsets": [19, 21], "attributes": {"saturate":0}, "tests": [
{"id":"ID","input":"0x43e80000","expect":{"code":"0x7e"},"clause":"F8-N10","flags":["tie"]}]}]}"#;

    fn good() -> String {
        let attributes = Attributes { saturate: Some(false), round_mode: None };
        let input = Element::code(0x43e8_0000, DType::Float32);
        let pair = (DType::Float32, DType::Float8E4M3FN);
        GOOD.replace("ID", &test_id(Suite::OnnxCast, pair, Some(19), &attributes, &input))
    }

    #[test]
    fn rendering_parses_back() {
        let file = VectorFile::parse(&good()).expect("a good file");
        assert_eq!(VectorFile::parse(&file.render()), Ok(file));
    }

    #[test]
    fn every_kind_of_damage_is_named() {
        for (from, to, message) in [
            ("castproof-vectors/1", "castproof-vectors/9", "this program reads"),
            ("\"numberOfTests\": 1", "\"numberOfTests\": 2", "the groups hold 1 tests"),
            ("0x43e80000", "0x43e8000", "has 7 hex digits; a float32 code has 8"),
            ("0x43e80000", "0x43e80001", "its id must be"),
            ("0x43e80000", "43e80000", "is not a code"),
            ("0x7e", "0x17e", "has 3 hex digits"),
            ("[\"tie\"]", "[\"tye\"]", "flag 'tye' is not explained"),
            ("[19, 21]", "[21, 19]", "ascending"),
            (
                "\"clause\":\"F8-N10\"",
                "\"clause\":\"\"",
                "names no clause: give the id of its rule",
            ),
            ("\"clause\"", "\"klause\"", "unknown field `klause`"),
            ("\"code\"", "\"kode\"", "unknown field `kode`"),
            ("{\"code\":\"0x7e\"}", "{\"any\":false}", "must be true"),
            ("{\"code\":\"0x7e\"}", "{\"oneOf\":[]}", "oneOf is empty: list the results"),
            ("{\"code\":\"0x7e\"}", "{}", "exactly one of"),
            ("{\"code\":\"0x7e\"}", "{\"code\":\"0x7e\",\"any\":true}", "exactly one of"),
            ("{\"code\":\"0x7e\"}", "{\"roundTrips\":true}", "given together"),
            ("{\"code\":\"0x7e\"}", "{\"text\":\"1\"}", "expects a text"),
            ("\"saturate\":0", "\"saturate\":2", "saturate is 2"),
            ("\"float32\"", "\"float31\"", "unknown variant `float31`"),
            ("0x43e80000", "0x4\\n", "'0x4\\n' is not a code"),
        ] {
            let text = good().replacen(from, to, 1);
            let error = VectorFile::parse(&text).expect_err(message).to_string();
            assert!(error.contains(message), "{error}");
            assert!(!error.contains('\n'), "{error}");
        }
    }

    #[test]
    fn a_repeated_test_is_named() {
        let mut file = VectorFile::parse(&good()).expect("a good file");
        let test = file.groups[0].tests[0].clone();
        file.groups[0].tests.push(test.clone());
        file.number_of_tests = 2;
        let error = VectorFile::parse(&file.render()).unwrap_err().to_string();
        assert!(error.contains(&test.id) && error.contains("stands twice"), "{error}");
    }
}
