//! Arguments that several commands share.

use super::values::{Flag, Operator, parse_dtype};
use crate::gate::Reproducing;
use crate::results::Filters;
use crate::testee::{Subject, adapter};
use crate::{journal, output, reproduce, sink};
use anyhow::{Context, Result, bail};
use castproof_vectors::{Attributes, DType, Level, Profile, Request, RoundMode, Spec};
use clap::Args;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

/// The operator, its version and its attributes.
#[derive(Args)]
pub(super) struct OperatorArgs {
    /// Operator set of the model.
    #[arg(long, default_value_t = castproof_vectors::NEWEST)]
    opset: u32,
    /// The operator: cast or castlike.
    #[arg(long, default_value = "cast")]
    op: Operator,
    /// A specification other than ONNX's, like rust-as.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["opset", "op"])]
    profile: Option<Profile>,
    #[command(flatten)]
    attributes: AttributeArgs,
}

impl OperatorArgs {
    /// The request of a cast between these dtypes.
    pub(super) fn request(&self, from: DType, to: DType) -> Request {
        let attributes = self.attributes.attributes();
        let onnx = Spec::Onnx { op: self.op.into(), opset: self.opset };
        let spec = self.profile.map_or(onnx, Spec::Profile);
        Request { spec, from, to, attributes }
    }
}

/// The attributes of a cast.
#[derive(Args)]
pub(super) struct AttributeArgs {
    /// The attribute `saturate`. Without this option the node has no such attribute.
    #[arg(long, value_name = "0|1")]
    saturate: Option<Flag>,
    /// The attribute `round_mode`: up, down or nearest. Without this option the node has no such
    /// attribute.
    #[arg(long, value_name = "MODE")]
    round_mode: Option<RoundMode>,
}

impl AttributeArgs {
    /// The attributes.
    pub(super) fn attributes(&self) -> Attributes {
        let saturate = self.saturate.map(|flag| matches!(flag, Flag::On));
        Attributes { saturate, round_mode: self.round_mode }
    }
}

/// The terms on which a run continues with a journal.
#[derive(Args)]
pub(super) struct JournalArgs {
    /// Start anew and ignore what the journal holds.
    #[arg(long)]
    fresh: bool,
    /// Refuse a journal whose last record is this many hours old, or older.
    #[arg(long, value_name = "N", default_value_t = journal::HOURS)]
    journal_hours: u64,
    /// The testee has not changed since the journal was begun, so that nothing is asked again. Needed
    /// where that cannot be told: a command other than one program, whose hello states no digest.
    #[arg(long)]
    unchanged: bool,
}

impl JournalArgs {
    /// The terms.
    pub(super) fn terms(&self) -> journal::JournalTerms {
        let JournalArgs { fresh, journal_hours: hours, unchanged } = *self;
        journal::JournalTerms { fresh, hours, unchanged }
    }
}

/// Which vectors are used.
#[derive(Args)]
pub(super) struct Selection {
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
pub(super) struct FilterArgs {
    /// Run only what has this dtype as input.
    #[arg(long, value_name = "DTYPE", value_parser = parse_dtype)]
    from: Option<DType>,
    /// Run only what has this dtype as output.
    #[arg(long, value_name = "DTYPE", value_parser = parse_dtype)]
    to: Option<DType>,
    /// Only this operator set.
    #[arg(long)]
    opset: Option<u32>,
}

impl FilterArgs {
    /// Returns the filters of the run.
    pub(super) fn filters(&self) -> Filters {
        Filters { from: self.from, to: self.to, opset: self.opset }
    }
}

/// Which implementation is tested.
#[derive(Args)]
pub(super) struct SubjectArgs {
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
    /// The implementation under test in one word: a shared library or a program by its path, an adapter by
    /// its name, or `builtin`.
    #[arg(value_name = "SUBJECT")]
    subject: Option<String>,
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
    pub(super) fn subject(&self) -> Result<Subject> {
        let Implementation { subject, testee, adapter, library } = &self.implementation;
        let word = subject.as_deref().map(one_word).transpose()?;
        if let (Some(word), None) = (&word, &self.variant) {
            return Ok(word.clone());
        }
        if self.variant.is_some() && adapter.is_none() {
            bail!("--variant names a variant of an adapter; give --adapter too");
        }
        Ok(match (testee, adapter, library) {
            (Some(name), ..) if name == "builtin" => Subject::Builtin,
            (Some(command), ..) => Subject::Command(command.clone()),
            (None, Some(name), _) => Subject::Adapter(adapter::NamedAdapter {
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

/// Returns the implementation that one word names: `./libkernel.so`, `./testee`, `torch`, `builtin`.
fn one_word(word: &str) -> Result<Subject> {
    let path = Path::new(word);
    let is_library =
        path.extension().is_some_and(|it| ["so", "dylib", "dll"].iter().any(|of| it == *of));
    if word == "builtin" {
        return Ok(Subject::Builtin);
    }
    if is_library {
        return Ok(Subject::Library(path.to_path_buf()));
    }
    if path.is_file() {
        // A name without a folder would be looked for on the path.
        let path = if word.contains('/') { path.to_path_buf() } else { Path::new(".").join(path) };
        return Ok(Subject::Command(sink::path_word(&path).to_string()));
    }
    if word.contains(['/', '.', ' ']) {
        bail!(
            "there is no file '{word}'; castproof gate --library FILE.so tests a library, castproof gate --testee \
             'COMMAND' a program, castproof gate --adapter NAME a runtime (castproof adapters lists them)"
        );
    }
    let named = adapter::NamedAdapter { name: word.to_string(), variant: None };
    adapter::find(&named)?;
    Ok(Subject::Adapter(named))
}

/// Refuses outputs that are inputs too, or each other.
pub(super) fn apart(
    outputs: &[Option<&PathBuf>],
    inputs: impl IntoIterator<Item = PathBuf>,
) -> Result<()> {
    let outputs: Vec<&Path> = outputs.iter().flatten().map(|path| path.as_path()).collect();
    let inputs: Vec<PathBuf> = inputs.into_iter().collect();
    output::apart(&outputs, &inputs.iter().map(PathBuf::as_path).collect::<Vec<_>>())
}

/// Names the commands that reproduce findings of this testee.
pub(super) fn reproducing(subject: Subject) -> Reproducing {
    Reproducing::by(move |file, finding, place| {
        reproduce::command(file, finding, Some(&subject), place)
    })
}

/// Returns the number of threads asked for, or one thread per core.
pub(super) fn thread_count(asked: Option<NonZeroUsize>) -> usize {
    asked.or_else(|| available_parallelism().ok()).map_or(1, NonZeroUsize::get)
}
