//! Compares observations with the oracle's tables of wrong methods and habits.

use super::{Explained, Observation};
use crate::answers;
use castproof_check::verdict::{Verdict, admits};
use castproof_methods::{HABITS, METHODS, Method, MethodTensor, UndefinedInput};
use castproof_results::asked::Asked;
use castproof_results::diagnosis::{Cause, Diagnosis, Fingerprint};
use castproof_vectors::{
    Attributes, DType, Landmarks, NEWEST, Outcome, Request, RoundMode, Suite, landmarks,
};
use std::collections::{BTreeMap, BTreeSet};

/// How many causes are named for one pair.
const MOST_CAUSES: usize = 4;

/// The name of a testee that gives one code whatever it is asked, and how many elements show it.
const CONSTANT: &str = "always the same result";
const LEAST_CONSTANT: usize = 8;

/// A method that explains numbers must explain at least one for every so many that no method explains exactly. One that
/// explains fewer does so by chance.
const COINCIDENCE: u64 = 8;

/// The name of the way through float32.
const THROUGH_FLOAT32: &str = "rounded through float32";

/// What stands between it and what is done then.
const THEN: &str = ", then: ";

/// Observations that are ready to be compared.
struct Case<'a> {
    /// Index among all observations.
    index: usize,
    tensor: MethodTensor,
    observed: &'a Observation,
    /// Indices of the deviations that are to be explained.
    deviating: Vec<usize>,
    /// Indices of the passes.
    passed: Vec<usize>,
}

/// Explains the tests of a pair that failed, and those that were tolerated.
pub fn diagnose(asked: &Asked, observed: &[Observation]) -> Vec<Explained> {
    [Verdict::Fail, Verdict::Tolerated]
        .into_iter()
        .filter_map(|verdict| explain(asked, verdict, observed))
        .collect()
}

/// Returns, for each of these places of a tensor, whether a method of these names gives what was
/// got there.
pub fn reproduced(
    asked: &Asked,
    names: &BTreeSet<String>,
    request: &Request,
    (inputs, got): (&[u64], &[u64]),
    places: &[usize],
) -> Vec<bool> {
    let mut verdicts = vec![Verdict::Pass; inputs.len()];
    for &place in places {
        verdicts[place] = Verdict::Fail;
    }
    let (inputs, got) = (inputs.to_vec(), got.to_vec());
    let observed = Observation { request: *request, inputs, got, verdicts };
    let mut reproduced = vec![false; places.len()];
    let (Some(target), Some(case), false) =
        (landmarks(request.to), case((0, &observed), Verdict::Fail), names.is_empty())
    else {
        return reproduced;
    };
    for candidate in candidates(asked.suite, &[case], target, |name| names.contains(name)) {
        for (is, reproduces) in reproduced.iter_mut().zip(candidate.reproduces) {
            *is |= reproduces;
        }
    }
    reproduced
}

fn explain(asked: &Asked, verdict: Verdict, observed: &[Observation]) -> Option<Explained> {
    let (suite, (from, to)) = (asked.suite, asked.pair());
    let target = landmarks(to)?;
    if !observed.iter().any(|each| each.verdicts.contains(&verdict)) {
        return None;
    }
    let cases: Vec<Case<'_>> =
        observed.iter().enumerate().filter_map(|each| case(each, verdict)).collect();
    let passes = cases.iter().map(|case| case.passed.len() as u64).sum();
    let (causes, by) = rank(candidates(suite, &cases, target, |_| true), &numbers(from, &cases));
    let places =
        cases.iter().flat_map(|case| case.deviating.iter().map(|&place| (case.index, place)));
    let by = places.zip(by).collect();
    let deviations = cases.iter().map(|case| case.deviating.len() as u64).sum();
    let diagnosis = Diagnosis { suite, from, to, verdict, deviations, passes, causes };
    Some(Explained { diagnosis, by })
}

fn case((index, observed): (usize, &Observation), verdict: Verdict) -> Option<Case<'_>> {
    let places = |wanted: Verdict| {
        let places = observed.verdicts.iter().enumerate();
        places.filter(|(_, verdict)| **verdict == wanted).map(|(place, _)| place).collect()
    };
    let tensor =
        MethodTensor::answered_by(answers::chosen(), &observed.request, &observed.inputs).ok()?;
    Some(Case {
        index,
        tensor,
        observed,
        deviating: places(verdict),
        passed: places(Verdict::Pass),
    })
}

impl Case<'_> {
    /// Returns the case of the inputs rounded to float32, for kernels that cast other dtypes through
    /// it and are wrong from there on; `None` where the pair has no such way.
    fn rounded(&self) -> Option<Self> {
        let Request { from, to, .. } = self.observed.request;
        // Float32 holds every number of the narrower sources.
        if [from, to].contains(&DType::Float32) || from.bits() < DType::Float32.bits() {
            return None;
        }
        let (cast, canonical) = (answers::chosen().cast, landmarks(DType::Float32)?.nan.first()?);
        let first = Request { to: DType::Float32, ..self.observed.request };
        let first = first.with(Attributes::default());
        let round = |&code: &u64| match cast(&first, code).ok()?.expect {
            Outcome::Code(code) => Some(code),
            Outcome::AnyNan => Some(canonical[0].value()),
            _ => None,
        };
        let rounded = self.observed.inputs.iter().map(round).collect::<Option<Vec<u64>>>()?;
        let request = Request { from: DType::Float32, ..self.observed.request };
        let tensor = MethodTensor::answered_by(answers::chosen(), &request, &rounded).ok()?;
        let Case { index, observed, .. } = *self;
        let (deviating, passed) = (self.deviating.clone(), self.passed.clone());
        Some(Case { index, tensor, observed, deviating, passed })
    }
}

/// A method that reproduces some deviations.
struct Candidate {
    name: String,
    /// Missing refusals are listed last, because readers seldom look for them.
    is_of_refusals: bool,
    /// By index of the deviation.
    reproduces: Vec<bool>,
    /// By index of the deviation: does the method give something else?
    differs: Vec<bool>,
    contradicted: u64,
}

impl Candidate {
    fn explains(&self, left: &[bool]) -> u64 {
        among(&self.reproduces, left)
    }

    /// How many deviations the method would have made otherwise, among those that are left.
    fn otherwise(&self, left: &[bool]) -> u64 {
        among(&self.differs, left)
    }

    fn is_like(&self, other: &Candidate, left: &[bool]) -> bool {
        let explained = |it: &Candidate| -> Vec<bool> {
            it.reproduces.iter().zip(left).map(|(it, left)| *it && *left).collect()
        };
        explained(self) == explained(other)
    }
}

fn among(are: &[bool], left: &[bool]) -> u64 {
    are.iter().zip(left).filter(|(is, left)| **is && **left).count() as u64
}

/// Returns the candidates of these names that reproduce some deviation. Of equally good ones the
/// first is preferred.
fn candidates(
    suite: Suite,
    cases: &[Case<'_>],
    target: &Landmarks,
    is_named: impl Fn(&str) -> bool,
) -> Vec<Candidate> {
    let defaults = DEFAULTS.iter().filter(|(name, _)| is_named(name));
    let mut candidates: Vec<Candidate> =
        defaults.filter_map(|default| misread(default, cases, target)).collect();
    // A habit speaks of undefined inputs alone, so it says more than a method that explains as much.
    candidates.extend(habits(suite, cases).into_iter().filter(|habit| is_named(&habit.name)));
    let methods = METHODS.iter().filter(|method| is_named(method.name));
    candidates.extend(methods.filter_map(|it| candidate(it, it.name.into(), cases, target)));
    let subtle = METHODS.iter().filter(|method| method.subtle);
    let from_float32: Vec<_> = subtle
        .map(|method| (method, format!("{THROUGH_FLOAT32}{THEN}{}", method.name)))
        .filter(|(_, name)| is_named(name))
        .collect();
    if !from_float32.is_empty()
        && let Some(rounded) = cases.iter().map(Case::rounded).collect::<Option<Vec<_>>>()
    {
        let named = from_float32.into_iter();
        candidates.extend(named.filter_map(|(it, name)| candidate(it, name, &rounded, target)));
    }
    if is_named(CONSTANT) {
        candidates.extend(constant(cases));
    }
    candidates
}

/// Wrong readings of an attribute that is not given.
const DEFAULTS: [(&str, Attributes); 3] = [
    ("an absent saturate read as 0", Attributes { saturate: Some(false), round_mode: None }),
    (
        "an absent round_mode read as nearest",
        Attributes { saturate: None, round_mode: Some(RoundMode::Nearest) },
    ),
    (
        "an absent round_mode read as down",
        Attributes { saturate: None, round_mode: Some(RoundMode::Down) },
    ),
];

/// Returns the candidate of a testee that reads an absent attribute as this one.
fn misread(
    (name, read): &(&'static str, Attributes),
    cases: &[Case<'_>],
    target: &Landmarks,
) -> Option<Candidate> {
    // Whether such a reading admits the result of an element; `None` if the attribute is given,
    // because a given attribute is read right.
    let reading_admits = |observed: &Observation, place: usize| {
        let given = observed.request.attributes;
        let absent = match read.saturate {
            Some(_) => given.saturate.is_none(),
            None => given.round_mode.is_none(),
        };
        let attributes = Attributes {
            saturate: given.saturate.or(read.saturate),
            round_mode: given.round_mode.or(read.round_mode),
        };
        let request = observed.request.with(attributes);
        let answer = (answers::chosen().cast)(&request, observed.inputs[place]).ok()?;
        let got = observed.got[place];
        // A reading that leaves the result open explains none.
        let is_open = answer.expect == Outcome::Any;
        (absent && !is_open).then(|| admits(&answer.expect, got, target))
    };
    let (mut reproduces, mut differs) = (Vec::new(), Vec::new());
    let mut contradicted = 0;
    for Case { observed, deviating, passed, .. } in cases {
        for &place in deviating {
            let admits = reading_admits(observed, place);
            reproduces.push(admits == Some(true));
            differs.push(admits == Some(false));
        }
        let against =
            passed.iter().filter(|&&place| reading_admits(observed, place) == Some(false));
        contradicted += against.count() as u64;
    }
    let is_of_refusals = false;
    let name = (*name).to_string();
    reproduces.contains(&true).then_some(Candidate {
        name,
        is_of_refusals,
        reproduces,
        differs,
        contradicted,
    })
}

/// Returns a candidate for each habit with each class of undefined inputs. A profile defines inputs
/// that ONNX leaves undefined, alone or beside ONNX, but implementations may still treat them in their
/// own ways.
fn habits(suite: Suite, cases: &[Case<'_>]) -> Vec<Candidate> {
    let has_open = |case: &Case<'_>| {
        let elements = case.tensor.elements();
        case.deviating.iter().any(|&place| elements[place].undefined().is_some())
    };
    if !matches!(suite, Suite::Profile(_)) && !cases.iter().any(has_open) {
        return vec![];
    }
    let as_onnx = |case: &Case<'_>| {
        let Request { from, to, .. } = case.observed.request;
        let request = Request::cast(from, to, NEWEST);
        MethodTensor::answered_by(answers::chosen(), &request, &case.observed.inputs).ok()
    };
    let Some(tensors) = cases.iter().map(as_onnx).collect::<Option<Vec<MethodTensor>>>() else {
        return vec![];
    };
    let mut candidates = Vec::new();
    for class in UndefinedInput::ALL {
        for habit in HABITS {
            let mut candidate = Candidate {
                name: format!("{}: {}", class.name(), habit.name),
                is_of_refusals: false,
                reproduces: Vec::new(),
                differs: Vec::new(),
                contradicted: 0,
            };
            for (case, tensor) in cases.iter().zip(&tensors) {
                let gives = |place: usize| {
                    let element = &tensor.elements()[place];
                    let result =
                        habit.result(element).filter(|_| element.undefined() == Some(class));
                    result.map(|result| result == case.observed.got[place])
                };
                for &place in &case.deviating {
                    let gives = gives(place);
                    candidate.reproduces.push(gives == Some(true));
                    candidate.differs.push(gives == Some(false));
                }
                let against = case.passed.iter().filter(|&&place| gives(place) == Some(false));
                candidate.contradicted += against.count() as u64;
            }
            candidates.extend(Some(candidate).filter(|it| it.reproduces.contains(&true)));
        }
    }
    candidates
}

fn candidate(
    method: &Method,
    name: String,
    cases: &[Case<'_>],
    target: &Landmarks,
) -> Option<Candidate> {
    let same = |one: u64, other: u64| one == other || target.is_nan(one) && target.is_nan(other);
    let (mut reproduces, mut differs) = (Vec::new(), Vec::new());
    for Case { tensor, observed, deviating, .. } in cases {
        let results = method.results(tensor, deviating);
        for (result, &place) in results.iter().zip(deviating) {
            let is_same = result.map(|result| same(result, observed.got[place]));
            reproduces.push(is_same == Some(true));
            differs.push(is_same == Some(false));
        }
    }
    if !reproduces.contains(&true) {
        return None;
    }
    let mut contradicted = 0;
    for Case { tensor, observed, passed, .. } in cases {
        let results = method.results(tensor, passed);
        let differs = results.iter().zip(passed).filter(|(result, place)| {
            result.is_some_and(|result| !same(result, observed.got[**place]))
        });
        contradicted += differs.count() as u64;
    }
    let is_of_refusals = method.is_of_refusals();
    Some(Candidate { name, is_of_refusals, reproduces, differs, contradicted })
}

/// Returns the candidate of a testee that gives one code whatever it is asked. A few elements, or some that
/// are due to be equal, do not show that.
fn constant(cases: &[Case<'_>]) -> Option<Candidate> {
    let got: BTreeSet<u64> = cases.iter().flat_map(|case| &case.observed.got).copied().collect();
    let elements = || cases.iter().flat_map(|case| case.tensor.elements());
    let due: BTreeSet<&Outcome> = elements().map(|element| &element.answer().expect).collect();
    let is_shown = got.len() == 1 && due.len() > 1 && elements().count() >= LEAST_CONSTANT;
    let deviations: usize = cases.iter().map(|case| case.deviating.len()).sum();
    is_shown.then(|| Candidate {
        name: CONSTANT.into(),
        is_of_refusals: false,
        reproduces: vec![true; deviations],
        differs: vec![false; deviations],
        contradicted: 0,
    })
}

/// Picks the candidate that explains most, then the one that explains most of the rest, and so on.
/// Those come first that no element contradicts, neither a pass nor a deviation that is left: they are what was
/// done. Where none is left, one that explains more elements than contradict it is a likeness. Returns the
/// causes, and for each deviation the index of its cause.
///
/// `are_numbers` says of each deviation whether its input is a number. A method that explains few numbers beside many
/// that none explains does so by chance: a kernel that drops sticky bits makes zero of 0.6 times the smallest
/// subnormal, as one does that flushes. It is not named.
fn rank(mut candidates: Vec<Candidate>, are_numbers: &[bool]) -> (Vec<Cause>, Vec<Option<usize>>) {
    loop {
        let (causes, by) = picked(&candidates, are_numbers.len());
        let chance = coincidences(&causes, &by, are_numbers);
        if chance.is_empty() {
            return (causes, by);
        }
        candidates.retain(|candidate| !chance.contains(&candidate.name));
    }
}

fn picked(candidates: &[Candidate], deviations: usize) -> (Vec<Cause>, Vec<Option<usize>>) {
    let mut left = vec![true; deviations];
    let mut by = vec![None; deviations];
    let mut causes = Vec::new();
    let (refusals, others): (Vec<&Candidate>, Vec<&Candidate>) =
        candidates.iter().partition(|candidate| candidate.is_of_refusals);
    for candidates in [others, refusals] {
        while causes.len() < MOST_CAUSES {
            let before = left.clone();
            let Some(cause) = best(&candidates, &mut left) else { break };
            for ((by, before), left) in by.iter_mut().zip(before).zip(&left) {
                if before && !left {
                    *by = Some(causes.len());
                }
            }
            causes.push(cause);
        }
    }
    (causes, by)
}

/// Returns the names of causes that explain numbers alone, and few of them beside those of which none says exactly
/// what was done.
fn coincidences(causes: &[Cause], by: &[Option<usize>], are_numbers: &[bool]) -> BTreeSet<String> {
    let is_exact = |cause: usize| causes[cause].contradicted + causes[cause].otherwise == 0;
    let numbers = |is: &dyn Fn(Option<usize>) -> bool| {
        by.iter().zip(are_numbers).filter(|(by, is_number)| **is_number && is(**by)).count() as u64
    };
    let open = numbers(&|by| by.is_none_or(|cause| !is_exact(cause)));
    let is_chance = |&cause: &usize| {
        let all = by.iter().filter(|by| **by == Some(cause)).count() as u64;
        let of_numbers = numbers(&|by| by == Some(cause));
        is_exact(cause) && all == of_numbers && of_numbers * COINCIDENCE < open
    };
    (0..causes.len()).filter(is_chance).map(|cause| causes[cause].method.clone()).collect()
}

/// Returns of each deviation whether its input is a number.
fn numbers(from: DType, cases: &[Case<'_>]) -> Vec<bool> {
    let source = landmarks(from);
    let is_number = |code: u64| source.is_none_or(|source| !source.is_nan(code));
    let deviating = cases.iter().flat_map(|case| {
        case.deviating.iter().map(|&place| is_number(case.observed.inputs[place]))
    });
    deviating.collect()
}

/// Returns the cause that explains most of what is left, and removes that from what is left.
fn best(candidates: &[&Candidate], left: &mut [bool]) -> Option<Cause> {
    let against = |candidate: &Candidate| candidate.contradicted + candidate.otherwise(left);
    let explaining = candidates.iter().copied().filter(|candidate| candidate.explains(left) > 0);
    let worth = |candidate: &&Candidate| {
        let (explained, against) = (candidate.explains(left), against(candidate));
        let is_clean = against == 0;
        (is_clean, explained as i64 - against as i64, std::cmp::Reverse(against))
    };
    // Of equal ones the first.
    let first = explaining.rev().max_by_key(worth)?;
    if first.explains(left) <= against(first) {
        return None;
    }
    let is_equal = |other: &&Candidate| {
        !std::ptr::eq(*other, first)
            && other.is_like(first, left)
            && (other.contradicted, other.otherwise(left))
                == (first.contradicted, first.otherwise(left))
    };
    let equal: Vec<&str> =
        candidates.iter().copied().filter(is_equal).map(|it| &it.name[..]).collect();
    // A way through float32 that changes nothing is no method of its own, nor is a method that changes nothing then.
    let is_said = |name: &str| name == first.name || equal.contains(&name);
    let adds = |name: &&&str| {
        let after = name.strip_prefix(THROUGH_FLOAT32).and_then(|it| it.strip_prefix(THEN));
        after.is_none_or(|after| !is_said(after) && !is_said(THROUGH_FLOAT32))
    };
    let cause = Cause {
        method: first.name.clone(),
        reproduced: first.explains(left),
        of: left.iter().filter(|left| **left).count() as u64,
        contradicted: first.contradicted,
        otherwise: first.otherwise(left),
        alternatives: equal.iter().filter(adds).map(|name| (*name).to_string()).collect(),
    };
    for (left, explained) in left.iter_mut().zip(&first.reproduces) {
        *left &= !explained;
    }
    Some(cause)
}

/// Returns what the testee did with undefined inputs; `None` if there were none.
pub fn fingerprint(
    asked: &Asked,
    observed: &[Observation],
    depends_on_place: bool,
) -> Option<Fingerprint> {
    let (suite, (from, to)) = (asked.suite, asked.pair());
    let mut habits: BTreeMap<UndefinedInput, (BTreeSet<usize>, BTreeSet<u64>)> = BTreeMap::new();
    for each in observed.iter().filter(|each| each.verdicts.contains(&Verdict::Undefined)) {
        let Ok(tensor) = MethodTensor::answered_by(answers::chosen(), &each.request, &each.inputs)
        else {
            continue;
        };
        for (element, &got) in tensor.elements().iter().zip(&each.got) {
            let Some(class) = element.undefined() else { continue };
            let start = || ((0..HABITS.len()).collect(), BTreeSet::new());
            let (fitting, codes) = habits.entry(class).or_insert_with(start);
            fitting.retain(|&habit| HABITS[habit].result(element) == Some(got));
            codes.insert(got);
        }
    }
    if habits.is_empty() {
        return None;
    }
    let named = habits.into_iter().map(|(class, (fitting, codes))| {
        let habit = match (fitting.first(), codes.first()) {
            (Some(&habit), _) => HABITS[habit].name.to_string(),
            (None, Some(&code)) if codes.len() == 1 => format!("always {}", to.hex(code)),
            _ => "no single habit".into(),
        };
        (class.name().to_string(), habit)
    });
    Some(Fingerprint { suite, from, to, habits: named.collect(), depends_on_place })
}
