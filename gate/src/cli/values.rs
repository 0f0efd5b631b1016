//! The values that the options of the command line take.

use crate::testee::adapter::AllVersions;
use crate::{answers, arrange, export, formats, gate, small};
use anyhow::{Result, bail};
use castproof_vectors::{BlockFormat, BlockProfile, DType, Elements, Operand, Profile};
use clap::ValueEnum;
use std::num::NonZeroUsize;
use std::time::Duration;

/// `--answers`
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Author {
    /// The book that the program carries.
    Book,
    /// The oracle, which computes each answer.
    Oracle,
}

impl From<Author> for answers::Author {
    fn from(author: Author) -> answers::Author {
        match author {
            Author::Book => answers::Author::Book,
            Author::Oracle => answers::Author::Oracle,
        }
    }
}

/// `--arrangements` and `--matrix`
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Versions {
    /// The newest version with a test that ran.
    Newest,
    /// Every version.
    All,
    /// No version.
    None,
}

/// `--all-versions`
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum EveryVersion {
    /// All vectors in every version.
    Vectors,
    /// All vectors and all tensors in every version.
    Tensors,
}

/// Returns whether all vectors are asked in every version of Cast, and in which ones codes are arranged in tensors.
/// `chosen` and `versions` are the options, `by_adapter` is what an adapter.toml asks for.
///
/// # Errors
/// If the options contradict each other.
pub(super) fn asked_versions(
    chosen: Option<EveryVersion>,
    versions: Option<Versions>,
    by_adapter: AllVersions,
) -> Result<(bool, arrange::Arrangements)> {
    if chosen == Some(EveryVersion::Tensors) && versions.is_some() {
        bail!(
            "--all-versions arranges tensors in every version; leave --arrangements out, or write \
             --all-versions=vectors"
        );
    }
    let every_vector = chosen.is_some() || by_adapter != AllVersions::Share;
    let all = match chosen {
        Some(chosen) => chosen == EveryVersion::Tensors,
        None => by_adapter == AllVersions::Tensors,
    };
    let arrangements = match versions {
        Some(versions) => versions.into(),
        None if all => arrange::Arrangements::All,
        None => arrange::Arrangements::Newest,
    };
    Ok((every_vector, arrangements))
}

impl From<Versions> for arrange::Arrangements {
    fn from(versions: Versions) -> arrange::Arrangements {
        match versions {
            Versions::Newest => arrange::Arrangements::Newest,
            Versions::All => arrange::Arrangements::All,
            Versions::None => arrange::Arrangements::None,
        }
    }
}

impl From<Versions> for gate::Matrices {
    fn from(versions: Versions) -> gate::Matrices {
        match versions {
            Versions::Newest => gate::Matrices::Newest,
            Versions::All => gate::Matrices::All,
            Versions::None => gate::Matrices::None,
        }
    }
}

/// `--op`
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Operator {
    /// `Cast`.
    Cast,
    /// `CastLike`.
    #[value(name = "castlike")]
    CastLike,
}

impl From<Operator> for castproof_vectors::Operator {
    fn from(operator: Operator) -> castproof_vectors::Operator {
        match operator {
            Operator::Cast => castproof_vectors::Operator::Cast,
            Operator::CastLike => castproof_vectors::Operator::CastLike,
        }
    }
}

/// `--format`
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Format {
    /// One test per line, as JSON.
    Jsonl,
    /// A folder for each request, as ONNX's backend tests have it.
    OnnxBackend,
    /// A file for each request, with every code of its cast.
    Partition,
    /// The book: every answer of every cast, as one JSON text.
    Book,
    /// A small file: a line a value.
    Csv,
    /// A small file: an object of arrays of codes in hex.
    JsonSmall,
    /// A small file: a header of C99.
    CHeader,
    /// A small file: a header of C++17.
    Cpp,
    /// A small file: words in hex, as testfloat_gen prints them.
    Testfloat,
    /// A small file: a module of Rust.
    Rust,
    /// A small file: an ES module.
    Js,
    /// A small file: a file of a Go package.
    Go,
    /// A small file: an archive of arrays of numpy.
    Npz,
}

/// The two kinds of formats.
pub(super) enum Kind {
    /// All vectors.
    All(export::ExportFormat),
    /// Some values of one cast.
    Small(small::SmallForm),
}

impl From<Format> for Kind {
    fn from(format: Format) -> Kind {
        match format {
            Format::Jsonl => Kind::All(export::ExportFormat::Jsonl),
            Format::OnnxBackend => Kind::All(export::ExportFormat::OnnxBackend),
            Format::Partition => Kind::All(export::ExportFormat::Partition),
            Format::Book => Kind::All(export::ExportFormat::Book),
            Format::Csv => Kind::Small(small::SmallForm::Csv),
            Format::JsonSmall => Kind::Small(small::SmallForm::Json),
            Format::CHeader => Kind::Small(small::SmallForm::C),
            Format::Cpp => Kind::Small(small::SmallForm::Cpp),
            Format::Testfloat => Kind::Small(small::SmallForm::TestFloat),
            Format::Rust => Kind::Small(small::SmallForm::Rust),
            Format::Js => Kind::Small(small::SmallForm::Js),
            Format::Go => Kind::Small(small::SmallForm::Go),
            Format::Npz => Kind::Small(small::SmallForm::Npz),
        }
    }
}

/// `--format` of lists of node tests.
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Runner {
    /// tract's node.txt.
    Tract,
    /// burn-onnx's expectations.toml.
    Burn,
}

impl From<Runner> for export::expected::ListFormat {
    fn from(runner: Runner) -> export::expected::ListFormat {
        match runner {
            Runner::Tract => export::expected::ListFormat::Tract,
            Runner::Burn => export::expected::ListFormat::Burn,
        }
    }
}

/// `--saturate`
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum Flag {
    /// The attribute is 0.
    #[value(name = "0")]
    Off,
    /// The attribute is 1.
    #[value(name = "1")]
    On,
}

/// Reads the name of a dtype, ours or that of another project. The error suggests the names that resemble it, or says what
/// takes a format that is no dtype.
pub(super) fn parse_dtype(text: &str) -> Result<DType, String> {
    DType::named(text).map_err(|error| formats::pointed(text, error))
}

/// Reads `FROM:TO`.
pub(super) fn parse_pair(text: &str) -> Result<(DType, DType), String> {
    let (from, to) =
        text.split_once(':').ok_or_else(|| format!("'{text}' is not a pair; write FROM:TO"))?;
    Ok((parse_dtype(from)?, parse_dtype(to)?))
}

/// Reads a number of 1 or more.
pub(super) fn parse_count(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "it must be a whole number of 1 or more".into())
}

pub(super) fn parse_large(text: &str) -> Result<usize, String> {
    /// Four times the count that an index of 31 bits reaches.
    const MOST: usize = 1 << 33;
    let count = text.parse().ok().filter(|count| *count <= MOST);
    count.ok_or_else(|| format!("it must be a number from 0 to {MOST}"))
}

pub(super) fn parse_calls(text: &str) -> Result<usize, String> {
    /// A pair takes seconds then.
    const MOST: usize = 1 << 20;
    let calls = text.parse().ok().filter(|calls| *calls <= MOST);
    calls.ok_or_else(|| format!("it must be a number from 0 to {MOST}"))
}

pub(super) fn parse_operand(text: &str) -> Result<Operand, String> {
    let named = parse_dtype(text).map(Operand::Tensor);
    named
        .or_else(|said| text.parse().map_err(|other| if text.contains(':') { other } else { said }))
}

/// Reads a time, the same way for every option that takes one: `90s`, `10m`, `1h 30m`, or a number
/// of seconds.
pub(super) fn parse_time(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|it| Duration::try_from_secs_f64(it).ok());
    let time = seconds.or_else(|| humantime::parse_duration(text).ok());
    let wrong = || "it must be a time above 0, like 60s, 10m or 2h".into();
    time.filter(|time| !time.is_zero()).ok_or_else(wrong)
}

/// Reads the name of a profile whose casts are of numeric dtypes.
pub(super) fn parse_profile(name: &str) -> Result<Profile, String> {
    if BlockProfile::ALL.iter().any(|rule| rule.name() == name) {
        return Err(format!("{name} is a rule of blocks: write --rule {name}"));
    }
    let profile: Profile = name.parse()?;
    match profile.elements() {
        Elements::Numeric(_) => Ok(profile),
        Elements::Complex => Err(format!(
            "{name} casts only complex dtypes; ask with --suite complex-cast, or castproof expect complex64 1+2j \
             bool --profile {name}"
        )),
    }
}

/// Reads the name of a profile of blocks.
pub(super) fn parse_block_profile(name: &str) -> Result<BlockProfile, String> {
    let found = BlockProfile::ALL.into_iter().find(|profile| profile.name() == name);
    found.ok_or_else(|| {
        let names = BlockProfile::ALL.map(BlockProfile::name).join(", ");
        format!("there is no such profile of blocks; use one of {names}")
    })
}

/// Reads the name of a format of blocks.
pub(super) fn parse_block_format(name: &str) -> Result<BlockFormat, String> {
    let found = BlockFormat::ALL.into_iter().find(|format| format.name() == name);
    found.ok_or_else(|| {
        let names = BlockFormat::ALL.map(BlockFormat::name).join(", ");
        format!("there is no such format of blocks; use one of {names}")
    })
}

/// Does standard output take colours? Pipes do not, and a user may forbid them (`NO_COLOR`).
pub(super) fn has_colours() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
}
