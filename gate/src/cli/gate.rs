//! `castproof gate`: vectors through an implementation.

use super::args::{JournalArgs, Selection, SubjectArgs, apart, reproducing, thread_count};
use super::print::output;
use super::record::Recorded;
use super::values::{
    EveryVersion, Versions, asked_versions, has_colours, parse_block_profile, parse_calls,
    parse_count, parse_large, parse_pair, parse_profile, parse_time,
};
use crate::arrange::{Arrangements, Calls};
use crate::element;
use crate::gate::{self, Options};
use crate::results::Filters;
use crate::testee::{self, Subject, adapter};
use anyhow::{Error, Result, anyhow, bail};
use castproof_vectors::{BlockProfile, DType, Operator, Profile, Spec, Suite};
use clap::Args;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Most testees that the gate starts unless it is told how many.
const MOST_JOBS: usize = 8;

/// In how many more calls a library is asked for the longest tensor of level core, for each pair: if two threads share a buffer and a fourth of the
/// calls is wrong, 99 of 100 such libraries are found. A program, which is sent its tensors, takes too long.
const LONG_CALLS: usize = 16;

/// `castproof gate`
#[derive(Args)]
pub(super) struct Gate {
    #[command(flatten)]
    subject: SubjectArgs,
    /// Judge what an implementation answered when `castproof record` wrote this file, as if it answered
    /// now. The file says how it was asked: at which level, in which arrangements, from which seed.
    #[arg(long, value_name = "FILE", group = "Implementation")]
    #[arg(conflicts_with_all = ["variant", "journal", "level", "vectors", "arrangements", "seed", "large", "calls"])]
    recorded: Option<PathBuf>,
    #[command(flatten)]
    selection: Selection,
    /// Run only this suite. Can be repeated. By default, all suites run except `blocks`, `blocks-tensors`,
    /// `blocks-decoded`, `gguf`, `projections`, `layouts`, `onnx-quantize` and those of profiles.
    #[arg(long, value_name = "NAME")]
    suite: Vec<Suite>,
    /// Test the casts of this specification alone: a version of Cast, like onnx-cast-25, or a profile.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["suite", "opset", "kernel"])]
    spec: Option<Spec>,
    /// Test the casts of a specification other than ONNX's, like rust-as. The testee's hello must
    /// list it. With --spec onnx-cast-VERSION: test that version, and by the profile what it leaves
    /// open; the testee is asked nothing but ONNX's casts.
    #[arg(long, value_name = "NAME", value_parser = parse_profile)]
    #[arg(conflicts_with_all = ["suite", "opset"])]
    profile: Option<Profile>,
    /// The file of known failures [default: the adapter's expectations.toml, if it has one].
    #[arg(long, value_name = "FILE", conflicts_with = "no_baseline")]
    baseline: Option<PathBuf>,
    /// Expect no failure: ignore the adapter's file of known failures.
    #[arg(long)]
    no_baseline: bool,
    /// Update the file of known failures from this run. Reasons and comments are kept.
    #[arg(long, conflicts_with = "no_baseline")]
    update_baseline: bool,
    /// Count tolerated results as failures.
    #[arg(long)]
    strict: bool,
    /// Write a results file, the input of `castproof show`, `report`, `reproduce` and `diff`.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Record finished work in this file, so that the same command continues an interrupted run.
    /// The file is removed once the results are written.
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    #[command(flatten)]
    terms: JournalArgs,
    /// How long to wait for an answer of the testee.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse_time, allow_hyphen_values = true)]
    timeout: Duration,
    /// Threads that read or generate vectors while the testee works [default: one per core].
    #[arg(long, value_name = "N", value_parser = parse_count, allow_negative_numbers = true)]
    threads: Option<NonZeroUsize>,
    /// Testees that work at once, each on its share of the pairs and chains [default: one per core,
    /// at most 8, for `builtin` and for adapters whose adapter.toml says `parallel = true`; else 1].
    #[arg(long, value_name = "N", value_parser = parse_count, allow_negative_numbers = true)]
    jobs: Option<NonZeroUsize>,
    /// Run only these pairs, like float32:float16,int8:int4. Can be repeated. Without --suite no other suite
    /// than that of casts is run; with it, the questions of that suite with this input and this output.
    #[arg(long = "pair", value_name = "FROM:TO", value_parser = parse_pair, value_delimiter = ',')]
    pairs: Vec<(DType, DType)>,
    /// Ask only for these elements, each a number or a code, like 464,-0.0,0x43e80000. The pairs of --pair have one
    /// input dtype. Known failures are shown too.
    #[arg(
        long,
        value_name = "VALUES",
        value_delimiter = ',',
        allow_hyphen_values = true,
        requires = "pairs"
    )]
    #[arg(conflicts_with_all = ["sample", "recorded", "vectors", "journal", "baseline", "update_baseline", "large", "calls", "suite"])]
    only: Vec<String>,
    /// Ask a sample: 40 pairs with every dtype on either side, in every version, layout and feature, 60
    /// chains, and some questions of each suite. The report says that it is reduced.
    #[arg(long, conflicts_with_all = ["pairs", "from", "to", "opset", "kernel", "recorded"])]
    sample: bool,
    /// Judge a quantiser of blocks by this rule alone, like mx-rceil. Can be repeated. Without --suite, the suites
    /// `blocks` and `blocks-tensors` are run.
    #[arg(long = "rule", value_name = "NAME", value_parser = parse_block_profile, value_delimiter = ',')]
    #[arg(conflicts_with_all = ["spec", "profile", "opset", "kernel", "only", "sample", "recorded"])]
    rules: Vec<BlockProfile>,
    /// Fail if no test of one of these pairs was executed, like float32:float16,float16:float32.
    #[arg(long, value_name = "FROM:TO", value_parser = parse_pair, value_delimiter = ',')]
    require_pairs: Vec<(DType, DType)>,
    /// Test a bare kernel: only the newest version of Cast, and no tests of refusals.
    #[arg(long, conflicts_with = "opset")]
    kernel: bool,
    /// Ask every version of Cast in full; with `=vectors`, for all vectors. By default only the newest that the testee
    /// has of each pair is, and older ones are asked for what differs in them and for one vector in eight of the rest,
    /// because most runtimes share one kernel among them. An adapter.toml with `all-versions = true` or `"vectors"`
    /// asks for it.
    #[arg(long, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "tensors")]
    #[arg(conflicts_with_all = ["kernel", "opset", "spec", "profile", "only"])]
    all_versions: Option<EveryVersion>,
    /// The versions of Cast in which codes are arranged in tensors of many counts, shapes and layouts: newest, all
    /// (the same as --all-versions) or none [default: newest].
    #[arg(long, value_name = "VERSIONS")]
    arrangements: Option<Versions>,
    /// The seed from which codes, tensors, blocks and other questions are drawn, beside the fixed ones. The
    /// first line names it.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Ask for one more tensor of each pair, with N elements, at most 8589934592. It counts as
    /// unsupported if it does not fit in memory or, over the pipe, in a request of 1 GiB.
    #[arg(long, value_name = "N", value_parser = parse_large)]
    large: Option<usize>,
    /// Ask one request of each pair for single codes in this many calls in a row: a kernel that counts its calls may be wrong
    /// from some call on. By default a shared library, and `builtin`, are asked until a pair has had 4,352 calls, and
    /// programs and adapters, whose calls take longer, are not.
    #[arg(long, value_name = "N", value_parser = parse_calls)]
    calls: Option<usize>,
    /// Print at most this many lines of findings.
    #[arg(long, value_name = "N", default_value_t = 40)]
    limit_list: usize,
    /// The matrices to print: newest (the newest version with a test that ran), all or none.
    #[arg(long, value_name = "VERSIONS", default_value = "newest")]
    matrix: Versions,
}

/// Which casts are tested, and by what.
struct Tested {
    suites: Vec<Suite>,
    opset: Option<u32>,
    silent_as: Option<Profile>,
}

impl Gate {
    pub(super) fn run(self) -> Result<bool> {
        let recorded = self.recorded.as_deref();
        let recorded = recorded.map(|file| Recorded::open(file, self.all_versions)).transpose()?;
        let (subject, timeout) = match &recorded {
            Some(recorded) => (recorded.subject.clone(), self.timeout),
            None => (self.subject.subject()?, self.timeout),
        };
        let make = || match &recorded {
            Some(recorded) => Ok(recorded.testee()),
            None => testee::start(&subject, timeout),
        };
        let file = self.recorded.clone();
        let mut options = self.options(&subject)?;
        if let Some(recorded) = &recorded {
            recorded.prepare(&mut options)?;
        }
        let (old, new) = match options.update_baseline {
            true => (None, options.baseline.as_ref()),
            false => (options.baseline.clone(), None),
        };
        let vectors = options.vectors.iter().map(|folder| folder.join("manifest.json"));
        let inputs = subject.files().into_iter().chain(old).chain(vectors).chain(file);
        apart(&[options.json.as_ref(), options.journal.as_ref(), new], inputs)?;
        gate::run_with(&options, &make, &mut output())
    }

    /// Which casts are tested.
    fn tested(&self) -> Result<Tested> {
        let of_profile = |profile: Profile| Tested {
            suites: vec![Suite::Profile(profile)],
            opset: None,
            silent_as: None,
        };
        let opset = self.selection.filters.filters().opset;
        Ok(match (self.spec, self.profile) {
            (None, None) => Tested { suites: self.suites()?, opset, silent_as: None },
            (None, Some(profile)) => of_profile(profile),
            (Some(Spec::Onnx { op: Operator::Cast, opset }), silent_as) => {
                Tested { suites: vec![Suite::OnnxCast], opset: Some(opset), silent_as }
            }
            (Some(Spec::Onnx { .. }), _) => {
                bail!(
                    "--spec names a version of Cast or a profile; CastLike has --suite onnx-castlike"
                )
            }
            (Some(Spec::Profile(profile)), None) => {
                of_profile(parse_profile(profile.name()).map_err(Error::msg)?)
            }
            (Some(Spec::Profile(profile)), Some(_)) => bail!(
                "--spec {} is a profile too; beside --profile, name a version of Cast, like --spec \
                 onnx-cast-25",
                profile.name()
            ),
        })
    }

    /// The suites that are named, or those that `--rule` is about.
    fn suites(&self) -> Result<Vec<Suite>> {
        const OF_RULES: [Suite; 2] = [Suite::Blocks, Suite::BlocksTensors];
        let other = self.suite.iter().find(|suite| !OF_RULES.contains(suite));
        match (self.rules.is_empty(), other) {
            (false, Some(other)) => bail!(
                "--rule is of the suites blocks and blocks-tensors; {} has no rules of blocks",
                other.name()
            ),
            (false, None) if self.suite.is_empty() => Ok(OF_RULES.to_vec()),
            _ => Ok(self.suite.clone()),
        }
    }

    /// Whether all vectors are asked in every version, and in which ones codes are arranged. Codes that are asked alone are
    /// in no tensors.
    fn versions(&self, adapter: Option<&adapter::Located>) -> Result<(bool, Arrangements)> {
        let by_adapter = adapter.map(|found| found.all_versions).unwrap_or_default();
        let versions = match self.only.is_empty() {
            true => asked_versions(self.all_versions, self.arrangements, by_adapter)?,
            false => (true, Arrangements::None),
        };
        Ok(versions)
    }

    /// In how many calls each pair is asked, and in how many more its longest tensor. `suites` are those that are named; empty:
    /// all.
    fn calls(
        &self,
        subject: &Subject,
        suites: &[Suite],
        arrangements: Arrangements,
    ) -> Result<(Calls, usize)> {
        let is_recorded = self.recorded.is_some();
        let is_library = matches!(subject, Subject::Library(_)) && !is_recorded;
        let long_calls = if is_library { LONG_CALLS } else { 0 };
        let is_function = matches!(subject, Subject::Builtin | Subject::Library(_));
        let Some(calls) = self.calls else {
            let is_asked = is_function && !is_recorded;
            let calls = if is_asked { Calls::OF_FUNCTIONS } else { Calls::default() };
            return Ok((calls, long_calls));
        };
        if calls > 0 && arrangements == Arrangements::None {
            bail!(
                "--calls asks for tensors, and --arrangements none for none; leave one of them out"
            )
        }
        if calls > 0 && !suites.is_empty() && !suites.iter().any(|suite| suite.is_casts()) {
            bail!("--calls asks for casts, and no suite that --suite names has any; leave it out")
        }
        Ok((Calls::InARow(calls), long_calls))
    }

    /// The codes that alone are asked.
    fn only_codes(&self) -> Result<Vec<u64>> {
        let Some((from, _)) = self.pairs.first().filter(|_| !self.only.is_empty()) else {
            return Ok(Vec::new());
        };
        if let Some((other, _)) = self.pairs.iter().find(|(other, _)| other != from) {
            bail!("--only has elements of one dtype; --pair names {from} and {other}")
        }
        // The gate rounds no number, so the option that would do it is not proposed.
        let here = |error: Error| {
            anyhow!(
                "--only: {}",
                format!("{error:#}").replace("or --nearest for ", "or the nearest, ")
            )
        };
        let code = |text: &String| element::element(*from, text, false).map(|it| it.code);
        self.only.iter().map(|text| code(text).map_err(here)).collect()
    }

    /// The options of the run.
    fn options(self, subject: &Subject) -> Result<Options> {
        let Tested { suites, opset, silent_as } = self.tested()?;
        let only = self.only_codes()?;
        let adapter = match subject {
            Subject::Adapter(name) if self.recorded.is_none() => Some(adapter::find(name)?),
            _ => None,
        };
        let (every_vector, arrangements) = self.versions(adapter.as_ref())?;
        let (calls, long_calls) = self.calls(subject, &suites, arrangements)?;
        let baseline = match (self.baseline, &adapter) {
            _ if !only.is_empty() => None,
            (Some(file), _) => Some(file),
            (None, Some(found)) if self.update_baseline => {
                Some(found.baseline_to_update()?.to_path_buf())
            }
            (None, Some(found)) if !self.no_baseline => found.baseline().map(Path::to_path_buf),
            (None, None) if !self.no_baseline && self.recorded.is_some() => match subject {
                Subject::Adapter(named) => adapter::baseline(named),
                _ => None,
            },
            _ => None,
        };
        let parallel = *subject == Subject::Builtin
            || self.recorded.is_some()
            || adapter.is_some_and(|found| found.parallel);
        Ok(Options {
            level: self.selection.level,
            filters: Filters { opset, ..self.selection.filters.filters() },
            vectors: self.selection.vectors,
            suites,
            pairs: self.pairs,
            only,
            sample: self.sample,
            rules: self.rules,
            notes: Vec::new(),
            required: self.require_pairs,
            kernel: self.kernel,
            arrangements,
            every_vector,
            seed: self.seed,
            large: self.large,
            calls,
            long_calls,
            strict: self.strict,
            silent_as,
            baseline,
            update_baseline: self.update_baseline,
            json: self.json,
            journal: self.journal,
            terms: self.terms.terms(),
            // The runtime of another project may lack casts; the builtin testee may not.
            complete: *subject == Subject::Builtin,
            threads: thread_count(self.threads),
            jobs: match self.jobs {
                None if parallel => thread_count(None).min(MOST_JOBS),
                jobs => jobs.map_or(1, NonZeroUsize::get),
            },
            limit_list: self.limit_list,
            matrices: self.matrix.into(),
            colour: has_colours(),
            reproducing: reproducing(subject.clone()),
        })
    }
}
