//! `castproof vectors`: test vectors in formats that other tools read.

use super::args::{AttributeArgs, Selection, apart};
use super::print::output;
use super::values::{Format, Kind, parse_count};
use crate::export::{self, ExportJob};
use crate::{input, output as place, sink, small};
use anyhow::{Context, Result, anyhow, bail};
use castproof_vectors::{Attributes, Level, NEWEST, Profile, Request, Spec};
use clap::{Args, Parser, Subcommand};
use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// `castproof vectors`
#[derive(Subcommand)]
pub(super) enum Vectors {
    /// Write test vectors as JSON lines or as folders of ONNX backend tests; or partitions, which hold
    /// every code of a cast in a few kilobytes; or the book, which holds all of them; or a small file
    /// for the tests of another project: a few values of one cast, which tell wrong methods of casting.
    Export(Box<Export>),
}

/// `castproof vectors export`
#[derive(Args)]
pub(super) struct Export {
    /// The format to write.
    #[arg(long, required_unless_present = "check")]
    format: Option<Format>,
    /// The folder for ONNX backend tests and partitions, or the small file; JSON lines and the book go to
    /// standard output, and so does a small file without this option.
    #[arg(long, value_name = "DIR|FILE")]
    out: Option<PathBuf>,
    /// The most values of a small file [default: 40].
    #[arg(long, value_name = "N", value_parser = parse_count)]
    budget: Option<NonZeroUsize>,
    /// The specification of a small file, like onnx-cast-19, onnx-castlike-25 or rust-as. --opset names a
    /// version of Cast too, and --profile a specification that is not ONNX's.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["opset", "profile"])]
    spec: Option<Spec>,
    /// A specification other than ONNX's, for a small file.
    #[arg(long, value_name = "NAME", conflicts_with = "opset")]
    profile: Option<Profile>,
    #[command(flatten)]
    attributes: AttributeArgs,
    /// Read a small file, make it again by the command in its first lines, and name what changed. Exit
    /// status 1: something did.
    #[arg(long, value_name = "FILE", exclusive = true)]
    check: Option<PathBuf>,
    #[command(flatten)]
    selection: Selection,
}

impl Vectors {
    pub(super) fn run(self) -> Result<bool> {
        let Vectors::Export(export) = self;
        if let Some(file) = &export.check {
            return check(file).with_context(|| sink::path(file).to_string());
        }
        let format = export.format.context("name a format: --format csv")?;
        match format.into() {
            Kind::Small(form) => export.small(form),
            Kind::All(format) => export.all(format),
        }
    }
}

impl Export {
    fn all(self, format: export::ExportFormat) -> Result<bool> {
        let given = [
            (self.budget.is_some(), "--budget is"),
            (self.spec.is_some(), "--spec is"),
            (self.profile.is_some(), "--profile is"),
            (
                self.attributes.attributes() != Attributes::default(),
                "--saturate and --round-mode are",
            ),
        ];
        if let Some((_, option)) = given.into_iter().find(|(is_given, _)| *is_given) {
            bail!(
                "{option} of small files; leave it away, or name a small format, such as --format csv"
            );
        }
        let Selection { vectors, .. } = &self.selection;
        let folders = vectors.iter().flat_map(|it| [it.clone(), it.join("cast")]);
        apart(&[self.out.as_ref()], folders)?;
        let Selection { level, vectors, filters } = self.selection;
        let job = ExportJob { format, level, vectors, filters: filters.filters(), out: self.out };
        let output = &mut output();
        if let Some(line) = export::export(&job, output)? {
            writeln!(output, "{line}")?;
            output.flush()?;
        }
        Ok(true)
    }

    fn small(self, form: small::SmallForm) -> Result<bool> {
        let job = self.job(form)?;
        let Some(path) = &self.out else {
            if form == small::SmallForm::Npz && io::stdout().is_terminal() {
                bail!("npz is no text; name the file: --out FILE");
            }
            let made = small::make(&job)?;
            let mut output = output();
            output.write_all(&made.content)?;
            output.flush()?;
            if made.leaves_alive {
                let _ = writeln!(io::stderr(), "{}", made.share);
            }
            return Ok(true);
        };
        let file = place::Output::create(path)?;
        let made = small::make(&job)?;
        file.commit(&made.content)?;
        super::print::print(&format!("{}: {}\n", sink::path(path), made.share))
    }

    /// What a small file is to hold.
    fn job(&self, form: small::SmallForm) -> Result<small::SmallJob> {
        let Selection { level, vectors, filters } = &self.selection;
        if *level != Level::default() || vectors.is_some() {
            bail!("a small file is chosen from level core; leave --level and --vectors away");
        }
        let filters = filters.filters();
        let (Some(from), Some(to)) = (filters.from, filters.to) else {
            bail!("a small file is of one cast: give --from and --to");
        };
        let opset = filters.opset.unwrap_or(NEWEST);
        let spec = self.profile.map_or(self.spec.unwrap_or(Spec::cast(opset)), Spec::Profile);
        let spec = spec.in_force().map_err(|error| anyhow!(error))?;
        let attributes = self.attributes.attributes();
        let request = Request { spec, from, to, attributes };
        let budget = self.budget.map_or(small::BUDGET, NonZeroUsize::get);
        Ok(small::SmallJob { form, budget, request })
    }
}

/// The command in the first lines of a small file.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct Line {
    #[command(flatten)]
    export: Export,
}

/// Compares a small file with what its command makes today.
fn check(path: &Path) -> Result<bool> {
    let file = small::Vendored::read(&input::bytes(path)?)?;
    let words = small::words_of(&file.command)?;
    let export = Line::try_parse_from(words).ok().map(|line| line.export);
    // It is only read: what it names beyond the request is no command of a small file.
    let export = export.filter(|it| it.out.is_none() && it.check.is_none());
    let job = match export.map(|it| (it.format.map(Kind::from), it)) {
        Some((Some(Kind::Small(form)), export)) => export.job(form)?,
        _ => bail!(
            "its first lines name the command '{}', which this version cannot carry out",
            file.command
        ),
    };
    let (same, text) = small::compare(&file, &job)?;
    super::print::print(&text)?;
    Ok(same)
}
