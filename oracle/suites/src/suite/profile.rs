//! The vector file of a pair in a profile. It has no versions. In level core it has fewer tests
//! than ONNX has, because the folder of level core has little room. The book holds every answer.
//! Profiles with the same attributes and the same answers for a pair have one file.

use super::file::{Answered, Tests, answer_all, is_special, select, with_telling};
use crate::attributes::telling_attributes;
use crate::cases::{Chosen, Flag, chosen, telling};
use castproof_oracle::{Caster, attribute_sets_of, partition, profile_pairs};
use castproof_vectors::{
    Attributes, DType, Element, Expectation, Level, Outcome, Profile, Request, RoundMode, RuleId,
    Rules, Spec, Suite, VectorFile, piece_of,
};
use std::collections::{BTreeMap, BTreeSet};

/// The most telling elements of pieces that level core takes for each pair: of requests without
/// attributes, and of those with some.
const CORE_TELLING: [usize; 2] = [17, 9];

/// Further tests of level core: a few of every rule and every flag.
const CORE_MORE_TESTS: [usize; 2] = [8, 4];

/// Elements of each rule that leaves the result open, beside the further tests.
const CORE_OPEN: usize = 2;

/// Returns the vectors of one of a profile's pairs ([`profile_pairs`](castproof_oracle::profile_pairs)).
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
    let [sets, other_sets] = requests.map(|it| attribute_sets_of(it.spec, pair));
    let refused = requests.map(|it| refused(&it));
    let given = |requests: &[Request]| -> Vec<Attributes> {
        requests.iter().map(|request| request.attributes).collect()
    };
    if sets != other_sets || given(&refused[0]) != given(&refused[1]) {
        return None;
    }
    let mut clauses = BTreeMap::new();
    let mut replace = |rules: [RuleId; 2]| {
        let [rule, other] = rules.map(|rule| rule.to_string());
        *clauses.entry(rule).or_insert_with(|| other.clone()) == other
    };
    let refused = refused[0].iter().zip(&refused[1]);
    let mut refusals = refused.map(|(one, two)| [answer(one, 0).rule, answer(two, 0).rule]);
    let asked = |attributes| requests.map(|request| request.with(attributes));
    let is_same = refusals.all(&mut replace)
        && sets.into_iter().all(|attributes| same_answers(asked(attributes), &mut replace));
    is_same.then_some(clauses)
}

/// Do both requests expect and tolerate the same of every code? Says the rules of both to `replace`;
/// where it returns false, they are not the same.
fn same_answers(requests: [Request; 2], mut replace: impl FnMut([RuleId; 2]) -> bool) -> bool {
    let last = requests[0].from.code_mask();
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
            return false;
        }
        match one.last.min(two.last).checked_add(1).filter(|next| *next <= last) {
            Some(next) => first = next,
            None => return true,
        }
    }
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
        let apart = telling_attributes(request.spec, (from, to), &chosen);
        for attributes in attribute_sets_of(request.spec, (from, to)) {
            add_tests(&mut tests, &request.with(attributes), level, (&chosen, &apart));
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

/// Adds the tests of a request. `apart` tells its attributes from others.
fn add_tests(
    tests: &mut Tests,
    request: &Request,
    level: Level,
    (chosen, apart): (&Chosen, &[Element]),
) {
    let element = |(code, flag)| (Element::code(code, request.from), flag);
    let telling: Vec<(Element, Flag)> = telling(request).into_iter().map(element).collect();
    let mut first: BTreeSet<Element> = BTreeSet::new();
    let mut limit = usize::MAX;
    if level == Level::Core {
        let with = usize::from(request.attributes != Attributes::default());
        let special = chosen.iter().filter(|(_, flags)| is_special(flags));
        first.extend(special.map(|(element, _)| element.clone()));
        first.extend(telling.iter().take(CORE_TELLING[with]).map(|(element, _)| element.clone()));
        first.extend(apart.iter().cloned());
        limit = CORE_MORE_TESTS[with];
    }
    let epochs = [(caster(request), vec![])];
    let answered = answer_all(&epochs, &with_telling(chosen, telling));
    let (mut first, rest): (Vec<Answered>, Vec<Answered>) =
        answered.into_iter().partition(|case| first.contains(&case.element));
    if level == Level::Core {
        keep_few_open(&mut first);
    }
    for case in first.iter().chain(select(&rest, limit)) {
        tests.add(request.attributes, case);
    }
}

/// Leaves out what every result passes, but for the first few of each rule.
fn keep_few_open(cases: &mut Vec<Answered>) {
    let mut kept: BTreeMap<RuleId, usize> = BTreeMap::new();
    cases.retain(|case| {
        let (answer, _) = &case.answers[0];
        let number = kept.entry(answer.rule).or_default();
        *number += usize::from(answer.expect == Outcome::Any);
        answer.expect != Outcome::Any || *number <= CORE_OPEN
    });
}

fn caster(request: &Request) -> Caster {
    Caster::new(request).expect("a numeric pair of a numeric profile")
}

/// Returns the request if it is refused, otherwise the request with each attribute that is refused:
/// one value of an attribute that the pair lacks, and every value that it lacks of another one.
fn refused(request: &Request) -> Vec<Request> {
    if caster(request).is_refused() {
        return vec![*request];
    }
    let of = |saturate, round_mode| request.with(Attributes { saturate, round_mode });
    let is_refused = |request: &Request| caster(request).is_refused();
    let saturates = [true, false].map(|it| of(Some(it), None));
    let modes = RoundMode::ALL.map(|it| of(None, Some(it)));
    let mut refused = Vec::new();
    for values in [&saturates[..], &modes] {
        let all = values.iter().all(is_refused);
        let kept = if all { &values[..1] } else { values };
        refused.extend(kept.iter().copied().filter(is_refused));
    }
    refused
}
