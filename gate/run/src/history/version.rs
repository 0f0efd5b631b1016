//! One version of a runtime: what it answered, and how much of it is wrong.

use crate::gate::{Options, results};
use anyhow::{Result, bail};
use castproof_arrange::Arrangements;
use castproof_arrange::ask::Judge;
use castproof_check::fuzz::Draw;
use castproof_check::verdict::Verdict;
use castproof_judge::answers;
use castproof_judge::source::Source;
use castproof_recordings::{Lacking, Recording, Replaying};
use castproof_testee::{Identity, Testee};
use castproof_vectors::{Attributes, DType, Level, Request, Suite, unpack};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A cast without its version.
pub type VersionlessCast = (DType, DType, Attributes);

/// What a version of a runtime made of the codes of one cast, in the newest version of `Cast` that it has of it.
#[derive(Clone, Debug)]
pub struct VersionAnswers {
    /// The request.
    pub request: Request,
    /// What came back, by code.
    pub got: BTreeMap<u64, u64>,
}

/// What one version of a runtime answered.
#[derive(Clone, Debug)]
pub struct Version {
    /// The version, as a table names it.
    pub name: String,
    /// Who the testee said it is.
    pub testee: Identity,
    /// What it answered to casts of numbers.
    pub casts: BTreeMap<VersionlessCast, VersionAnswers>,
}

/// Returns how a version is asked: for all vectors of every version of `Cast`, each tensor once.
pub fn options(threads: usize) -> Options {
    Options {
        suites: vec![Suite::OnnxCast],
        arrangements: Arrangements::None,
        every_vector: true,
        threads,
        ..Options::default()
    }
}

impl Version {
    /// Judges what was recorded of a version.
    ///
    /// # Errors
    /// If the recording is of other questions.
    pub fn of(name: &str, recording: Recording, threads: usize) -> Result<Version> {
        let recording = Arc::new(recording);
        let lacking =
            Arc::new(Mutex::new(Lacking::of("remove the file, and run this again".into())));
        let casts = Arc::new(Mutex::new(BTreeMap::new()));
        let noted = Arc::clone(&casts);
        let mut testee = Replaying::new(&recording, &lacking).heard_by(Box::new(
            move |request, count, input, output| {
                note(&mut locked(&noted), request, count, (input, output));
            },
        ));
        results(&options(threads), &mut testee)?;
        if let Some(sentence) = testee.lacking() {
            bail!("{sentence}");
        }
        let mut casts = std::mem::take(&mut *locked(&casts));
        keep_vectors(&mut casts)?;
        Ok(Version { name: name.into(), testee: testee.identity().clone(), casts })
    }

    /// Returns how many codes are wrong, and of how many pairs.
    pub fn wrong(&self) -> (u64, u64) {
        let mut pairs: BTreeMap<(DType, DType), u64> = BTreeMap::new();
        for (&(from, to, _), answers) in &self.casts {
            let Some(judged) = Judged::of(answers) else { continue };
            let is_wrong =
                |&(&code, &got): &(&u64, &u64)| judged.verdict(code, got) == Verdict::Fail;
            *pairs.entry((from, to)).or_default() +=
                answers.got.iter().filter(is_wrong).count() as u64;
        }
        pairs.retain(|_, wrong| *wrong > 0);
        (pairs.values().sum(), pairs.len() as u64)
    }
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Leaves only the codes of the vectors. Where a test fails, others are asked to explain it, and their number says
/// nothing.
fn keep_vectors(casts: &mut BTreeMap<VersionlessCast, VersionAnswers>) -> Result<()> {
    let source = Source::open(None, Level::Core)?;
    let mut vectors: ((DType, DType), BTreeSet<u64>) =
        ((DType::Bool, DType::Bool), BTreeSet::new());
    for (&(from, to, _), answers) in casts {
        if vectors.0 != (from, to) || vectors.1.is_empty() {
            let file = source.load(Suite::OnnxCast, (from, to))?;
            let tests = file.groups.iter().flat_map(|group| &group.tests);
            vectors = ((from, to), tests.filter_map(|test| test.input.as_code()).collect());
        }
        answers.got.retain(|code, _| vectors.1.contains(code));
    }
    Ok(())
}

/// What is due of a cast.
pub(super) struct Judged {
    pub(super) draw: Rc<Draw>,
    judge: Judge,
}

impl Judged {
    pub(super) fn of(answers: &VersionAnswers) -> Option<Judged> {
        let VersionAnswers { request, .. } = answers;
        Some(Judged { draw: answers::draw(request).ok()?, judge: Judge::new(request.to, false)? })
    }

    /// Judges one result.
    pub(super) fn verdict(&self, code: u64, got: u64) -> Verdict {
        if self.draw.is_refused_at(code) {
            return Verdict::Fail; // it must be refused, and a result came
        }
        let due = self.draw.expectation(code);
        self.judge.element((&due.expect, due.tolerate.as_ref()), got)
    }
}

/// Notes what came back, if it is a cast of numbers in the newest version of those that were noted.
fn note(
    casts: &mut BTreeMap<VersionlessCast, VersionAnswers>,
    request: &Request,
    count: usize,
    (input, output): (&[u8], &[u8]),
) {
    let Request { from, to, attributes, .. } = *request;
    if !from.is_numeric() || !to.is_numeric() {
        return;
    }
    let (Ok(codes), Ok(got)) = (unpack(from, input, count), unpack(to, output, count)) else {
        return; // an output of another length is no result
    };
    let new = || VersionAnswers { request: *request, got: BTreeMap::new() };
    let answers = casts.entry((from, to, attributes)).or_insert_with(new);
    if answers.request.spec.opset() < request.spec.opset() {
        *answers = new();
    }
    if answers.request.spec == request.spec {
        answers.got.extend(codes.into_iter().zip(got));
    }
}
