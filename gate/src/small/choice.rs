//! The choice of values by power: each tells wrong methods of casting that the values before it do not tell.

use super::value::{TooMany, Value};
use anyhow::{Result, anyhow, bail};
use castproof_judge::answers;
use castproof_methods::{METHODS, Method, MethodElement, MethodTensor};
use castproof_oracle::concerning;
use castproof_suites::{profile_suite, suite};
use castproof_vectors::{
    Attributes, DType, Expectation, Level, Operator, Outcome, Request, RoundMode, Spec, VectorFile,
    landmarks, resolve,
};
use std::collections::{BTreeMap, BTreeSet};

/// What the next value is worth: so much for each method that no value kills yet, for each method that one kills,
/// two, and so on. A step is a factor of 1,024, and there are fewer methods, so that no number of methods that
/// are killed already outweighs one that is alive.
const WORTH: [u64; 4] = [1 << 50, 1 << 30, 1 << 20, 1 << 10];

/// The worth of a flag of level core, such as `tie`, of a sign of the input that no value has yet.
const WORTH_OF_KIND: u64 = 1 << 40;

/// The worth of an expected code that no value has yet.
const WORTH_OF_CODE: u64 = 1;

/// So many values are tried as the last one, which a kernel may leave out.
const LAST_TRIED: usize = 64;

/// Values of one request, and which methods they kill.
pub(crate) struct Choice {
    pub(crate) values: Vec<Value>,
    /// The number of methods that the values kill.
    pub(crate) killed: usize,
    /// Methods that level core kills and the values do not.
    pub(crate) alive: Vec<&'static str>,
    /// Values of level core whose right results the form cannot hold.
    pub(crate) left_out: usize,
}

/// A value of level core that the form can hold.
struct Candidate {
    value: Value,
    /// Methods that it kills, by their place in the list of those that level core kills.
    kills: Vec<usize>,
    /// Its flags, each with the sign of the input.
    kinds: BTreeSet<(String, bool)>,
}

/// Chooses at most `budget` values of those of level core that the form can hold.
///
/// # Errors
/// If the request is none of numeric dtypes, is refused, or leaves every result open.
pub(crate) fn choose(
    request: &Request,
    budget: usize,
    fits: impl Fn(&Value) -> bool,
) -> Result<Choice> {
    let core = Core::of(request)?;
    let (candidates, left_out) = core.candidates(fits)?;
    let mut chosen = greedy(&candidates, core.known.len(), budget);
    core.arrange(&mut chosen)?;
    let values: Vec<Value> = chosen.iter().map(|it| it.value.clone()).collect();
    if values.is_empty() {
        bail!("{request}: no value of level core has a result that this form can hold");
    }
    let dead = core.killed_by(&values)?;
    let alive = core.known.iter().map(|it| it.name).filter(|name| !dead.contains(name));
    Ok(Choice { killed: dead.len(), alive: alive.collect(), values, left_out })
}

/// Returns what is right of each input today.
///
/// # Errors
/// As [`choose`], and if an input is no code of the source.
pub(crate) fn answered(request: &Request, inputs: &[u64]) -> Result<Vec<Option<Value>>> {
    refuse(request)?;
    let tensor = MethodTensor::answered_by(answers::chosen(), request, inputs)?;
    let value = |(element, &input)| Value::of(element, input, request.to).unwrap_or(None);
    Ok(tensor.elements().iter().zip(inputs).map(value).collect())
}

/// Refuses what has no values.
fn refuse(request: &Request) -> Result<()> {
    let Request { from, to, .. } = request;
    if !from.is_numeric() || !to.is_numeric() {
        bail!("{from} -> {to}: a small file is of two numeric dtypes; castproof dtypes lists them");
    }
    if (answers::chosen().cast)(request, 0)?.expect == Outcome::Reject {
        bail!(
            "{request} is refused, so that it has no values; castproof diff-spec says what a version casts"
        );
    }
    Ok(())
}

/// The tests of level core of one request.
struct Core<'a> {
    request: &'a Request,
    tensor: MethodTensor,
    /// The code of each test, and its flags.
    tests: Vec<(u64, Vec<String>)>,
    /// The methods that the tests kill.
    known: Vec<&'static Method>,
}

impl Core<'_> {
    fn of(request: &Request) -> Result<Core<'_>> {
        refuse(request)?;
        let tests = tests(request)?;
        let codes: Vec<u64> = tests.iter().map(|(code, _)| *code).collect();
        let tensor = MethodTensor::answered_by(answers::chosen(), request, &codes)?;
        let known =
            METHODS.iter().filter(|it| wrong(it, &tensor, request).contains(&true)).collect();
        Ok(Core { request, tensor, tests, known })
    }

    /// Returns the tests that the form can hold, and how many it cannot hold.
    fn candidates(&self, fits: impl Fn(&Value) -> bool) -> Result<(Vec<Candidate>, usize)> {
        let (mut candidates, mut left_out) = (Vec::new(), 0);
        let of_element = self.known.iter().enumerate().filter(|(_, it)| !it.is_of_places());
        let of_element: Vec<(usize, Vec<bool>)> =
            of_element.map(|(at, it)| (at, wrong(it, &self.tensor, self.request))).collect();
        let sign = self.request.from.bits() - 1;
        for (at, (element, (code, flags))) in
            self.tensor.elements().iter().zip(&self.tests).enumerate()
        {
            match Value::of(element, *code, self.request.to) {
                Ok(Some(value)) if fits(&value) => {
                    let kills = of_element.iter().filter(|(_, wrong)| wrong[at]).map(|(it, _)| *it);
                    let kinds = flags.iter().map(|flag| (flag.clone(), code >> sign & 1 == 1));
                    candidates.push(Candidate {
                        value,
                        kills: kills.collect(),
                        kinds: kinds.collect(),
                    });
                }
                Ok(None) => {}
                Ok(Some(_)) | Err(TooMany) => left_out += 1,
            }
        }
        Ok((candidates, left_out))
    }

    /// Which methods do the values kill, as one tensor? A method of places may be one that level core does not kill
    /// in its own order.
    fn killed_by(&self, values: &[Value]) -> Result<Vec<&'static str>> {
        let codes: Vec<u64> = values.iter().map(|value| value.input).collect();
        let tensor = MethodTensor::answered_by(answers::chosen(), self.request, &codes)?;
        let killed = METHODS.iter().filter(|it| wrong(it, &tensor, self.request).contains(&true));
        Ok(killed.map(|it| it.name).collect())
    }

    /// Moves another value to the end, if more methods die so: a kernel that leaves out the last element and
    /// gives zero for it is right if zero is due.
    fn arrange(&self, chosen: &mut Vec<&Candidate>) -> Result<()> {
        let killed = |order: &[&Candidate]| -> Result<usize> {
            let values: Vec<Value> = order.iter().map(|it| it.value.clone()).collect();
            Ok(self.killed_by(&values)?.len())
        };
        let mut most = killed(chosen)?;
        for at in (0..chosen.len()).rev().take(LAST_TRIED) {
            if most >= self.known.len() {
                break;
            }
            let mut order = chosen.clone();
            let moved = order.remove(at);
            order.push(moved);
            let count = killed(&order)?;
            if count > most {
                (*chosen, most) = (order, count);
            }
        }
        Ok(())
    }
}

/// Takes the value of the greatest worth again and again; of several, the one that kills most methods, and then the
/// one with the smallest code. The first values of a large budget are those of a small one.
fn greedy(candidates: &[Candidate], known: usize, budget: usize) -> Vec<&Candidate> {
    let mut kills = vec![0_usize; known];
    let (mut kinds, mut codes) = (BTreeSet::new(), BTreeSet::new());
    let mut chosen: Vec<&Candidate> = Vec::new();
    let mut left: Vec<&Candidate> = candidates.iter().collect();
    left.sort_by_key(|it| (usize::MAX - it.kills.len(), it.value.input));
    while chosen.len() < budget && !left.is_empty() {
        let worth = |it: &Candidate| -> u64 {
            let methods = it.kills.iter().map(|&at| WORTH.get(kills[at]).copied().unwrap_or(0));
            let new = it.kinds.iter().filter(|kind| !kinds.contains(*kind)).count() as u64;
            let code = u64::from(!codes.contains(&it.value.expected)) * WORTH_OF_CODE;
            methods.sum::<u64>() + new * WORTH_OF_KIND + code
        };
        // `max_by_key` would take the last of several.
        let best = left.iter().enumerate().rev().max_by_key(|(_, it)| worth(it));
        let Some((at, _)) = best.filter(|(_, it)| worth(it) > 0) else { break };
        let next = left.remove(at);
        for &method in &next.kills {
            kills[method] += 1;
        }
        kinds.extend(next.kinds.iter().cloned());
        codes.insert(next.value.expected);
        chosen.push(next);
    }
    chosen
}

/// Where is the method wrong?
fn wrong(method: &Method, tensor: &MethodTensor, request: &Request) -> Vec<bool> {
    let places: Vec<usize> = (0..tensor.elements().len()).collect();
    let results = method.results(tensor, &places).into_iter().zip(tensor.elements());
    let is_wrong = |(got, element): (Option<u64>, &MethodElement)| {
        got.is_some_and(|got| !is_right(element.answer(), got, request.to))
    };
    results.map(is_wrong).collect()
}

fn is_right(answer: &Expectation, got: u64, to: DType) -> bool {
    let Some(to) = landmarks(to) else { return false };
    let admits = |it: &Outcome| it.admits(got, to);
    admits(&answer.expect) || answer.tolerate.as_ref().is_some_and(admits)
}

/// Returns the code and the flags of each test of level core of the request.
fn tests(request: &Request) -> Result<Vec<(u64, Vec<String>)>> {
    let Request { spec, from, to, .. } = *request;
    let (file, version): (VectorFile, Option<u32>) = match spec {
        Spec::Profile(profile) => (profile_suite(profile, (from, to), Level::Core), None),
        Spec::Onnx { opset, .. } => {
            let version = resolve(Operator::Cast, opset).map_err(|error| anyhow!(error))?;
            (suite(from, to, Level::Core), Some(version))
        }
    };
    // Level core has few tests of a request that gives no attribute; those of the request that gives the default
    // are the same. An attribute that does not matter to the pair has no tests of its own.
    let given = |it: Attributes| {
        let it = concerning(spec, (from, to), it);
        (it.saturate.unwrap_or(true), it.round_mode.unwrap_or(RoundMode::Up))
    };
    let groups = file
        .groups
        .iter()
        .filter(|it| it.holds_in(version) && given(it.attributes) == given(request.attributes));
    let mut tests: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for test in groups.flat_map(|group| &group.tests) {
        if let Some(code) = test.input.as_code() {
            tests.entry(code).or_default().extend(test.flags.iter().cloned());
        }
    }
    Ok(tests.into_iter().collect())
}
