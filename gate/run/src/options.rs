//! What a run of the gate is asked to do.

use crate::plan::Choice;
use castproof_arrange::{Arrangements, Calls};
use castproof_io::journal::JournalTerms;
use castproof_io::style::Palette;
use castproof_judge::scope::Judgement;
use castproof_report::terminal::Matrices;
use castproof_results::finding::Finding;
use castproof_results::{Filters, ResultsFile};
use castproof_vectors::{BlockProfile, DType, Level, Profile, Suite};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a run is asked to do. By default: level core on one thread, nothing left out, nothing
/// written.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How many vectors.
    pub level: Level,
    /// A folder of vectors, instead of those of `level`.
    pub vectors: Option<PathBuf>,
    /// The suites to run; empty: all of them.
    pub suites: Vec<Suite>,
    /// What to leave out.
    pub filters: Filters,
    /// The pairs to run; empty: all of them.
    pub pairs: Vec<(DType, DType)>,
    /// The codes that alone are asked of the pairs, which have one source; empty: those of the vectors.
    pub only: Vec<u64>,
    /// Are some pairs, chains and questions a sample of the others?
    pub sample: bool,
    /// The rules by which blocks are asked alone; empty: all.
    pub rules: Vec<BlockProfile>,
    /// Pairs of which at least one test must be executed.
    pub required: Vec<(DType, DType)>,
    /// Only the newest version of Cast, without tests of refusals?
    pub kernel: bool,
    /// In which versions tensors are arranged.
    pub arrangements: Arrangements,
    /// Are all vectors asked in every version, as where tensors are arranged in all? By default a version is asked a
    /// share of the vectors that a newer one answered.
    pub every_vector: bool,
    /// The seed from which the tensors of arrangements are drawn.
    pub seed: u64,
    /// The count of one more tensor for each pair.
    pub large: Option<usize>,
    /// In how many calls each pair is asked.
    pub calls: Calls,
    /// In how many more calls the longest tensor of level core is asked of each pair. Two threads of a kernel that share a buffer are
    /// wrong in some calls alone.
    pub long_calls: usize,
    /// Do tolerated results fail?
    pub strict: bool,
    /// The profile that judges what ONNX leaves open.
    pub silent_as: Option<Profile>,
    /// The file of known failures.
    pub baseline: Option<PathBuf>,
    /// Is that file updated to match the run?
    pub update_baseline: bool,
    /// Where to write a results file.
    pub json: Option<PathBuf>,
    /// Where to record what is done, so that a stopped run can be resumed.
    pub journal: Option<PathBuf>,
    /// On which terms an existing journal is resumed.
    pub terms: JournalTerms,
    /// Must every pair have run?
    pub complete: bool,
    /// Threads that read or make vectors while the testee works.
    pub threads: usize,
    /// Testees that [`run_with`](crate::gate::run_with) starts; 0 means 1.
    pub jobs: usize,
    /// Lines that follow the first one of the report.
    pub notes: Vec<String>,
    /// How many lines the findings take at most.
    pub limit_list: usize,
    /// Which matrices are drawn.
    pub matrices: Matrices,
    /// Is the report coloured?
    pub colour: bool,
    /// Names the command that reproduces a finding.
    pub reproducing: Reproducing,
}

type Command = dyn Fn(&ResultsFile, &Finding, &Path) -> Option<String> + Send + Sync;

/// Names the command that reproduces a finding of a results file; by default none does.
#[derive(Clone, Default)]
pub struct Reproducing(Option<Arc<Command>>);

impl Reproducing {
    /// Names commands by this function, which gets the results, a finding of them, and their place.
    pub fn by(
        command: impl Fn(&ResultsFile, &Finding, &Path) -> Option<String> + Send + Sync + 'static,
    ) -> Reproducing {
        Reproducing(Some(Arc::new(command)))
    }

    /// Returns the command, if there is one.
    pub fn command(&self, file: &ResultsFile, finding: &Finding, place: &Path) -> Option<String> {
        self.0.as_ref().and_then(|command| command(file, finding, place))
    }
}

impl fmt::Debug for Reproducing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reproducing").field(&self.0.is_some()).finish()
    }
}

impl Options {
    pub(super) fn palette(&self) -> Palette {
        Palette { on: self.colour }
    }

    pub(super) fn judgement(&self) -> Judgement {
        Judgement { strict: self.strict, silent_as: self.silent_as }
    }

    pub(super) fn choice(&self) -> Choice<'_> {
        Choice {
            filters: self.filters,
            suites: &self.suites,
            named: &self.pairs,
            only: &self.only,
            sample: self.sample,
            rules: &self.rules,
            kernel: self.kernel,
            arrangements: self.arrangements,
            every_vector: self.every_vector,
            seed: self.seed,
            large: self.large,
            calls: self.calls,
            long_calls: self.long_calls,
        }
    }
}
