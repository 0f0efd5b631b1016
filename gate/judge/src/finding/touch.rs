//! Finds which inputs fail by one cause: from the tests, and at the ends of each run of wrong
//! values by asking the testee again.

use crate::diagnosis::texts::{self, TextCase};
use crate::diagnosis::{Explained, Observation};
use crate::scope::Judgement;
use crate::silent;
use castproof_check::numeral::{code_at, ends, ordinal};
use castproof_check::verdict::{Verdict, judge};
use castproof_results::asked::Asked;
use castproof_results::finding::{Range, Spread};
use castproof_results::{Results, Touched};
use castproof_testee::{Reply, Testee};
use castproof_vectors::{
    Attributes, Element, Formula, Landmarks, Outcome, OutcomeRecord, Piece, Request, landmarks,
    pack, piece_of, unpack,
};
use std::collections::BTreeMap;

/// Most runs whose ends are searched for. With more runs the wrong values are scattered.
const MOST_RUNS: usize = 6;

/// Values that are asked in one step of the search between a wrong value and a right one.
const STEPS: i128 = 32;

/// Values that are asked within each run.
const WITHIN: i128 = 2048;

/// Names the cause of each failing test, and finds the inputs of each cause.
pub fn note(
    asked: &Asked,
    observed: &[Observation],
    mut explained: Explained,
    judgement: Judgement,
    testee: &mut dyn Testee,
    results: &mut Results,
) {
    if explained.diagnosis.verdict == Verdict::Fail && asked.suite.is_casts() {
        adopt(observed, &mut explained);
        name_causes(asked, observed, &explained, results);
        let causes = (0..explained.diagnosis.causes.len()).map(Some).chain([None]);
        for cause in causes {
            let of_cause = explained.by.iter().filter(|(_, by)| *by == cause);
            let places: Vec<(usize, usize)> = of_cause.map(|(place, _)| *place).collect();
            let method = cause.map(|index| explained.diagnosis.causes[index].method.clone());
            for places in apart(observed, places, method.is_none()) {
                if let Some((request, range)) = range(observed, &places, judgement, testee) {
                    let (asked, cause) =
                        (Asked { attributes: request.attributes, ..*asked }, method.clone());
                    results.touched.push(Touched { asked, cause, range });
                }
            }
        }
    }
    results.diagnoses.push(explained.diagnosis);
}

/// Splits the inputs that no cause explains (`is_open`) into those that are NaN and the others.
fn apart(
    observed: &[Observation],
    places: Vec<(usize, usize)>,
    is_open: bool,
) -> [Vec<(usize, usize)>; 2] {
    let is_value = |(index, at): &(usize, usize)| {
        let each = &observed[*index];
        ordinal(each.request.from, each.inputs[*at]).is_some()
    };
    let (values, nan) = places.into_iter().partition(|place| !is_open || is_value(place));
    [values, nan]
}

/// Names the cause of each text that is read or written wrongly.
pub fn note_texts(asked: &Asked, cases: &[TextCase], results: &mut Results) {
    let Some((diagnosis, by)) = texts::diagnose(asked, cases) else { return };
    if asked.suite.is_casts() {
        let named = cases.iter().zip(&by).filter_map(|(case, by)| {
            Some(((case.attributes, &case.input, &case.got), &diagnosis.causes[(*by)?].method))
        });
        let named: BTreeMap<(Attributes, &Element, &Element), &String> = named.collect();
        for failure in &mut results.failures {
            let is_of_pair = (failure.from, failure.to) == asked.pair();
            if is_of_pair && !matches!(failure.expect, OutcomeRecord::Reject(_)) {
                let key = (failure.attributes, &failure.input, &failure.got);
                failure.cause = named.get(&key).map(|&it| it.clone());
            }
        }
    }
    results.diagnoses.push(diagnosis);
}

/// Assigns unexplained inputs to the cause that explains a neighbour with the same result: one of
/// our wrong methods may end one value before the fault does.
fn adopt(observed: &[Observation], explained: &mut Explained) {
    let causes: BTreeMap<(usize, usize), Option<usize>> = explained.by.iter().copied().collect();
    let mut adopted = BTreeMap::new();
    for (index, each) in observed.iter().enumerate() {
        let place = |(at, &code): (usize, &u64)| Some((ordinal(each.request.from, code)?, at));
        let mut order: Vec<(i128, usize)> =
            each.inputs.iter().enumerate().filter_map(place).collect();
        order.sort_unstable();
        let cause = |at: usize| causes.get(&(index, at)).copied().flatten();
        let forward: Vec<usize> = order.iter().map(|(_, at)| *at).collect();
        let backward: Vec<usize> = forward.iter().rev().copied().collect();
        for way in [forward, backward] {
            let mut last: Option<(usize, u64)> = None;
            for at in way {
                let got = each.got[at];
                let is_open = causes.get(&(index, at)) == Some(&None);
                last = match (cause(at), last) {
                    (Some(cause), _) => Some((cause, got)),
                    (None, Some((cause, same))) if is_open && same == got => {
                        adopted.entry((index, at)).or_insert(cause);
                        Some((cause, got))
                    }
                    _ => None,
                };
            }
        }
    }
    for (place, by) in &mut explained.by {
        *by = by.or_else(|| adopted.get(place).copied());
    }
}

fn name_causes(
    asked: &Asked,
    observed: &[Observation],
    explained: &Explained,
    results: &mut Results,
) {
    let mut causes: BTreeMap<(Attributes, u64, u64), &String> = BTreeMap::new();
    for ((index, at), by) in &explained.by {
        let each = &observed[*index];
        if let Some(by) = by {
            let key = (each.request.attributes, each.inputs[*at], each.got[*at]);
            causes.insert(key, &explained.diagnosis.causes[*by].method);
        }
    }
    let of_pair = results.failures.iter_mut().filter(|failure| {
        (failure.from, failure.to) == asked.pair()
            && !matches!(failure.expect, OutcomeRecord::Reject(_))
    });
    for failure in of_pair {
        if let (Some(input), Some(got)) = (failure.input.as_code(), failure.got.as_code()) {
            failure.cause = causes.get(&(failure.attributes, input, got)).map(|&it| it.clone());
        }
    }
}

/// Returns the request that has most of these tests, and the range of inputs that fail there.
fn range(
    observed: &[Observation],
    wrong: &[(usize, usize)],
    Judgement { strict, silent_as }: Judgement,
    testee: &mut dyn Testee,
) -> Option<(Request, Range)> {
    let mut requests: BTreeMap<Request, usize> = BTreeMap::new();
    for (index, _) in wrong {
        *requests.entry(observed[*index].request).or_default() += 1;
    }
    let (&request, _) = requests.iter().max_by_key(|(request, count)| (**count, **request))?;
    let pieces = silent::pieces(&request, silent_as).ok()?;
    if pieces.iter().any(|piece| piece.formula == Formula::Constant(Outcome::Reject)) {
        return None;
    }
    let target = landmarks(request.to)?;
    let mut seen = Seen::default();
    for (index, each) in observed.iter().enumerate().filter(|(_, each)| each.request == request) {
        for (at, (&code, verdict)) in each.inputs.iter().zip(&each.verdicts).enumerate() {
            let found = match (wrong.contains(&(index, at)), verdict) {
                (true, _) => InputState::Wrong,
                (false, Verdict::Fail) => InputState::Otherwise,
                _ => InputState::Right,
            };
            seen.add(&request, code, found);
        }
    }
    let mut spread = seen.spread();
    let mut probe = Probe { request, pieces, target, strict, testee };
    if spread.runs.len() <= MOST_RUNS {
        let known = seen.ends_known(&spread.runs, &mut probe);
        spread.runs = known.0;
        spread.exact = known.1 && probe.all_wrong(&spread.runs);
    }
    Range::new(request.from, &spread).map(|range| (request, range))
}

/// What is known of one input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InputState {
    /// It fails by this cause.
    Wrong,
    /// It fails by another cause.
    Otherwise,
    Right,
}

/// What the tests of one request show.
#[derive(Default)]
struct Seen {
    values: BTreeMap<i128, InputState>,
    nan: (u64, u64),
    first_nan: Option<u64>,
}

impl Seen {
    fn add(&mut self, request: &Request, code: u64, found: InputState) {
        match ordinal(request.from, code) {
            Some(place) => {
                let known = self.values.entry(place).or_insert(found);
                if found == InputState::Wrong {
                    *known = found;
                }
            }
            None => {
                let wrong = found == InputState::Wrong;
                self.nan.0 += u64::from(wrong);
                self.nan.1 += 1;
                self.first_nan = self.first_nan.or(wrong.then_some(code));
            }
        }
    }

    /// Returns the runs of wrong values that no other value interrupts.
    fn spread(&self) -> Spread {
        let mut runs: Vec<(i128, i128)> = Vec::new();
        let mut open = false;
        for (&place, &found) in &self.values {
            match (found, runs.last_mut()) {
                (InputState::Wrong, Some(run)) if open => run.1 = place,
                (InputState::Wrong, _) => runs.push((place, place)),
                _ => {}
            }
            open = found == InputState::Wrong;
        }
        let hull = runs.first().zip(runs.last()).map(|(first, last)| first.0..=last.1);
        let between: Vec<InputState> = hull
            .map_or(Vec::new(), |hull| self.values.range(hull).map(|(_, found)| *found).collect());
        let wrong = between.iter().filter(|found| **found == InputState::Wrong).count() as u64;
        Spread {
            runs,
            exact: false,
            nan: self.nan,
            first_nan: self.first_nan,
            wrong: (wrong, between.len() as u64),
        }
    }

    /// Moves the ends of the runs to where the testee begins to be right. Returns the runs and
    /// whether every end is known.
    fn ends_known(
        &self,
        runs: &[(i128, i128)],
        probe: &mut Probe<'_>,
    ) -> (Vec<(i128, i128)>, bool) {
        let Some((least, most)) = ends(probe.request.from) else { return (runs.to_vec(), false) };
        let mut exact = true;
        // Each end as a wrong value and the nearest other value beyond it.
        let mut borders: Vec<(i128, i128)> = Vec::new();
        for &(first, last) in runs {
            let below =
                self.values.range(..first).next_back().map(|(place, found)| (*place, *found));
            let above = self.values.range(last + 1..).next().map(|(place, found)| (*place, *found));
            for (end, beyond, none) in [(first, below, least - 1), (last, above, most + 1)] {
                match beyond {
                    Some((place, InputState::Otherwise)) => {
                        exact &= end.abs_diff(place) == 1;
                        borders.push((end, end));
                    }
                    Some((place, _)) => borders.push((end, place)),
                    None => borders.push((end, none)),
                }
            }
        }
        exact &= probe.narrow(&mut borders);
        let runs = borders.chunks_exact(2).map(|ends| (ends[0].0, ends[1].0)).collect();
        (runs, exact)
    }
}

/// Asks the testee for single values of one request.
struct Probe<'a> {
    request: Request,
    pieces: Vec<Piece>,
    target: &'static Landmarks,
    strict: bool,
    testee: &'a mut dyn Testee,
}

impl Probe<'_> {
    /// Moves each end to the last wrong value before the first right one. Returns `false` if the
    /// testee did not answer.
    fn narrow(&mut self, borders: &mut [(i128, i128)]) -> bool {
        while borders.iter().any(|(wrong, right)| wrong.abs_diff(*right) > 1) {
            let steps = |&(wrong, right): &(i128, i128)| {
                let gap = right - wrong;
                let count = (gap.abs() - 1).min(STEPS);
                (1..=count).map(|step| wrong + gap * step / (count + 1)).collect()
            };
            let asked: Vec<Vec<i128>> = borders.iter().map(steps).collect();
            let Some(mut answers) = self.wrong(&asked.concat()).map(Vec::into_iter) else {
                return false;
            };
            for ((wrong, right), places) in borders.iter_mut().zip(&asked) {
                let answers: Vec<Option<bool>> = answers.by_ref().take(places.len()).collect();
                let still = answers.iter().take_while(|it| **it == Some(true)).count();
                let (low, high) = (still.checked_sub(1).map(|at| places[at]), places.get(still));
                *wrong = low.unwrap_or(*wrong);
                *right = high.copied().unwrap_or(*right);
            }
        }
        true
    }

    /// Are all values wrong that are asked in these runs: at evenly spaced places, and at both ends
    /// of every piece?
    fn all_wrong(&mut self, runs: &[(i128, i128)]) -> bool {
        let from = self.request.from;
        let mut places: Vec<i128> = Vec::new();
        for &(first, last) in runs {
            let count = (last - first).clamp(1, WITHIN);
            places.extend((0..=count).map(|step| first + (last - first) * step / count));
        }
        let ends = self.pieces.iter().flat_map(|piece| [piece.first, piece.last]);
        let inside =
            |place: &i128| runs.iter().any(|(first, last)| (first..=last).contains(&place));
        places.extend(ends.filter_map(|code| ordinal(from, code)).filter(inside).take(1 << 15));
        self.wrong(&places).is_some_and(|answers| answers.iter().all(|it| *it != Some(false)))
    }

    /// Asks which values at these places are cast wrong; the entry is `None` for a place without a
    /// value.
    fn wrong(&mut self, places: &[i128]) -> Option<Vec<Option<bool>>> {
        let Request { from, to, .. } = self.request;
        let codes: Vec<Option<u64>> = places.iter().map(|&place| code_at(from, place)).collect();
        let asked: Vec<u64> = codes.iter().flatten().copied().collect();
        if asked.is_empty() {
            return Some(vec![None; places.len()]);
        }
        let packed = pack(from, &asked).ok()?;
        let Reply::Output(output) = self.testee.cast(&self.request, asked.len(), &packed) else {
            return None;
        };
        let mut got = unpack(to, &output, asked.len()).ok()?.into_iter();
        let is_wrong = |code: u64, got: u64| {
            let due = piece_of(&self.pieces, code).expectation(from, to, code);
            let tolerate = due.tolerate.as_ref();
            judge(&due.expect, tolerate, got, self.target, self.strict) == Verdict::Fail
        };
        let answers = codes.into_iter().map(|code| Some(is_wrong(code?, got.next()?)));
        Some(answers.collect())
    }
}
