//! Records what a testee answers to all questions of the gate, and says how a recording was asked.

use crate::gate::{ask_kernel, open_baseline, others, plan};
use crate::options::Options;
use crate::work::{self, Task, Testees};
use crate::{bare, journal};
use anyhow::{Context, Result, bail};
use castproof_arrange::Arrangements;
use castproof_judge::scope::Scope;
use castproof_judge::source::Source;
use castproof_recordings::{Header, Recorder};
use castproof_testee::{Make, Testee};
use castproof_vectors::{Level, Profile, Suite};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The suites that a run leaves out unless they are named.
const UNNAMED: [Suite; 7] = [
    Suite::Blocks,
    Suite::BlocksTensors,
    Suite::BlocksDecoded,
    Suite::Gguf,
    Suite::Projections,
    Suite::Layouts,
    Suite::OnnxQuantize,
];

/// How a recording was asked; the gate asks the same questions only if it is asked alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedAs {
    /// How many vectors.
    pub level: Level,
    /// The seed from which tensors are drawn.
    pub seed: u64,
    /// In which versions tensors are arranged: `newest`, `all` or `none`.
    pub arrangements: NamedArrangements,
    /// How many vectors a version of Cast is asked of those that a newer one answered. Older recordings do not say it:
    /// all.
    #[serde(default)]
    pub vectors: Vectors,
}

/// How many vectors a version of Cast is asked of those that a newer one answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "each variant is its own name")]
pub enum Vectors {
    Share,
    #[default]
    All,
}

/// [`Arrangements`], as a file names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "each variant is its own name")]
pub enum NamedArrangements {
    Newest,
    All,
    None,
}

impl AskedAs {
    /// Returns how a run asks.
    pub fn of(options: &Options) -> AskedAs {
        let arrangements = match options.arrangements {
            Arrangements::Newest => NamedArrangements::Newest,
            Arrangements::All => NamedArrangements::All,
            Arrangements::None => NamedArrangements::None,
        };
        let vectors = if options.every_vector { Vectors::All } else { Vectors::Share };
        AskedAs { level: options.level, seed: options.seed, arrangements, vectors }
    }

    /// Returns how a recording was asked.
    ///
    /// # Errors
    /// If it does not say so in a way that is known here.
    pub fn read(header: &Header) -> Result<AskedAs> {
        serde_json::from_value(header.about.asked.clone())
            .context("it does not say how it was asked, or says it in a way that is not known here")
    }

    /// Makes a run ask alike.
    pub fn apply(self, options: &mut Options) {
        options.arrangements = match self.arrangements {
            NamedArrangements::Newest => Arrangements::Newest,
            NamedArrangements::All => Arrangements::All,
            NamedArrangements::None => Arrangements::None,
        };
        options.every_vector = self.vectors == Vectors::All;
        (options.level, options.seed) = (self.level, self.seed);
    }
}

/// Asks testees for everything that a run with these options asks; if the options name no suites, for
/// all suites and for the profiles that the testee has. Returns what is left out, in the words of the
/// command line.
///
/// # Errors
/// If a testee does not start, is given up, or the run cannot be carried out.
pub fn record(options: &Options, recorder: &Arc<Recorder>, make: &Make<'_>) -> Result<Vec<String>> {
    let make = || -> Result<Box<dyn Testee + Send>> { Ok(Box::new(recorder.recording(make()?))) };
    let mut first = make()?;
    let first = first.as_mut();
    let mut others: Option<Vec<Box<dyn Testee + Send>>> = None;
    let mut reductions = Vec::new();
    for (number, run) in runs(options, &first.profiles()).into_iter().enumerate() {
        let source = Source::open(run.vectors.as_deref(), run.level)?;
        let (plan, bare::Search { wrong, .. }) = plan(&run, &source, first)?;
        if number == 0 {
            reductions = plan.scope.reductions();
            // Each pair may be asked for alone later.
            for &pair in &plan.scope.pairs {
                let scope = Scope { pairs: vec![pair], kernel: false, ..plan.scope.clone() };
                bare::search(&scope, first);
            }
        }
        let others = match &mut others {
            Some(others) => others,
            none => {
                none.insert(self::others(&make, run.jobs.min(work::most_shares(&plan)), first)?)
            }
        };
        let baseline = open_baseline(&run)?;
        let task = Task { source: &source, plan: &plan, baseline: &baseline, threads: run.threads };
        let mut testees = Testees { first, others };
        let mut results = work::run(task, &mut testees, &mut journal::Progress::default())?;
        if !bare::names_versions(&plan.scope, testees.first)
            && bare::is_shown(&plan.scope, &results)
        {
            results = ask_kernel(&run, task, &mut testees, &results)?.1;
        }
        bare::note(&wrong, &baseline, testees.first, &mut results);
        if let Some(why) = testees.given_up() {
            bail!("the testee was given up, {why}: nothing was recorded");
        }
    }
    Ok(reductions)
}

/// Returns the runs that together ask for everything.
fn runs(options: &Options, profiles: &[Profile]) -> Vec<Options> {
    let mut runs = vec![options.clone()];
    if !options.suites.is_empty() {
        return runs;
    }
    let is_whole = options.pairs.is_empty() && !options.kernel;
    if is_whole {
        runs.push(Options { suites: UNNAMED.to_vec(), ..options.clone() });
        let of_profile = |&profile: &Profile| Options {
            suites: vec![Suite::Profile(profile)],
            ..options.clone()
        };
        runs.extend(profiles.iter().map(of_profile));
    }
    runs
}
