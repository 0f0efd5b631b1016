//! The vector file of a pair in ONNX Cast: the chosen cases, answered for every version and
//! attribute.

use super::file::{Answered, Tests, answer_all, is_special, select, with_telling};
use super::regression::{once_wrong, regression_note};
use crate::attributes::{ignored_attributes, telling_attributes};
use crate::cases::{Chosen, Flag, chosen, missing_binades, telling};
use castproof_oracle::{Caster, answers_change, attribute_sets, having, leaves_out};
use castproof_vectors::{
    Attributes, DType, Element, Level, NEWEST, Operator, Outcome, Regression, Request, RoundMode,
    Spec, Suite, VectorFile, regressions, type_set, versions,
};
use std::collections::BTreeSet;

/// The most telling elements of pieces that level core takes for each pair and combination of
/// attributes. All ends of pieces are among them, because there are at most 520.
const CORE_TELLING: usize = 900;

/// The least number of elements of every flag in level core, if there are as many.
const CORE_OF_A_FLAG: usize = 4;

/// Further tests, a few of every rule and every flag: the first constant less the tests that are
/// there already, but at least the second.
const CORE_TESTS: usize = 24;
const CORE_MORE_TESTS: usize = 4;

/// Tests of a pair with string. There are fewer, because they are longer.
const CORE_TEXT_TESTS: usize = 40;

/// Tests for an attribute that must be ignored.
const IGNORED_ATTRIBUTE_TESTS: usize = 6;

/// The vectors of a pair of [`DType::CAST`].
///
/// Versions in which a case has the same answer share a group, so a group's `opsets` are those in
/// which its tests have the same meaning. The pair's refusals come last.
///
/// # Panics
/// If a dtype is neither numeric nor string.
pub fn suite(from: DType, to: DType, level: Level) -> VectorFile {
    suite_with(from, to, level, regressions())
}

/// Returns the vectors of a pair, including those of its regressions.
pub(super) fn suite_with(
    from: DType,
    to: DType,
    level: Level,
    regressions: &[Regression],
) -> VectorFile {
    let open = open_versions(from, to);
    let chosen = chosen(from, to, level);
    let apart = telling_attributes(Spec::cast(NEWEST), (from, to), &chosen);
    let mut tests = Tests::new(Suite::OnnxCast, from, to);
    for attributes in attribute_sets(to, NEWEST) {
        let mut telling = telling_elements(from, to, attributes, &open);
        let mut first = match level {
            _ if leaves_out(attributes, to) => apart.iter().cloned().collect(),
            Level::Core => first(&chosen, &telling),
            _ => BTreeSet::new(),
        };
        if level == Level::Core && attributes == Attributes::default() {
            let missing = in_missing_binades((from, to), &first);
            first.extend(missing.iter().map(|(element, _)| element.clone()));
            telling.extend(missing);
        }
        let wrong = once_wrong(regressions, (from, to), attributes);
        first.extend(wrong.iter().map(|(element, _)| element.clone()));
        telling.extend(wrong);
        let epochs = casters(from, to, attributes, &open);
        let answered = answer_all(&epochs, &with_telling(&chosen, telling));
        let limit =
            if level == Level::Core { core_tests(from, to, first.len()) } else { usize::MAX };
        let (first, rest): (Vec<Answered>, Vec<Answered>) =
            answered.into_iter().partition(|case| first.contains(&case.element));
        for case in first.iter().chain(select(&rest, limit)) {
            tests.add(attributes, case);
        }
    }
    for attributes in ignored_attributes(from, to) {
        let open = having(attributes, &open);
        let epochs = casters(from, to, attributes, &open);
        let wrong = once_wrong(regressions, (from, to), attributes);
        let mut answered = answer_all(&epochs, &with_telling(&tempting(&chosen), wrong));
        for case in &mut answered {
            case.flags.insert(Flag::IgnoredAttribute);
        }
        let (first, rest): (Vec<Answered>, Vec<Answered>) =
            answered.into_iter().partition(|case| case.flags.contains(&Flag::Regression));
        for case in first.iter().chain(select(&rest, IGNORED_ATTRIBUTE_TESTS)) {
            tests.add(attributes, case);
        }
    }
    for (attributes, case) in refusals(from, to, &open) {
        tests.add(attributes, &case);
    }
    let mut file = tests.into_file();
    regression_note(&mut file, regressions);
    file
}

/// Returns the elements that the pieces of a request make telling, the most telling first: see
/// [`telling`]. If versions differ, the newest comes first. Strings have no pieces and give none.
fn telling_elements(
    from: DType,
    to: DType,
    attributes: Attributes,
    open: &[u32],
) -> Vec<(Element, Flag)> {
    if from == DType::String || to == DType::String {
        return vec![];
    }
    let mut seen = BTreeSet::new();
    let mut elements = Vec::new();
    for versions in epochs(open).iter().rev() {
        for (code, flag) in telling(&Request::cast(from, to, versions[0]).with(attributes)) {
            if seen.insert((code, flag)) {
                elements.push((Element::code(code, from), flag));
            }
        }
    }
    elements
}

/// Returns the elements that level core has in any case: special values, as many of the telling
/// elements as fit, and a few of every flag.
fn first(chosen: &Chosen, telling: &[(Element, Flag)]) -> BTreeSet<Element> {
    let numeric = chosen.iter().filter(|(element, _)| element.as_code().is_some());
    let special = numeric.filter(|(_, flags)| is_special(flags));
    let mut first: BTreeSet<Element> = special.map(|(element, _)| element.clone()).collect();
    first.extend(telling.iter().take(CORE_TELLING).map(|(element, _)| element.clone()));
    for (flag, ..) in Flag::ALL {
        let flagged: Vec<&Element> = chosen
            .iter()
            .filter(|(element, flags)| element.as_code().is_some() && flags.contains(&flag))
            .map(|(element, _)| element)
            .collect();
        let there = flagged.iter().filter(|element| first.contains(**element)).count();
        let missing = CORE_OF_A_FLAG.saturating_sub(there);
        let step = flagged.len().div_ceil(missing.max(1)).max(1);
        let spread = flagged.iter().skip(step / 2).step_by(step).take(missing);
        first.extend(spread.map(|element| (*element).clone()));
    }
    first
}

/// Returns numbers of the binades in which no element of `first` lies, unless any result is right.
fn in_missing_binades(
    (from, to): (DType, DType),
    first: &BTreeSet<Element>,
) -> Vec<(Element, Flag)> {
    if to == DType::String {
        return vec![];
    }
    let caster = caster(from, to, NEWEST, Attributes::default());
    let is_due = |element: &Element| {
        let answer = caster.cast_element(element).expect("an element of the source");
        answer.expect != Outcome::Any
    };
    missing_binades(from, first).into_iter().filter(|(element, _)| is_due(element)).collect()
}

/// Returns how many of the other elements level core takes besides the `first` ones.
fn core_tests(from: DType, to: DType, first: usize) -> usize {
    if from == DType::String || to == DType::String {
        CORE_TEXT_TESTS
    } else {
        CORE_TESTS.saturating_sub(first).max(CORE_MORE_TESTS)
    }
}

/// The versions whose type set holds both dtypes.
fn open_versions(from: DType, to: DType) -> Vec<u32> {
    let open = |version: &u32| {
        let set = type_set(Operator::Cast, *version);
        set.contains(&from) && set.contains(&to)
    };
    versions(Operator::Cast).iter().copied().filter(open).collect()
}

/// Returns the cases whose answer would change if an ignored attribute for overflow or rounding
/// were heeded.
fn tempting(chosen: &Chosen) -> Chosen {
    let heeded = [Flag::Overflow, Flag::Infinity, Flag::TieAbove, Flag::IntegralAbove];
    let tempting = |flags: &BTreeSet<Flag>| heeded.iter().any(|flag| flags.contains(flag));
    let some: Chosen = chosen.iter().filter(|(_, flags)| tempting(flags)).cloned().collect();
    if some.is_empty() { chosen.clone() } else { some }
}

/// A caster for each run of versions without a change of rules.
fn casters(
    from: DType,
    to: DType,
    attributes: Attributes,
    open: &[u32],
) -> Vec<(Caster, Vec<u32>)> {
    let epochs = epochs(open).into_iter();
    epochs.map(|versions| (caster(from, to, versions[0], attributes), versions)).collect()
}

/// Splits the versions into runs without a change of rules, of which one needs to be asked.
fn epochs(open: &[u32]) -> Vec<Vec<u32>> {
    open.chunk_by(|_, &next| !answers_change(next)).map(<[u32]>::to_vec).collect()
}

fn caster(from: DType, to: DType, version: u32, attributes: Attributes) -> Caster {
    let request = Request::cast(from, to, version).with(attributes);
    Caster::new(&request).expect("pairs of known versions")
}

/// One test for the versions without this pair (T-01), and one for each attribute that a version
/// lacks (T-05).
fn refusals(from: DType, to: DType, open: &[u32]) -> Vec<(Attributes, Answered)> {
    let closed = versions(Operator::Cast).iter().copied().filter(|v| !open.contains(v)).collect();
    let lacking = |attributes| {
        let having = having(attributes, open);
        open.iter().copied().filter(|version| !having.contains(version)).collect()
    };
    let saturate = Attributes { saturate: Some(true), round_mode: None };
    let round_mode = Attributes { saturate: None, round_mode: Some(RoundMode::Up) };
    [
        (Attributes::default(), closed),
        (saturate, lacking(saturate)),
        (round_mode, lacking(round_mode)),
    ]
    .into_iter()
    .filter(|(_, versions): &(_, Vec<u32>)| !versions.is_empty())
    .map(|(attributes, versions)| {
        let caster = caster(from, to, versions[0], attributes);
        let element = match from {
            DType::String => Element::Text("0".into()),
            _ => Element::code(0, from),
        };
        let answer = caster.cast_element(&element).expect("zero is an element");
        let flags = BTreeSet::from([Flag::Refused]);
        (attributes, Answered { element, flags, answers: vec![(answer, versions)] })
    })
    .collect()
}
