//! Where a cast traps, a tensor that holds one such element is refused wherever the element stands, however right
//! the others are.

use super::cause::holds_at;
use super::plan::Arrangement;
use super::request::One;
use super::wording::misplaced;
use crate::ask::{Said, cast};
use crate::tensor::{Tensor, Way};
use castproof_check::arrange::Filling;
use castproof_check::verdict::Verdict;
use castproof_check::words;
use castproof_results::Misplaced;
use castproof_results::asked::Asked;
use castproof_results::place::Place;
use castproof_vectors::{Attributes, Element, OutcomeRecord, Test, VectorFile};

/// Counts of elements below, at and above those of usual vectors. The element stands at every place of the short
/// ones, and at some of the others.
const COUNTS: [usize; 14] = [2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 64, 65, 1000];
const SHORT: usize = 17;

/// The tests of a request whose other elements are cast.
pub(super) fn tests(file: &VectorFile, version: Option<u32>, attributes: Attributes) -> Vec<&Test> {
    let holds = |group: &&castproof_vectors::Group| {
        group.holds_in(version) && group.attributes == attributes
    };
    let tests = file.groups.iter().filter(holds).flat_map(|group| &group.tests);
    tests.filter(|test| matches!(test.expect, OutcomeRecord::Reject(_))).collect()
}

/// Asks for tensors with one element that must be refused among those that the testee gets right. Codes that it
/// does not refuse alone are left out: the vectors tell.
pub(super) fn run(one: &mut One<'_>, refused: &[&Test], asked: Asked) -> Option<Misplaced> {
    let right: Vec<u64> = one.right.iter().copied().collect();
    let coded = |test: &&&Test| test.input.as_code().is_some();
    let mut alone = Vec::new();
    for test in refused.iter().filter(coded) {
        let code = test.input.as_code()?;
        if is_refused(&ask(one, &[code])) {
            alone.push((code, *test));
        }
    }
    if right.is_empty() || alone.is_empty() {
        return None;
    }
    let mut cast: Vec<(usize, usize, &Test)> = Vec::new();
    let mut places: Vec<(usize, usize, bool)> = Vec::new();
    for count in COUNTS {
        for index in indices(count) {
            let number = places.len();
            let (code, test) = alone[number % alone.len()];
            let mut codes: Vec<u64> =
                right.iter().copied().cycle().skip(number).take(count).collect();
            codes[index] = code;
            let is_cast = !is_refused(&ask(one, &codes));
            places.push((count, index, is_cast));
            if is_cast {
                one.tally.wrong += 1;
                cast.push((count, index, test));
            }
        }
    }
    let &(count, index, test) = cast.first()?;
    let sizes = [2, 4, 8, 16, 32, 64].into_iter();
    let named = sizes.flat_map(|size| [Place::Tail(size), Place::Body(size)]);
    let place =
        [Place::FirstElement, Place::LastElement, Place::OtherTensors].into_iter().chain(named);
    let is_it = |place: &Place| {
        let everywhere = *place == Place::OtherTensors;
        places.iter().all(|&(count, index, is_cast)| {
            (everywhere || holds_at(place, index, count)) == is_cast
        })
    };
    let place = place.into_iter().find(is_it).unwrap_or(Place::NotExplained);
    let sentence = format!(
        "refused alone, and cast at element {index} of {count}: {}; {} of {} tensors",
        words::value(asked.from, test.input.as_code()?),
        cast.len(),
        places.len()
    );
    let tensor = Arrangement::plain(count, Filling::Cycle(0));
    Some(Misplaced {
        index: Some(index as u64),
        input: Some(test.input.clone()),
        expect: Some(test.expect.clone()),
        clause: Some(test.clause.clone()),
        codes: right.iter().take(count).map(|&code| Element::code(code, asked.from)).collect(),
        ..misplaced(asked, place, &tensor, sentence)
    })
}

/// Where the element stands in tensors of so many.
fn indices(count: usize) -> Vec<usize> {
    match count {
        ..=SHORT => (0..count).collect(),
        _ => vec![0, 1, count / 2, count - 2, count - 1],
    }
}

fn ask(one: &mut One<'_>, codes: &[u64]) -> Result<Vec<u8>, Said> {
    one.tally.tensors += 1;
    one.tally.elements += codes.len() as u64;
    let input = Tensor::plain(one.request, codes.to_vec()).input();
    let input = input.map_err(|problem| (Verdict::Crash, problem))?;
    cast(one.testee, &one.request, (&Way::Plain, codes.len()), &input)
}

fn is_refused(reply: &Result<Vec<u8>, Said>) -> bool {
    matches!(reply, Err((Verdict::Error | Verdict::Unsupported, _)))
}
