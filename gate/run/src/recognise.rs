//! Asks a testee where ONNX leaves the result open, to tell which profile it casts as.

use crate::journal::Progress;
use crate::options::Options;
use crate::plan::Plan;
use crate::work::{self, Task, Testees};
use anyhow::{Result, bail};
use castproof_arrange::Arrangements;
use castproof_check::verdict::{Verdict, counted};
use castproof_judge::scope::Judgement;
use castproof_judge::source::Source;
use castproof_results::Results;
use castproof_results::asked::Asked;
use castproof_results::baseline::Baseline;
use castproof_results::recognition::Recognition;
use castproof_testee::{Identity, Testee};
use castproof_vectors::{DType, Profile, Suite};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt::Write;

type Pair = (DType, DType);

/// Asks for the vectors of casts from floats to integers, in every version of `Cast`, because a testee
/// may lack the newest. Returns the results: for each pair a [`Recognition`], and where one depends
/// on its place in the tensor, a [`Varying`]. `pairs` are the pairs that are asked; none: all.
///
/// # Errors
/// If a pair is not from a float to an integer, or no pair is recognised.
///
/// [`Varying`]: castproof_results::Varying
pub fn recognise(pairs: &[Pair], testee: &mut dyn Testee) -> Result<Results> {
    let is_open = |&(from, to): &Pair| from.is_float() && to.is_integer();
    if let Some((from, to)) = pairs.iter().find(|pair| !is_open(pair)) {
        bail!(
            "{from} -> {to} is not a cast that is recognised; name pairs of a float and an integer"
        );
    }
    let targets = |&from: &DType| DType::NUMERIC.iter().map(move |&to| (from, to));
    let all = DType::NUMERIC.iter().flat_map(targets);
    let all: Vec<Pair> = match pairs {
        [] => all.filter(is_open).collect(),
        pairs => pairs.to_vec(),
    };
    let options = Options {
        pairs: all,
        suites: vec![Suite::OnnxCast],
        arrangements: Arrangements::None,
        threads: 1,
        ..Options::default()
    };
    let source = Source::open(None, options.level)?;
    let plan = Plan::new(&options.choice(), Judgement::default(), &source)?;
    let baseline = Baseline::default();
    let task = Task { source: &source, plan: &plan, baseline: &baseline, threads: 1 };
    let mut testees = Testees { first: testee, others: &mut [] };
    let mut results = work::run(task, &mut testees, &mut Progress::default())?;
    if results.recognitions.is_empty() {
        let said = results.remarks.keys().next().map(|remark| format!(": {}", remark.message));
        bail!("no pair can be recognised{}", said.unwrap_or_default());
    }
    results.sort();
    Ok(results)
}

/// Returns a line for each pair, and what was not answered.
pub fn table(testee: &Identity, results: &Results) -> String {
    let mut text = format!("castproof recognise: {testee}\n\n");
    for it in &results.recognitions {
        let _ = writeln!(text, "{it}");
        let varying = results.varying.iter().find(|varying| varying.pair() == (it.from, it.to));
        if let Some(varying) = varying {
            let _ =
                writeln!(text, "    depends on the place in the tensor: {}", varying.sentence());
        }
    }
    let executed = |pair: Pair| {
        let mut cells = results.cells.iter();
        cells.any(|(asked, cell)| asked.pair() == pair && cell.counts.executed > 0)
    };
    let pairs: BTreeSet<Pair> = results.cells.keys().map(Asked::pair).collect();
    let (run, lacking): (Vec<Pair>, Vec<Pair>) =
        pairs.into_iter().partition(|pair| executed(*pair));
    for (key, remark) in &results.remarks {
        let (pair, verdict) = (key.asked.pair(), key.verdict);
        // A testee that lacks a pair, or some versions, says so with either.
        if verdict > Verdict::Error || verdict == Verdict::Error && lacking.contains(&pair) {
            let (verdict, tests) = (verdict.name(), counted(remark.tests, "test"));
            let _ = writeln!(text, "{} -> {}: {verdict}, {tests}: {}", pair.0, pair.1, key.message);
        }
    }
    if !lacking.is_empty() {
        let were = if lacking.len() == 1 { "was" } else { "were" };
        let _ = writeln!(text, "{} {were} not cast", counted(lacking.len() as u64, "pair"));
    }
    match run.len() - results.recognitions.len() {
        0 => {}
        others => {
            let have = if others == 1 { "has" } else { "have" };
            let others = counted(others as u64, "pair");
            let _ = writeln!(text, "{others} {have} no result that is open, or no profile");
        }
    }
    if results.recognitions.len() >= MANY {
        let _ = writeln!(text, "\n{}", summary(results));
    }
    text
}

/// From so many pairs on the lines of the pairs end with a summary.
const MANY: usize = 10;

/// The profiles that a summary names.
const NAMED: usize = 5;

/// Returns of which part of its pairs the testee agrees with each profile: `Of 113 pairs: as rust-as in 105 of 113,
/// wasm-sat in 8 of 8; as no profile in 3`.
fn summary(results: &Results) -> String {
    let all = &results.recognitions;
    let mut agreeing: Vec<(usize, usize, Profile)> = Profile::numeric()
        .map(|profile| {
            let like = all.iter().filter(|it| it.like.contains(&profile)).count();
            let unlike = |it: &&Recognition| it.unlike.iter().any(|other| other.profile == profile);
            (like, like + all.iter().filter(unlike).count(), profile)
        })
        .filter(|(like, ..)| *like > 0)
        .collect();
    agreeing.sort_by_key(|&(like, of, _)| (Reverse(like), of));
    let named = agreeing.iter().take(NAMED);
    let mut parts: Vec<String> =
        named.map(|(like, of, profile)| format!("{} in {like} of {of}", profile.name())).collect();
    if agreeing.len() > NAMED {
        parts.push(format!("{} other profiles in fewer", agreeing.len() - NAMED));
    }
    let mut text = match &parts[..] {
        [] => format!("Of {} pairs none is as a profile", all.len()),
        parts => format!("Of {} pairs: as {}", all.len(), parts.join(", ")),
    };
    let none = all.iter().filter(|it| it.like.is_empty()).count();
    for (number, what) in
        [(none, "as no profile"), (results.varying.len(), "by the place in the tensor")]
    {
        if number > 0 && !agreeing.is_empty() {
            let _ = write!(text, "; {what} in {number}");
        }
    }
    text
}
