//! Vector files: any text, and good files with damage.

use crate::input::{AttributesInput, Choice};
use crate::judge::assert_one_line;
use arbitrary::{Arbitrary, Unstructured};
use castproof_check::fuzz::Random;
use castproof_vectors::{
    DType, Element, FORMAT, Group, Note, Outcome, OutcomeRecord, Suite, Test, VectorFile, test_id,
};
use std::collections::{BTreeMap, BTreeSet};

/// The text to parse. The first four bytes choose: if the last of them is below 0x80 (`raw` and a
/// line end), the rest is the text.
#[derive(Debug, Arbitrary)]
pub enum VectorFileInput<'a> {
    /// A text; bytes that are not UTF-8 are replaced.
    Raw(&'a [u8]),
    /// A good file and the edits that are made to it.
    Edited(FileInput<'a>, Vec<Edit>),
}

/// A good file.
#[derive(Debug, Arbitrary)]
pub struct FileInput<'a> {
    from: Choice<{ DType::NUMERIC.len() }>,
    to: Choice<{ DType::NUMERIC.len() }>,
    notes: Vec<(&'a str, &'a str)>,
    groups: Vec<GroupInput<'a>>,
}

/// A group; it is left out if it has no tests.
#[derive(Debug, Arbitrary)]
pub struct GroupInput<'a> {
    /// Opsets as a set of bits; an empty set means opset 28.
    opsets: u32,
    attributes: AttributesInput,
    tests: Vec<TestInput<'a>>,
}

/// A test; it is left out if its id is already in the file.
#[derive(Debug, Arbitrary)]
pub struct TestInput<'a> {
    input: u64,
    expect: OutcomeInput,
    tolerate: Option<OutcomeInput>,
    clause: &'a str,
    /// Notes as a set of bits.
    flags: u8,
}

/// An outcome; codes are cut to the width of the target.
#[derive(Clone, Debug, Arbitrary)]
pub enum OutcomeInput {
    /// [`Outcome::Code`].
    Code(u64),
    /// [`Outcome::OneOf`] two or three codes.
    OneOf(u64, u64, Option<u64>),
    /// [`Outcome::AnyNan`].
    AnyNan,
    /// [`Outcome::Any`].
    Any,
    /// [`Outcome::Reject`].
    Reject,
    /// [`Outcome::QuietNan`].
    QuietNan,
}

/// An edit: characters are removed from a text, and a fragment is inserted in their place.
#[derive(Debug, Arbitrary)]
pub struct Edit {
    at: u16,
    remove: Choice<32>,
    insert: Choice<{ FRAGMENTS.len() }>,
}

/// Fragments that break or distort a file of JSON.
const FRAGMENTS: [&str; 24] = [
    "",
    "\"",
    "\\n",
    "\\u0000",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "null",
    "true",
    "-1",
    "1e999",
    "18446744073709551616",
    "0x",
    "0X1F",
    "é",
    "\n",
    "\"from\": \"int8\",",
    "\"extra\": 0,",
    "28",
    "string",
    "{\"any\":true}",
];

/// Checks parsing. It never panics. A file that parses can be written, and parses back to an equal
/// file. Errors are one line. A good file parses.
///
/// # Panics
/// If one of these does not hold.
pub fn check_vector_file(input: &VectorFileInput<'_>) {
    match input {
        VectorFileInput::Raw(bytes) => assert_round_trip(&String::from_utf8_lossy(bytes)),
        VectorFileInput::Edited(input, edits) => {
            let file = file(input);
            let mut text = file.render();
            match VectorFile::parse(&text) {
                Ok(parsed) => assert_eq!(parsed, file, "{text}"),
                Err(error) => panic!("a good file does not parse: {error}\n{text}"),
            }
            for edit in edits {
                apply(edit, &mut text);
            }
            assert_round_trip(&text);
        }
    }
}

/// Returns a good file, as text.
pub(crate) fn drawn_file(random: &mut Random) -> Vec<u8> {
    let bytes: Vec<u8> = (0..64).flat_map(|_| random.number().to_le_bytes()).collect();
    let input = FileInput::arbitrary(&mut Unstructured::new(&bytes));
    input.map_or_else(|_| vec![], |input| file(&input).render().into_bytes())
}

fn assert_round_trip(text: &str) {
    match VectorFile::parse(text) {
        Ok(file) => {
            assert_consistent(&file, text);
            let rendered = file.render();
            assert_eq!(VectorFile::parse(&rendered), Ok(file), "{rendered}");
        }
        Err(error) => assert_one_line(&error.to_string()),
    }
}

/// Asserts that repeated facts in a file agree, because the program relies on that once a file is
/// read.
fn assert_consistent(file: &VectorFile, text: &str) {
    let tests = || file.groups.iter().flat_map(|group| &group.tests);
    assert_eq!(file.number_of_tests, tests().count(), "{text}");
    let ids: BTreeSet<&str> = tests().map(|test| test.id.as_str()).collect();
    assert_eq!(ids.len(), tests().count(), "a test stands twice: {text}");
    for test in tests() {
        let explained = test.flags.iter().all(|flag| file.notes.contains_key(flag));
        assert!(explained, "{}: a flag without a note: {text}", test.id);
    }
    for Group { opsets, attributes, tests } in &file.groups {
        assert!(opsets.is_sorted_by(|a, b| a < b), "{opsets:?}: {text}");
        for test in tests {
            let first = opsets.first().copied();
            let id = test_id(file.suite, (file.from, file.to), first, attributes, &test.input);
            assert_eq!(test.id, id, "{text}");
        }
    }
}

fn file(input: &FileInput<'_>) -> VectorFile {
    let note = |&(flag, text): &(&str, &str)| {
        (flag.to_string(), Note { description: text.to_string(), bug_type: flag.to_string() })
    };
    let mut file = VectorFile {
        format: FORMAT.into(),
        suite: Suite::OnnxCast,
        from: DType::NUMERIC[input.from.0],
        to: DType::NUMERIC[input.to.0],
        serves_too: BTreeMap::new(),
        number_of_tests: 0,
        notes: input.notes.iter().map(note).collect(),
        groups: Vec::new(),
    };
    let mut ids = BTreeSet::new();
    for group in &input.groups {
        let mut group = group_of(&file, group);
        group.tests.retain(|test| ids.insert(test.id.clone()));
        if !group.tests.is_empty() {
            file.number_of_tests += group.tests.len();
            file.groups.push(group);
        }
    }
    file
}

fn group_of(file: &VectorFile, input: &GroupInput<'_>) -> Group {
    let mut opsets: Vec<u32> = (0..32).filter(|bit| input.opsets >> bit & 1 == 1).collect();
    if opsets.is_empty() {
        opsets.push(28);
    }
    let mut group = Group { opsets, attributes: input.attributes.attributes(), tests: Vec::new() };
    group.tests = input.tests.iter().map(|test| test_of(file, &group, test)).collect();
    group
}

fn test_of(file: &VectorFile, group: &Group, test: &TestInput<'_>) -> Test {
    let input = Element::code(test.input & file.from.code_mask(), file.from);
    let pair = (file.from, file.to);
    let clause = if test.clause.is_empty() { "FF-01" } else { test.clause };
    let flagged = file.notes.keys().enumerate().filter(|(index, _)| *index < 8);
    Test {
        id: test_id(file.suite, pair, group.opsets.first().copied(), &group.attributes, &input),
        input,
        expect: outcome(&test.expect, file.to),
        tolerate: test.tolerate.as_ref().map(|tolerate| outcome(tolerate, file.to)),
        clause: clause.to_string(),
        flags: flagged
            .filter(|(index, _)| test.flags >> index & 1 == 1)
            .map(|(_, flag)| flag.clone())
            .collect(),
    }
}

fn outcome(input: &OutcomeInput, to: DType) -> OutcomeRecord {
    let outcome = match *input {
        OutcomeInput::Code(code) => Outcome::Code(code & to.code_mask()),
        OutcomeInput::OneOf(a, b, c) => {
            Outcome::one_of([a, b].into_iter().chain(c).map(|code| code & to.code_mask()))
        }
        OutcomeInput::AnyNan => Outcome::AnyNan,
        OutcomeInput::Any => Outcome::Any,
        OutcomeInput::Reject => Outcome::Reject,
        OutcomeInput::QuietNan => Outcome::QuietNan,
    };
    OutcomeRecord::new(&outcome, to)
}

fn apply(edit: &Edit, text: &mut String) {
    let starts: BTreeMap<usize, usize> =
        text.char_indices().map(|(byte, _)| byte).enumerate().collect();
    let byte = |place: usize| starts.get(&place).copied().unwrap_or(text.len());
    let at = usize::from(edit.at) % (starts.len() + 1);
    text.replace_range(byte(at)..byte(at + edit.remove.0), FRAGMENTS[edit.insert.0]);
}
