//! Vectors of chosen elements: those that fuzzing found, and those that a person asks for.

use castproof_check::fuzz::Draw;
use castproof_judge::answers::{self, Answering};
use castproof_oracle::attribute_sets_of;
use castproof_suites::Flag;
use castproof_vectors::{
    Attributes, DType, Element, Expectation, FORMAT, Group, Note, Operator, Outcome, OutcomeRecord,
    Request, Spec, Suite, Test, VectorFile, landmarks, test_id, versions,
};
use std::collections::{BTreeMap, BTreeSet};

/// The flag of tests that fuzzing found.
pub const FOUND: &str = "fuzz";

/// Inputs of the file of a pair, each with its attributes.
pub type Inputs = BTreeSet<(Attributes, Element)>;

/// The answers of an element, each with the versions that share it; a profile has none.
type Answers = Vec<(Expectation, Vec<u32>)>;

/// Makes the vectors of some inputs of a pair of a suite of casts: each is asked in every version,
/// without attributes and with its own.
///
/// # Errors
/// If an element is none of the source.
pub fn file(
    suite: Suite,
    (from, to): (DType, DType),
    inputs: &Inputs,
) -> Result<VectorFile, String> {
    let specs = suite.specs(versions(Operator::Cast));
    let newest = specs.last().copied().ok_or("no version has casts")?;
    let mut tests: BTreeMap<(Attributes, &Element), Answers> = BTreeMap::new();
    let mut flags: BTreeMap<&Element, Vec<String>> = BTreeMap::new();
    for (given, input) in inputs {
        for attributes in BTreeSet::from([Attributes::default(), *given]) {
            let answers = answers_of(&specs, (from, to), attributes, input)?;
            tests.insert((attributes, input), answers);
        }
        if !flags.contains_key(input) {
            flags.insert(input, kinds(&Request::new(newest, from, to), input)?);
        }
    }
    let mut groups: BTreeMap<(Attributes, Vec<u32>), Vec<Test>> = BTreeMap::new();
    for ((attributes, input), answers) in tests {
        for (answer, opsets) in answers {
            let named = (suite, attributes, opsets.first().copied());
            let test = test(named, (from, to), input, &answer, &flags[input]);
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
    let input = |code: &u64| Element::code(*code, pair.0);
    let inputs = sets.iter().flat_map(|set| codes.iter().map(|code| (*set, input(code)))).collect();
    let mut file = file(suite, pair, &inputs)?;
    file.notes.remove(FOUND);
    for test in file.groups.iter_mut().flat_map(|group| &mut group.tests) {
        test.flags.retain(|flag| flag != FOUND);
    }
    Ok(file)
}

/// Counts the tests of a file whose groups have changed.
pub fn count(file: &mut VectorFile) {
    file.number_of_tests = file.groups.iter().map(|group| group.tests.len()).sum();
}

/// Returns the answers of an element by all specifications that take the request, and the versions of each.
fn answers_of(
    specs: &[Spec],
    (from, to): (DType, DType),
    attributes: Attributes,
    input: &Element,
) -> Result<Answers, String> {
    let mut answers = Answers::new();
    for &spec in specs {
        let request = Request::new(spec, from, to).with(attributes);
        if !is_answered(&request) {
            continue;
        }
        let answer = answer(&request, input)?;
        match answers.iter_mut().find(|(known, _)| *known == answer) {
            Some((_, versions)) => versions.extend(spec.opset()),
            None => answers.push((answer, spec.opset().into_iter().collect())),
        }
    }
    Ok(answers)
}

/// Returns what a request must make of an element.
fn answer(request: &Request, input: &Element) -> Result<Expectation, String> {
    let answer = match (input.as_code(), request.from) {
        (Some(code), from) if from != DType::String => (answers::chosen().cast)(request, code),
        _ => Answering::chosen(request).and_then(|it| it.element(input)),
    };
    answer.map_err(|error| error.to_string())
}

fn test(
    (suite, attributes, first): (Suite, Attributes, Option<u32>),
    (from, to): (DType, DType),
    input: &Element,
    answer: &Expectation,
    flags: &[String],
) -> Test {
    let record = |outcome| OutcomeRecord::new(outcome, to);
    Test {
        id: test_id(suite, (from, to), first, &attributes, input),
        input: input.clone(),
        expect: record(&answer.expect),
        tolerate: answer.tolerate.as_ref().map(record),
        clause: answer.rule.to_string(),
        flags: flags.to_vec(),
    }
}

/// Returns the flags of an element: the kind of a code, by which the gate chooses codes for the same tensor, and
/// the flag of elements that fuzzing found.
fn kinds(request: &Request, input: &Element) -> Result<Vec<String>, String> {
    let kind = match input.as_code() {
        Some(code) if request.from.is_numeric() && request.to.is_numeric() => {
            kind(&*answers::draw(request)?, code)
        }
        _ => None,
    };
    Ok(kind.map(|flag| flag.name().into()).into_iter().chain([FOUND.into()]).collect())
}

fn kind(draw: &Draw, code: u64) -> Option<Flag> {
    let from = draw.request().from;
    landmarks(from).and_then(|landmarks| {
        let is = |name: &str| landmarks.values.get(name).is_some_and(|(it, _)| it.value() == code);
        match () {
            () if landmarks.is_nan(code) => Some(Flag::Nan),
            () if landmarks.infinity.iter().any(|it| it.value() == code) => Some(Flag::Infinity),
            () if is("zero") => Some(Flag::Zero),
            () if is("negative zero") => Some(Flag::NegativeZero),
            () if draw.is_tie(code) => Some(Flag::Tie),
            () => None,
        }
    })
}

/// Says what each of these flags means.
pub fn notes<'a>(used: impl Iterator<Item = &'a String>) -> BTreeMap<String, Note> {
    let described = |flag: &String| {
        let known = Flag::ALL.iter().find(|(_, name, ..)| name == flag);
        let (description, bug_type) = known
            .map_or(("found by castproof fuzz", "unforeseen"), |(_, _, what, bug)| (*what, *bug));
        Note { description: description.into(), bug_type: bug_type.into() }
    };
    used.map(|flag| (flag.clone(), described(flag))).collect()
}

/// Does the request have another answer than a refusal?
pub fn is_answered(request: &Request) -> bool {
    let probe = match request.from {
        DType::String => Element::Text("1".into()),
        from => Element::code(0, from),
    };
    answer(request, &probe).is_ok_and(|answer| answer.expect != Outcome::Reject)
}
