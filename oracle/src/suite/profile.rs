//! The vector file of a pair in a profile. It has no versions. In level core it has fewer tests
//! than ONNX has, because the folder of level core has little room. The book holds every answer.
//! Profiles with the same answers for a pair have one file.

use super::file::{Answered, Tests, answer_all, is_special, select, with_telling};
use crate::cases::{Flag, chosen, telling};
use crate::cast::Caster;
use crate::partition::partition;
use crate::spec::profile_pairs;
use castproof_vectors::{
    Attributes, DType, Element, Expectation, Level, Profile, Request, RoundMode, RuleId, Rules,
    Spec, Suite, VectorFile, piece_of,
};
use std::collections::{BTreeMap, BTreeSet};

/// The most telling elements of pieces that level core takes for each pair.
const CORE_TELLING: usize = 24;

/// Further tests of level core: a few of every rule and every flag.
const CORE_MORE_TESTS: usize = 8;

/// Returns the vectors of one of a profile's pairs ([`profile_pairs`](crate::profile_pairs)).
/// Refusals come last: of the pair, or of the attributes that the profile lacks.
///
/// # Panics
/// If a dtype is not numeric, or the profile casts only complex dtypes.
pub fn profile_suite(profile: Profile, pair: (DType, DType), level: Level) -> VectorFile {
    let owner = owner(profile, pair);
    let mut file = own_suite(owner, pair, level);
    if owner != profile {
        file.serves_too.extend(clauses(owner, profile, pair).map(|map| (profile, map)));
        return file.serving(profile).expect("the owner serves the profile");
    }
    let others = Profile::numeric().filter(|&other| other != owner);
    let served = others.filter(|&other| self::owner(other, pair) == owner);
    let served = served.filter_map(|other| Some((other, clauses(owner, other, pair)?)));
    file.serves_too.extend(served);
    file
}

/// Returns the first profile with the answers of this one for a pair. Its vector file serves all
/// profiles with these answers.
pub fn owner(profile: Profile, pair: (DType, DType)) -> Profile {
    let before = Profile::numeric().take_while(|&other| other != profile);
    let mut same = before.filter(|&other| clauses(other, profile, pair).is_some());
    same.next().unwrap_or(profile)
}

/// Returns the clause of one profile that takes the place of each clause of another one; `None`
/// unless both have the pair, give the same answers, and a clause has only one in its place.
fn clauses(of: Profile, other: Profile, pair: (DType, DType)) -> Option<BTreeMap<String, String>> {
    let has = |profile| profile_pairs(profile).contains(&pair);
    if !has(of) || !has(other) {
        return None;
    }
    let requests = [of, other].map(|it| Request::new(Spec::Profile(it), pair.0, pair.1));
    let mut clauses = BTreeMap::new();
    let mut replace = |rules: [RuleId; 2]| {
        let [rule, other] = rules.map(|rule| rule.to_string());
        *clauses.entry(rule).or_insert_with(|| other.clone()) == other
    };
    let attributes = [attribute(true), attribute(false)];
    for attributes in attributes {
        let refused = requests.map(|it| caster(&it.with(attributes)).is_refused());
        let rules = requests.map(|it| answer(&it.with(attributes), 0).rule);
        if refused != [true; 2] || !replace(rules) {
            return None;
        }
    }
    let pieces = requests.map(|it| partition(&it).expect("a numeric pair"));
    let mut first = 0;
    loop {
        let [one, two] = [0, 1].map(|side| piece_of(&pieces[side], first));
        let same = one.formula == two.formula && one.tolerate == two.tolerate;
        let kinds = |rules: &Rules| {
            let inexact = rules.inexact.unwrap_or(rules.rule);
            [rules.rule, inexact, rules.twice.unwrap_or(inexact)]
        };
        let pairs = kinds(&one.rules).into_iter().zip(kinds(&two.rules));
        if !same || !pairs.into_iter().all(|(rule, other)| replace([rule, other])) {
            return None;
        }
        match one.last.min(two.last).checked_add(1).filter(|next| *next <= pair.0.code_mask()) {
            Some(next) => first = next,
            None => return Some(clauses),
        }
    }
}

/// One of the attributes alone.
fn attribute(is_saturate: bool) -> Attributes {
    let saturate = is_saturate.then_some(true);
    Attributes { saturate, round_mode: (!is_saturate).then_some(RoundMode::Up) }
}

fn answer(request: &Request, code: u64) -> Expectation {
    caster(request).cast(code).expect("zero is a code")
}

/// The vectors of a pair, whatever other profiles say of it.
fn own_suite(profile: Profile, (from, to): (DType, DType), level: Level) -> VectorFile {
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
    let with = [true, false].map(|is_saturate| request.with(attribute(is_saturate)));
    with.into_iter().filter(|request| caster(request).is_refused()).collect()
}
