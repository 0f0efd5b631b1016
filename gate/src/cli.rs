//! The command line.

use crate::cli_fuzz::Fuzz;
use crate::cli_reproduce::Reproduce;
use crate::cli_rules::Rules;
use crate::cli_sweep::{Certify, Sweep};
use crate::cli_values::{
    parse_arrangements, parse_flag, parse_large, parse_matrices, parse_operand, parse_operator,
    parse_pair, parse_profile, parse_seconds, parse_tensor,
};
use crate::cli_vectors::Vectors;
use anyhow::{Context, Result, bail};
use castproof::answers::Author;
use castproof::arrange::Arrangements;
use castproof::gate::{Matrices, Options, Subject};
use castproof::journal;
use castproof::report::Targets;
use castproof::results::Filters;
use castproof::style;
use castproof::testee::adapter;
use castproof_vectors::{Attributes, Operand, Operator, Profile, Request, RoundMode, Spec, System};
use castproof_vectors::{DType, Level, Suite};
use clap::{Args, Parser, Subcommand};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;
use std::time::Duration;

/// Exact expectations of tensor dtype casts, and a gate that holds implementations to them.
///
/// Exit status: 0 all is well, 1 the gate failed, 2 the command could not be carried out.
#[derive(Parser)]
#[command(name = "castproof", version)]
pub(crate) struct Cli {
    /// Where expectations come from: the book that the program carries, or the oracle, which
    /// computes each answer. The book holds no strings, so those are always computed.
    #[arg(long, global = true, value_name = "book|oracle", default_value = "book")]
    #[arg(hide_default_value = true)]
    pub(crate) answers: Author,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Say what to expect of a cast: of one code, or of each line of standard input.
    Expect(Expect),
    /// Explain the cast of one element: its value, its neighbours in the target, the rule, the
    /// result, and what common wrong methods give.
    Explain(Explain),
    /// Show the dtype to which MindSpore promotes two operands: two tensor dtypes, or a tensor
    /// dtype and number:bool, number:int or number:float. With two codes, cast one element of each.
    Promote(Promote),
    /// Show the shape that a bitcast gives a tensor.
    Bitcast(Bitcast),
    /// List the inputs whose results differ between two versions of Cast, with examples.
    DiffSpec(DiffSpec),
    /// Show rules, with their basis and their source: one rule, those of a specification, or those
    /// that decide a cast.
    Rules(Rules),
    /// Show whether the middle dtype of two casts in a row can be dropped: how many codes would
    /// differ, and the smallest of either sign.
    Chain {
        /// Dtype of the input.
        from: DType,
        /// Dtype between.
        between: DType,
        /// Dtype of the output.
        to: DType,
    },
    /// Run test vectors through an implementation and report what differs.
    Gate(Gate),
    /// Fuzz an implementation with codes drawn from the answers, shrink each failing tensor, and keep
    /// it as a vector. Exit status 1: something was found.
    Fuzz(Fuzz),
    /// Show a finding of a results file in full. Without an id, list all findings, one per line.
    Show {
        /// The finding, like F-3fa2c1.
        id: Option<String>,
        /// The results file, as `castproof gate --json` writes it.
        #[arg(long, value_name = "FILE")]
        results: PathBuf,
    },
    /// Make reports from results files.
    Report(Report),
    /// Write a finding as files that run without Castproof: an ONNX model of one node with its input
    /// and a short script, a script for an array library, or a program in C or Rust.
    Reproduce(Reproduce),
    /// Compare two runs: findings that are new, gone, grown or shrunk, and how many tests newly
    /// fail, pass or are unsupported. Exit status 1: something is worse.
    Diff {
        /// Results file of the older run.
        before: PathBuf,
        /// Results file of the newer run.
        after: PathBuf,
    },
    /// Sweep an implementation: ask every code of sources up to 32 bits, and every boundary of
    /// wider sources. Writes a certificate. After an interruption, the same command continues.
    #[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
    Sweep(Sweep),
    /// Check the certificate of a sweep.
    #[command(subcommand)]
    Certify(Certify),
    /// Show which loops Castproof's own implementation runs a cast through, and why.
    Plan {
        /// Dtype of the input.
        from: DType,
        /// Dtype of the output.
        to: DType,
        /// The name of a backend, like portable; this machine need not have it. Without it, the
        /// backend that casts use on this machine.
        #[arg(long, value_name = "NAME")]
        backend: Option<String>,
    },
    /// Serve Castproof's own implementation, or a shared library, over the testee protocol.
    Testee {
        /// A shared library with the C function of `castproof.h`.
        #[arg(long, value_name = "FILE")]
        library: Option<PathBuf>,
    },
    /// Export test vectors in formats that other tools read.
    #[command(subcommand)]
    Vectors(Vectors),
}

/// `castproof expect`
#[derive(Args)]
#[command(group(clap::ArgGroup::new("input").required(true).args(["from", "from_one"])))]
#[command(group(clap::ArgGroup::new("output").required(true).args(["to", "to_one"])))]
pub(crate) struct Expect {
    /// Input dtype of one element.
    #[arg(value_name = "FROM", requires = "code")]
    from_one: Option<DType>,
    /// The code, like 0x43e80001; of string, the text.
    #[arg(value_name = "CODE", requires = "to_one", allow_hyphen_values = true)]
    pub(crate) code: Option<String>,
    /// Output dtype of the one code.
    #[arg(value_name = "TO")]
    to_one: Option<DType>,
    /// Input dtype of the elements on standard input: one code per line, or one JSON string per
    /// line.
    #[arg(long, value_name = "DTYPE", requires = "to")]
    from: Option<DType>,
    /// Output dtype of the elements on standard input.
    #[arg(long, value_name = "DTYPE", requires = "from")]
    to: Option<DType>,
    #[command(flatten)]
    operator: OperatorArgs,
}

/// The operator, its version and its attributes.
#[derive(Args)]
pub(crate) struct OperatorArgs {
    /// Operator set of the model.
    #[arg(long, default_value_t = castproof_vectors::NEWEST)]
    opset: u32,
    /// The operator: cast or castlike.
    #[arg(long, default_value = "cast", value_parser = parse_operator)]
    op: Operator,
    /// A specification other than ONNX's, like rust-as.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["opset", "op"])]
    profile: Option<Profile>,
    /// The attribute `saturate`. Without this option the node has no such attribute.
    #[arg(long, value_name = "0|1", value_parser = parse_flag)]
    saturate: Option<bool>,
    /// The attribute `round_mode`: up, down or nearest. Without this option the node has no such
    /// attribute.
    #[arg(long, value_name = "MODE")]
    round_mode: Option<RoundMode>,
}

impl Expect {
    /// Returns the request; `None` if the command line names no dtypes, which clap refuses.
    pub(crate) fn request(&self) -> Option<Request> {
        Some(self.operator.request(self.from.or(self.from_one)?, self.to.or(self.to_one)?))
    }
}

impl OperatorArgs {
    fn request(&self, from: DType, to: DType) -> Request {
        let attributes = Attributes { saturate: self.saturate, round_mode: self.round_mode };
        let onnx = Spec::Onnx { op: self.op, opset: self.opset };
        let spec = self.profile.map_or(onnx, Spec::Profile);
        Request { spec, from, to, attributes }
    }
}

/// `castproof explain`
#[derive(Args)]
pub(crate) struct Explain {
    /// Input dtype.
    from: DType,
    /// The code, like 0x43e80001.
    pub(crate) code: String,
    /// Output dtype.
    to: DType,
    #[command(flatten)]
    operator: OperatorArgs,
}

impl Explain {
    pub(crate) fn request(&self) -> Request {
        self.operator.request(self.from, self.to)
    }
}

/// `castproof promote`
#[derive(Args)]
pub(crate) struct Promote {
    /// Dtype of a tensor; also short, int, long, half, float, double, cfloat, cdouble.
    #[arg(value_parser = parse_tensor)]
    pub(crate) tensor: DType,
    /// The other operand.
    #[arg(value_parser = parse_operand)]
    pub(crate) with: Operand,
    /// The code of an element of the tensor, like 0x3c01. A complex element has two parts, like
    /// 0x3f800000,0x0.
    #[arg(value_name = "CODE", requires = "other_code")]
    pub(crate) code: Option<String>,
    /// The code of an element of the other operand. A Python int counts as int64, a Python float as
    /// float64.
    #[arg(value_name = "OTHER_CODE")]
    pub(crate) other_code: Option<String>,
}

/// `castproof bitcast`
#[derive(Args)]
pub(crate) struct Bitcast {
    /// Dtype of the input.
    #[arg(long, value_name = "DTYPE")]
    pub(crate) from: DType,
    /// Sizes of the input, like 2,3; without it, a scalar.
    #[arg(long, value_name = "SIZES", value_delimiter = ',')]
    pub(crate) shape: Vec<u64>,
    /// Dtype of the output.
    #[arg(long, value_name = "DTYPE")]
    pub(crate) to: DType,
    /// The system that defines the bitcast: tensorflow or onnx.
    #[arg(long, default_value = "tensorflow")]
    pub(crate) system: System,
}

/// `castproof diff-spec`
#[derive(Args)]
pub(crate) struct DiffSpec {
    /// The older version, like 23.
    pub(crate) before: u32,
    /// The newer version, like 24.
    pub(crate) after: u32,
}

/// `castproof gate`
#[derive(Args)]
pub(crate) struct Gate {
    #[command(flatten)]
    subject: SubjectArgs,
    #[command(flatten)]
    selection: Selection,
    /// Run only this suite. Can be repeated. By default, all suites except those of profiles run.
    #[arg(long, value_name = "NAME")]
    suite: Vec<Suite>,
    /// Test the casts of a specification other than ONNX's, like rust-as. The testee's hello must
    /// list it.
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
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = parse_seconds)]
    timeout: Duration,
    /// Threads that read or generate vectors while the testee works [default: one per core].
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Testees that work at once, each on its share of the pairs and chains [default: one per core,
    /// at most 8, for `builtin` and for adapters whose adapter.toml says `parallel = true`; else 1].
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Run only these pairs, like float32:float16,int8:int4. Can be repeated.
    #[arg(long = "pair", value_name = "FROM:TO", value_parser = parse_pair, value_delimiter = ',')]
    pairs: Vec<(DType, DType)>,
    /// Fail if no test of one of these pairs was executed, like float32:float16,float16:float32.
    #[arg(long, value_name = "FROM:TO", value_parser = parse_pair, value_delimiter = ',')]
    require_pairs: Vec<(DType, DType)>,
    /// Test a bare kernel: only the newest version of Cast, and no tests of refusals.
    #[arg(long, conflicts_with = "opset")]
    kernel: bool,
    /// The versions of Cast in which codes are arranged in tensors of many counts, shapes and
    /// layouts: newest, all or none.
    #[arg(long, value_name = "VERSIONS", default_value = "newest", value_parser = parse_arrangements)]
    arrangements: Arrangements,
    /// Ask for one more tensor of each pair, with N elements, at most 8589934592. It counts as
    /// unsupported if it does not fit in memory or, over the pipe, in a request of 1 GiB.
    #[arg(long, value_name = "N", value_parser = parse_large)]
    large: Option<usize>,
    /// Print at most this many lines of findings.
    #[arg(long, value_name = "N", default_value_t = 40)]
    limit_list: usize,
    /// The matrices to print: newest (the newest version with a test that ran), all or none.
    #[arg(long, value_name = "VERSIONS", default_value = "newest", value_parser = parse_matrices)]
    matrix: Matrices,
}

impl Gate {
    /// Which implementation is tested.
    pub(crate) fn subject(&self) -> Result<Subject> {
        self.subject.subject()
    }

    /// The longest wait for an answer.
    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The options of the run.
    pub(crate) fn options(self) -> Result<Options> {
        let subject = self.subject()?;
        let adapter = match &subject {
            Subject::Adapter(name) => Some(adapter::find(name)?),
            _ => None,
        };
        let baseline = match (self.baseline, &adapter) {
            (Some(file), _) => Some(file),
            (None, Some(found)) if self.update_baseline => {
                Some(found.baseline_to_update()?.to_path_buf())
            }
            (None, Some(found)) if !self.no_baseline => found.baseline().map(Path::to_path_buf),
            _ => None,
        };
        let parallel = subject == Subject::Builtin || adapter.is_some_and(|found| found.parallel);
        Ok(Options {
            level: self.selection.level,
            filters: self.selection.filters.filters(),
            vectors: self.selection.vectors,
            suites: self.profile.map(Suite::Profile).into_iter().chain(self.suite).collect(),
            pairs: self.pairs,
            required: self.require_pairs,
            kernel: self.kernel,
            arrangements: self.arrangements,
            large: self.large,
            strict: self.strict,
            baseline,
            update_baseline: self.update_baseline,
            json: self.json,
            journal: self.journal,
            terms: self.terms.terms(),
            // The runtime of another project may lack casts; the builtin testee may not.
            complete: subject == Subject::Builtin,
            threads: thread_count(self.threads),
            jobs: match self.jobs {
                None if parallel => thread_count(None).min(MOST_JOBS),
                jobs => jobs.map_or(1, NonZeroUsize::get),
            },
            limit_list: self.limit_list,
            matrices: self.matrix,
            colour: style::standard_output_has_colours(),
        })
    }
}

/// The terms on which a run continues with a journal.
#[derive(Args)]
pub(crate) struct JournalArgs {
    /// Start anew and ignore what the journal holds.
    #[arg(long)]
    fresh: bool,
    /// Refuse a journal whose last record is this many hours old, or older.
    #[arg(long, value_name = "N", default_value_t = journal::HOURS)]
    journal_hours: u64,
}

impl JournalArgs {
    /// The terms.
    pub(crate) fn terms(&self) -> journal::Terms {
        journal::Terms { fresh: self.fresh, hours: self.journal_hours }
    }
}

/// Which vectors are used.
#[derive(Args)]
pub(crate) struct Selection {
    /// The set of vectors: core, standard or full.
    #[arg(long, default_value = "core")]
    pub(crate) level: Level,
    /// Use a folder of vector files with its manifest instead of the vectors of a level.
    #[arg(long, value_name = "DIR", conflicts_with = "level")]
    pub(crate) vectors: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) filters: FilterArgs,
}

/// Which tests are left out.
#[derive(Args)]
pub(crate) struct FilterArgs {
    /// Run only casts from this dtype.
    #[arg(long, value_name = "DTYPE")]
    from: Option<DType>,
    /// Run only casts to this dtype.
    #[arg(long, value_name = "DTYPE")]
    to: Option<DType>,
    /// Only this operator set.
    #[arg(long)]
    opset: Option<u32>,
}

impl FilterArgs {
    /// Returns the filters of the run.
    pub(crate) fn filters(&self) -> Filters {
        Filters { from: self.from, to: self.to, opset: self.opset }
    }
}

/// `castproof report`
#[derive(Args)]
pub(crate) struct Report {
    /// Results files, as `castproof gate --json` writes them.
    #[arg(value_name = "RESULTS", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Compare several runs: in the Markdown, on the page, and in a printed table.
    #[arg(long)]
    pub(crate) compare: bool,
    /// Write JUnit XML.
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    junit: Option<PathBuf>,
    /// Write SARIF 2.1.0.
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    sarif: Option<PathBuf>,
    /// Write Markdown, for $GITHUB_STEP_SUMMARY.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write one HTML page that works offline.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print GitHub annotations.
    #[arg(long)]
    pub(crate) annotations: bool,
}

impl Report {
    /// Where to write which report.
    pub(crate) fn targets(&self) -> Targets {
        Targets {
            junit: self.junit.clone(),
            sarif: self.sarif.clone(),
            markdown: self.markdown.clone(),
            html: self.html.clone(),
        }
    }
}

/// Which implementation is tested.
#[derive(Args)]
pub(crate) struct SubjectArgs {
    #[command(flatten)]
    implementation: Implementation,
    /// Run this variant of the adapter, one that its adapter.toml lists.
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
}

/// The ways to name an implementation; exactly one is given.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct Implementation {
    /// The implementation under test: `builtin`, or the command of a program that speaks the testee
    /// protocol.
    #[arg(long, value_name = "COMMAND")]
    testee: Option<String>,
    /// The runtime under test, by the name of its adapter's folder.
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// The shared library under test, which exports the C function of `castproof.h`. It is loaded in
    /// a child process.
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
}

impl SubjectArgs {
    /// Returns the implementation that the options name.
    pub(crate) fn subject(&self) -> Result<Subject> {
        let Implementation { testee, adapter, library } = &self.implementation;
        if self.variant.is_some() && adapter.is_none() {
            bail!("--variant names a variant of an adapter; give --adapter too");
        }
        Ok(match (testee, adapter, library) {
            (Some(name), ..) if name == "builtin" => Subject::Builtin,
            (Some(command), ..) => Subject::Command(command.clone()),
            (None, Some(name), _) => Subject::Adapter(adapter::Named {
                name: name.clone(),
                variant: self.variant.clone(),
            }),
            (None, None, library) => {
                let library = library.clone();
                Subject::Library(library.context("name a testee, an adapter or a library")?)
            }
        })
    }
}

/// Most testees that the gate starts unless it is told how many.
const MOST_JOBS: usize = 8;

/// Returns the number of threads asked for, or one thread per core.
pub(crate) fn thread_count(asked: Option<NonZeroUsize>) -> usize {
    asked.or_else(|| available_parallelism().ok()).map_or(1, NonZeroUsize::get)
}
