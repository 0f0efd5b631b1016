//! The vector file of a pair in a profile. It has no versions. In level core it has fewer tests
//! than ONNX has, because the folder of level core has little room. The book holds every answer.

use super::file::{Answered, Tests, answer_all, is_special, select, with_telling};
use crate::cases::{Flag, chosen, telling};
use crate::cast::Caster;
use castproof_vectors::{
    Attributes, DType, Element, Level, Profile, Request, RoundMode, Spec, Suite, VectorFile,
};
use std::collections::BTreeSet;

/// The most telling elements of pieces that level core takes for each pair.
const CORE_TELLING: usize = 24;

/// Further tests of level core: a few of every rule and every flag.
const CORE_MORE_TESTS: usize = 8;

/// Returns the vectors of one of a profile's pairs ([`profile_pairs`](crate::profile_pairs)).
/// Refusals come last: of the pair, or of the attributes that the profile lacks.
///
/// # Panics
/// If a dtype is not numeric, or the profile casts only complex dtypes.
pub fn profile_suite(profile: Profile, (from, to): (DType, DType), level: Level) -> VectorFile {
    let request = Request::new(Spec::Profile(profile), from, to);
    let mut tests = Tests::new(Suite::Profile(profile), from, to);
    if !caster(&request).is_refused() {
        let chosen = chosen(from, to, level);
        let element = |(code, flag)| (Element::code(code, from), flag);
        let telling: Vec<(Element, Flag)> = telling(&request).into_iter().map(element).collect();
        let mut first: BTreeSet<Element> = BTreeSet::new();
        let mut limit = usize::MAX;
        if level == Level::Core {
            let special = chosen.iter().filter(|(_, flags)| is_special(flags));
            first.extend(special.map(|(element, _)| element.clone()));
            first.extend(telling.iter().take(CORE_TELLING).map(|(element, _)| element.clone()));
            limit = CORE_MORE_TESTS;
        }
        let epochs = [(caster(&request), vec![])];
        let answered = answer_all(&epochs, &with_telling(&chosen, telling));
        let (first, rest): (Vec<Answered>, Vec<Answered>) =
            answered.into_iter().partition(|case| first.contains(&case.element));
        for case in first.iter().chain(select(&rest, limit)) {
            tests.add(request.attributes, case);
        }
    }
    for request in refused(&request) {
        let element = Element::code(0, from);
        let answer = caster(&request).cast_element(&element).expect("zero is an element");
        let flags = BTreeSet::from([Flag::Refused]);
        let case = Answered { element, flags, answers: vec![(answer, vec![])] };
        tests.add(request.attributes, &case);
    }
    tests.into_file()
}

fn caster(request: &Request) -> Caster {
    Caster::new(request).expect("a numeric pair of a numeric profile")
}

/// Returns the request if it is refused, otherwise the request with each attribute that is refused.
fn refused(request: &Request) -> Vec<Request> {
    if caster(request).is_refused() {
        return vec![*request];
    }
    let saturate = Attributes { saturate: Some(true), round_mode: None };
    let round_mode = Attributes { saturate: None, round_mode: Some(RoundMode::Up) };
    let with = [saturate, round_mode].map(|attributes| request.with(attributes));
    with.into_iter().filter(|request| caster(request).is_refused()).collect()
}
