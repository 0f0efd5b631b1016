//! Vectors of chosen codes: those that fuzzing found, and those that a person asks for.

use castproof_check::fuzz::Draw;
use castproof_judge::answers;
use castproof_oracle::{Flag, attribute_sets_of};
use castproof_vectors::{
    Attributes, DType, Element, Expectation, FORMAT, Group, Note, Operator, Outcome, OutcomeRecord,
    Request, Spec, Suite, Test, VectorFile, landmarks, test_id, versions,
};
use std::collections::{BTreeMap, BTreeSet};

/// The flag of tests that fuzzing found.
pub(crate) const FOUND: &str = "fuzz";

/// Inputs of the file of a pair, each with its attributes.
pub(crate) type Inputs = BTreeSet<(Attributes, u64)>;

/// The answers of a code, each with the versions that share it; a profile has none.
type Answers = Vec<(Expectation, Vec<u32>)>;

/// Makes the vectors of some inputs of a pair of a suite of casts: each is asked in every version,
/// without attributes and with its own.
///
/// # Errors
/// If the pair is not numeric.
pub(crate) fn file(
    suite: Suite,
    (from, to): (DType, DType),
    inputs: &Inputs,
) -> Result<VectorFile, String> {
    let specs = suite.specs(versions(Operator::Cast));
    let newest = specs.last().copied().ok_or("no version has casts")?;
    let mut tests: BTreeMap<(Attributes, u64), Answers> = BTreeMap::new();
    let mut flags: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for &(given, code) in inputs {
        for attributes in BTreeSet::from([Attributes::default(), given]) {
            let answers = answers_of(&specs, (from, to), attributes, code)?;
            tests.insert((attributes, code), answers);
        }
        let draw = answers::draw(&Request::new(newest, from, to))?;
        flags.entry(code).or_insert_with(|| kinds(&draw, code));
    }
    let mut groups: BTreeMap<(Attributes, Vec<u32>), Vec<Test>> = BTreeMap::new();
    for ((attributes, code), answers) in tests {
        for (answer, opsets) in answers {
            let named = (suite, attributes, opsets.first().copied());
            let test = test(named, (from, to), code, &answer, &flags[&code]);
            groups.entry((attributes, opsets)).or_default().push(test);
        }
    }
    let groups: Vec<Group> = groups
        .into_iter()
        .map(|((attributes, opsets), tests)| Group { opsets, attributes, tests })
        .collect();
    let mut file = VectorFile {
        format: FORMAT.into(),
        suite,
        from,
        to,
        serves_too: BTreeMap::new(),
        number_of_tests: 0,
        notes: notes(flags.values().flatten()),
        groups,
    };
    count(&mut file);
    Ok(file)
}

/// Makes the vectors of some codes of a pair, each with every combination of the attributes that matter to it.
///
/// # Errors
/// If the pair is not numeric.
pub(crate) fn of_codes(
    suite: Suite,
    pair: (DType, DType),
    codes: &[u64],
) -> Result<VectorFile, String> {
    let newest = suite.specs(versions(Operator::Cast)).last().copied();
    let sets = attribute_sets_of(newest.ok_or("no version has casts")?, pair);
    let inputs = sets.iter().flat_map(|set| codes.iter().map(|&code| (*set, code))).collect();
    let mut file = file(suite, pair, &inputs)?;
    file.notes.remove(FOUND);
    for test in file.groups.iter_mut().flat_map(|group| &mut group.tests) {
        test.flags.retain(|flag| flag != FOUND);
    }
    Ok(file)
}

pub(crate) fn count(file: &mut VectorFile) {
    file.number_of_tests = file.groups.iter().map(|group| group.tests.len()).sum();
}

/// Returns the answers of a code by all specifications that take the request, and the versions of each.
fn answers_of(
    specs: &[Spec],
    (from, to): (DType, DType),
    attributes: Attributes,
    code: u64,
) -> Result<Answers, String> {
    let cast = answers::chosen().cast;
    let mut answers = Answers::new();
    for &spec in specs {
        let request = Request::new(spec, from, to).with(attributes);
        if !is_answered(&request) {
            continue;
        }
        let answer = cast(&request, code).map_err(|error| error.to_string())?;
        match answers.iter_mut().find(|(known, _)| *known == answer) {
            Some((_, versions)) => versions.extend(spec.opset()),
            None => answers.push((answer, spec.opset().into_iter().collect())),
        }
    }
    Ok(answers)
}

fn test(
    (suite, attributes, first): (Suite, Attributes, Option<u32>),
    (from, to): (DType, DType),
    code: u64,
    answer: &Expectation,
    flags: &[String],
) -> Test {
    let input = Element::code(code, from);
    let record = |outcome| OutcomeRecord::new(outcome, to);
    Test {
        id: test_id(suite, (from, to), first, &attributes, &input),
        input,
        expect: record(&answer.expect),
        tolerate: answer.tolerate.as_ref().map(record),
        clause: answer.rule.to_string(),
        flags: flags.to_vec(),
    }
}

/// Returns the flags of a code: its kind, by which the gate chooses codes for the same tensor, and
/// the flag of codes that fuzzing found.
fn kinds(draw: &Draw, code: u64) -> Vec<String> {
    let from = draw.request().from;
    let kind = landmarks(from).and_then(|landmarks| {
        let is = |name: &str| landmarks.values.get(name).is_some_and(|(it, _)| it.value() == code);
        match () {
            () if landmarks.is_nan(code) => Some(Flag::Nan),
            () if landmarks.infinity.iter().any(|it| it.value() == code) => Some(Flag::Infinity),
            () if is("zero") => Some(Flag::Zero),
            () if is("negative zero") => Some(Flag::NegativeZero),
            () if draw.is_tie(code) => Some(Flag::Tie),
            () => None,
        }
    });
    kind.map(|flag| flag.name().into()).into_iter().chain([FOUND.into()]).collect()
}

pub(crate) fn notes<'a>(used: impl Iterator<Item = &'a String>) -> BTreeMap<String, Note> {
    let described = |flag: &String| {
        let known = Flag::ALL.iter().find(|(_, name, ..)| name == flag);
        let (description, bug_type) = known
            .map_or(("found by castproof fuzz", "unforeseen"), |(_, _, what, bug)| (*what, *bug));
        Note { description: description.into(), bug_type: bug_type.into() }
    };
    used.map(|flag| (flag.clone(), described(flag))).collect()
}

/// Does the request have another answer than a refusal?
pub(crate) fn is_answered(request: &Request) -> bool {
    let answer = (answers::chosen().cast)(request, 0);
    answer.is_ok_and(|answer| answer.expect != Outcome::Reject)
}
