//! The threads of a run: each has its own testee, asks it for one tensor after the other, and makes
//! its findings small.

use super::ask::{Came, Said, ask};
use super::found::{Found, Wrong};
use super::plan::{Plan, Tensor, is_answered};
use super::{Draw, Gone, vectors};
use crate::arrange::arrange_request;
use crate::shrink::{fewest, simpler};
use anyhow::{Error, Result, anyhow};
use castproof_check::verdict::Verdict;
use castproof_check::words;
use castproof_io::pool::End;
use castproof_judge::answers;
use castproof_judge::asked::Asked;
use castproof_judge::place::{Counts, Place};
use castproof_judge::results::Misplaced;
use castproof_testee::{Make, Testee};
use castproof_vectors::book::{Book, Composer};
use castproof_vectors::{Attributes, DType, Element, OutcomeRecord, Request};
use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

type Pair = (DType, DType);

/// A run ends after this many crashes and timeouts.
const MOST_DEATHS: u64 = 60;

/// How often a testee is asked while a tensor that is wrong, or that ends it, is made small.
const TRIES: usize = 200;

/// The same if each try may crash the testee, and if each may take the longest wait.
const DEADLY_TRIES: usize = 24;
const SLOW_TRIES: usize = 16;

/// Codes beside the wrong one that are arranged.
const NEIGHBOURS: usize = 24;

/// What the threads share.
pub(super) struct Shared<'a> {
    pub(super) plan: Plan,
    pub(super) make: &'a Make<'a>,
    pub(super) strict: bool,
    /// The time at which the run ends.
    pub(super) deadline: Option<Instant>,
    /// Most tensors that are asked.
    pub(super) limit: u64,
    pub(super) interrupted: &'a AtomicBool,
    next: AtomicU64,
    asked: AtomicU64,
    deaths: AtomicU64,
    /// Why the run ended early.
    ended: Mutex<Option<String>>,
    /// The first error, which ends the run too.
    failed: Mutex<Option<Error>>,
    closed: Mutex<HashSet<Request>>,
    /// Codes that alone prevent an answer of the testee; they are asked once.
    deadly: Mutex<HashSet<(Pair, u64)>>,
    found: Mutex<Found>,
}

impl<'a> Shared<'a> {
    pub(super) fn new(
        plan: Plan,
        make: &'a Make<'a>,
        strict: bool,
        (deadline, limit): (Option<Instant>, u64),
        interrupted: &'a AtomicBool,
        found: Found,
    ) -> Shared<'a> {
        Shared {
            plan,
            make,
            strict,
            deadline,
            limit,
            interrupted,
            next: AtomicU64::new(0),
            asked: AtomicU64::new(0),
            deaths: AtomicU64::new(0),
            ended: Mutex::default(),
            failed: Mutex::default(),
            closed: Mutex::default(),
            deadly: Mutex::default(),
            found: Mutex::new(found),
        }
    }

    /// Returns what was found so far.
    pub(super) fn found(&self) -> MutexGuard<'_, Found> {
        locked(&self.found)
    }

    /// Returns what was found, why the run ended early, and the error that ended it.
    pub(super) fn into_found(self) -> (Found, Option<String>, Option<Error>) {
        (unlocked(self.found), unlocked(self.ended), unlocked(self.failed))
    }

    /// Returns the number of tensors that were asked so far.
    pub(super) fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed).min(self.limit)
    }

    /// Did the user stop the run?
    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Ends the run; the first error is kept.
    pub(super) fn fail(&self, error: Error) {
        locked(&self.failed).get_or_insert(error);
    }

    fn is_over(&self) -> bool {
        self.is_interrupted()
            || self.asked.load(Ordering::Relaxed) >= self.limit
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || locked(&self.ended).is_some()
            || locked(&self.failed).is_some()
            || locked(&self.closed).len() >= self.plan.requests()
    }

    fn is_closed(&self, request: &Request) -> bool {
        locked(&self.closed).contains(request)
    }

    /// Removes the codes that are known to be deadly from a tensor; `None` if its form needs them.
    fn without_deadly(&self, tensor: Tensor) -> Option<Tensor> {
        let codes = self.not_deadly((tensor.request.from, tensor.request.to), &tensor.codes);
        let is_whole = codes.len() == tensor.codes.len();
        (is_whole || tensor.form.is_none()).then_some(Tensor { codes, ..tensor })
    }

    /// Returns the codes that are not known to be deadly in casts of a pair.
    pub(super) fn not_deadly(&self, pair: Pair, codes: &[u64]) -> Vec<u64> {
        let deadly = locked(&self.deadly);
        codes.iter().copied().filter(|code| !deadly.contains(&(pair, *code))).collect()
    }

    fn close(&self, request: &Request) {
        locked(&self.closed).insert(*request);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn unlocked<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// One thread.
pub(super) struct Worker<'a> {
    pub(super) shared: &'a Shared<'a>,
    pub(super) testee: Box<dyn Testee + Send>,
    pub(super) composer: Composer<'static>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(shared: &'a Shared<'a>, testee: Box<dyn Testee + Send>) -> Worker<'a> {
        Worker { shared, testee, composer: Composer::new(Book::carried()) }
    }

    /// Asks for tensors until the run is over or a thread has failed. Returns the testee.
    ///
    /// # Errors
    /// If a finding cannot be written.
    pub(super) fn work(mut self, end: &End) -> Result<Box<dyn Testee + Send>> {
        while !self.shared.is_over() && !end.is_set() {
            let number = self.shared.next.fetch_add(1, Ordering::Relaxed);
            let (request, random) = self.shared.plan.request(number);
            if self.shared.is_closed(&request) {
                continue;
            }
            if self.shared.asked.fetch_add(1, Ordering::Relaxed) >= self.shared.limit {
                break;
            }
            let draw = answers::draw(&request).map_err(|problem| anyhow!(problem))?;
            if self.shared.plan.is_chain(number) {
                let drawn = self.shared.plan.chain(&draw, random);
                let came = self.chain(&draw, &drawn)?;
                if let Some(came) = came.filter(|_| !self.shared.is_interrupted()) {
                    self.shared.found().chained(came)?;
                }
                continue;
            }
            if let Some(tensor) = self.shared.without_deadly(self.shared.plan.tensor(&draw, random))
            {
                self.one(&draw, &tensor)?;
            }
        }
        Ok(self.testee)
    }

    fn one(&mut self, draw: &Draw, tensor: &Tensor) -> Result<()> {
        let reply = self.ask(draw, tensor);
        if self.shared.is_interrupted() {
            return Ok(()); // what came instead of an answer is no fault of the testee
        }
        match reply {
            Ok(came) => self.answered(draw, tensor, &came),
            Err((Verdict::Unsupported, _)) if tensor.form.is_some() => {
                self.shared.found().not_formed(tensor);
                Ok(())
            }
            Err(said) => {
                let is_new = said.0 == Verdict::Unsupported
                    && !self.shared.found().was_answered(&tensor.request);
                if !is_new {
                    return self.unanswered(draw, tensor, said);
                }
                self.shared.asked.fetch_sub(1, Ordering::Relaxed);
                self.shared.close(&tensor.request);
                self.shared.found().unsupported(&tensor.request);
                Ok(())
            }
        }
    }

    /// Asks for a tensor; restarts a testee that died.
    fn ask(&mut self, draw: &Draw, tensor: &Tensor) -> Result<Came, Said> {
        let reply = ask(self.testee.as_mut(), draw, tensor, self.shared.strict);
        if matches!(reply, Err((Verdict::Crash | Verdict::Timeout, _))) {
            self.died();
        }
        reply
    }

    /// Restarts a testee that died.
    pub(super) fn died(&mut self) {
        if self.shared.is_interrupted() {
            return;
        }
        if self.shared.deaths.fetch_add(1, Ordering::Relaxed) + 1 >= MOST_DEATHS {
            let reason = format!("given up after {MOST_DEATHS} crashes and timeouts");
            locked(&self.shared.ended).get_or_insert(reason);
        }
        match (self.shared.make)() {
            Ok(testee) => self.testee = testee,
            Err(error) => {
                self.testee = Box::new(Gone(self.testee.identity().clone()));
                self.shared.fail(error);
            }
        }
    }

    fn answered(&mut self, draw: &Draw, tensor: &Tensor, came: &Came) -> Result<()> {
        let mut looked_at = BTreeSet::new();
        let mut right_alone = BTreeSet::new();
        for ((&code, &got), &verdict) in tensor.codes.iter().zip(&came.got).zip(&came.verdicts) {
            if verdict != Verdict::Fail || !looked_at.insert((code, got)) {
                continue;
            }
            let wrong = Wrong { code, got, rule: draw.expectation(code).rule };
            if self.shared.found().is_known(&tensor.request, &wrong) {
                continue;
            }
            match self.alone(draw, &wrong) {
                Some(alone) => {
                    let simplest = self.simplest(draw, alone);
                    let request = self.plainest(draw, &simplest)?;
                    let mut found = self.shared.found();
                    found.fails((&tensor.request, code), (&request, &simplest))?;
                }
                None => {
                    right_alone.insert(code);
                }
            }
            if self.shared.is_interrupted() {
                break;
            }
        }
        let mut found = self.shared.found();
        found.count(tensor, came, &right_alone);
        if !looked_at.is_empty() && right_alone.is_empty() {
            found.observe(tensor, came);
        }
        let is_new = |found: &mut Found| found.is_new_place(tensor);
        let misplaced = if !right_alone.is_empty() && is_new(&mut found) {
            drop(found);
            self.misplaced(draw, tensor, came, &right_alone)?
        } else if looked_at.is_empty() && !came.is_padded && is_new(&mut found) {
            drop(found);
            vec![padding(tensor)]
        } else {
            return Ok(());
        };
        self.shared.found().misplaced(&tensor.request, misplaced)
    }

    /// Asks for the same code alone in a tensor; returns its result if it fails there.
    fn alone(&mut self, draw: &Draw, wrong: &Wrong) -> Option<Wrong> {
        let alone = Tensor::plain(*draw.request(), vec![wrong.code]);
        let came = self.ask(draw, &alone).ok()?;
        (came.verdicts[0] == Verdict::Fail).then_some(Wrong { got: came.got[0], ..*wrong })
    }

    /// Finds the simplest code that fails alone with the same result by the same rule. All codes on
    /// the way to it fail in the same way.
    fn simplest(&mut self, draw: &Draw, wrong: Wrong) -> Wrong {
        let mut simplest = wrong;
        for way in 0..2 {
            let mut codes = simpler(simplest.code)[way].clone();
            codes.retain(|code| draw.expectation(*code).rule == wrong.rule);
            let together = Tensor::plain(*draw.request(), codes);
            let Ok(came) = self.ask(draw, &together) else { return simplest };
            let fails =
                |at: &usize| came.verdicts[*at] == Verdict::Fail && came.got[*at] == wrong.got;
            let Some(last) = (0..came.got.len()).take_while(fails).last() else { continue };
            let simple = Wrong { code: together.codes[last], ..wrong };
            if self.alone(draw, &simple).is_some_and(|alone| alone.got == wrong.got) {
                simplest = simple;
            }
        }
        simplest
    }

    /// Returns the request with the fewest attributes in which the code fails in the same way.
    fn plainest(&mut self, draw: &Draw, wrong: &Wrong) -> Result<Request> {
        let given = draw.request().attributes;
        let saturate = Attributes { round_mode: None, ..given };
        let round_mode = Attributes { saturate: None, ..given };
        let expect = draw.expectation(wrong.code).expect;
        for attributes in [Attributes::default(), saturate, round_mode] {
            let request = draw.request().with(attributes);
            if attributes == given || !is_answered(&request) {
                continue;
            }
            let plainer = answers::draw(&request).map_err(|problem| anyhow!(problem))?;
            if plainer.expectation(wrong.code).expect != expect {
                continue;
            }
            if self.alone(&plainer, wrong).is_some_and(|alone| alone.got == wrong.got) {
                return Ok(request);
            }
        }
        Ok(*draw.request())
    }

    /// Returns the findings of places. First the gate arranges these codes, because its finding
    /// names the place. If it finds nothing, the finding is the fewest elements of the tensor that
    /// still fail, or the tensor itself if it was wrong only once.
    fn misplaced(
        &mut self,
        draw: &Draw,
        tensor: &Tensor,
        came: &Came,
        right_alone: &BTreeSet<u64>,
    ) -> Result<Vec<Misplaced>> {
        let request = &tensor.request;
        let asked = Asked::of_request(request);
        let mut codes = right_alone.clone();
        codes.extend(draw.named());
        codes.extend(tensor.codes.iter().take(NEIGHBOURS));
        let inputs = codes.iter().map(|&code| (request.attributes, code)).collect();
        let file = vectors::file((request.from, request.to), &inputs);
        let file = file.map_err(|problem| anyhow!(problem))?;
        let groups = file.groups.iter().filter(|group| {
            group.attributes == request.attributes
                && asked.opset.is_some_and(|version| group.opsets.contains(&version))
        });
        let tests: Vec<_> = groups.flat_map(|group| &group.tests).collect();
        let strict = self.shared.strict;
        let arranged = arrange_request(*request, &tests, strict, self.testee.as_mut());
        if !arranged.is_empty() && !self.shared.is_interrupted() {
            return Ok(arranged);
        }
        let smallest = self.smallest(draw, tensor, right_alone);
        let once = || wrong_once(draw, tensor, came, right_alone);
        Ok(smallest.or_else(once).into_iter().collect())
    }

    /// Finds the fewest elements of a tensor with a wrong element whose code is right alone.
    fn smallest(
        &mut self,
        draw: &Draw,
        tensor: &Tensor,
        right_alone: &BTreeSet<u64>,
    ) -> Option<Misplaced> {
        let mut last = None;
        let mut is_wrong = |codes: &[u64]| {
            let form = tensor.form.clone().filter(|_| codes.len() == tensor.codes.len());
            let tried = Tensor { codes: codes.to_vec(), form, ..tensor.clone() };
            let Ok(came) = self.ask(draw, &tried) else { return false };
            let fails = |at: &usize| {
                came.verdicts[*at] == Verdict::Fail && right_alone.contains(&codes[*at])
            };
            let Some(at) = (0..codes.len()).find(fails) else { return false };
            last = Some((tried, at, came.got[at]));
            true
        };
        is_wrong(&tensor.codes);
        fewest(tensor.codes.clone(), TRIES, is_wrong);
        last.map(|(tensor, at, got)| wrong_at(draw, &tensor, at, got))
    }

    fn unanswered(&mut self, draw: &Draw, tensor: &Tensor, said: Said) -> Result<()> {
        let is_new = self.shared.found().unanswered(tensor, &said);
        if self.shared.found().is_given_up(&tensor.request) {
            self.shared.close(&tensor.request);
        }
        if !is_new {
            return Ok(());
        }
        let small = self.deadly(draw, tensor, said.0);
        let mut found = self.shared.found();
        match small.codes[..] {
            [code] if small.form.is_none() && said.0 != Verdict::Unsupported => {
                let Request { from, to, .. } = tensor.request;
                locked(&self.shared.deadly).insert(((from, to), code));
                found.says(tensor, said, code)
            }
            _ => found.misplaced(&tensor.request, vec![not_answered(&small, &said)]),
        }
    }

    /// Finds the smallest tensor that gets the same verdict without elements.
    fn deadly(&mut self, draw: &Draw, tensor: &Tensor, verdict: Verdict) -> Tensor {
        let budget = match verdict {
            Verdict::Crash => DEADLY_TRIES,
            Verdict::Timeout => SLOW_TRIES,
            _ => TRIES,
        };
        let mut still = |codes: &[u64]| {
            let tried = Tensor::plain(tensor.request, codes.to_vec());
            self.ask(draw, &tried).is_err_and(|(said, _)| said == verdict)
        };
        if (tensor.form.is_some() || tensor.dirty) && !still(&tensor.codes) {
            return tensor.clone();
        }
        Tensor::plain(tensor.request, fewest(tensor.codes.clone(), budget, still))
    }
}

/// Makes a finding of a tensor without an element.
fn found_in(tensor: &Tensor, place: Place, sentence: String) -> Misplaced {
    Misplaced {
        asked: Asked::of_request(&tensor.request),
        place,
        sentence,
        count: tensor.codes.len() as u64,
        layout: tensor.layout(),
        index: None,
        input: None,
        got: None,
        expect: None,
        clause: None,
        codes: Misplaced::some_codes(tensor.codes.iter().copied(), tensor.request.from),
        known: None,
    }
}

fn wrong_at(draw: &Draw, tensor: &Tensor, at: usize, got: u64) -> Misplaced {
    let Request { from, to, .. } = tensor.request;
    let code = tensor.codes[at];
    let due = draw.expectation(code);
    let sentence = format!(
        "right alone; wrong as element {at} of {}, where {} gave {}, expected {}, {}",
        tensor.codes.len(),
        words::value(from, code),
        words::value(to, got),
        words::outcome(to, &due.expect),
        tensor.layout(),
    );
    Misplaced {
        index: Some(at as u64),
        input: Some(Element::code(code, from)),
        got: Some(Element::code(got, to)),
        expect: Some(OutcomeRecord::new(&due.expect, to)),
        clause: Some(due.rule.to_string()),
        ..found_in(tensor, Place::NotExplained, sentence)
    }
}

/// Returns the first wrong element of a tensor whose fault did not occur again.
fn wrong_once(
    draw: &Draw,
    tensor: &Tensor,
    came: &Came,
    right_alone: &BTreeSet<u64>,
) -> Option<Misplaced> {
    let wrong = |at: &usize| {
        came.verdicts[*at] == Verdict::Fail && right_alone.contains(&tensor.codes[*at])
    };
    let at = (0..tensor.codes.len()).find(wrong)?;
    let found = wrong_at(draw, tensor, at, came.got[at]);
    let sentence = format!("{}; not seen again", found.sentence);
    Some(Misplaced { place: Place::NotEveryTime, sentence, ..found })
}

fn padding(tensor: &Tensor) -> Misplaced {
    let count = tensor.codes.len();
    let sentence = format!("the padding bits of the output are not zero: at a count of {count}");
    found_in(tensor, Place::PaddingOut, sentence)
}

fn not_answered(tensor: &Tensor, (verdict, message): &Said) -> Misplaced {
    let counts = Counts::One(tensor.codes.len());
    let sentence = format!("{}: {message}, {counts}, {}", verdict.name(), tensor.layout());
    found_in(tensor, Place::Unanswered(*verdict, counts), sentence)
}
