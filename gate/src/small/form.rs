//! The forms of small files, and what their first lines say.

use super::choice::Choice;
use super::value::{Value, digest};
use castproof_vectors::Request;

/// How a small file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SmallForm {
    /// A line a value.
    Csv,
    /// An object of arrays of codes in hex.
    Json,
    /// Arrays of C99, with a function that judges a result.
    C,
    /// The same in C++17, in a namespace.
    Cpp,
    /// Slices of Rust.
    Rust,
    /// Typed arrays of an ES module.
    Js,
    /// Slices of Go.
    Go,
    /// Words in hex, as testfloat_gen prints them, without its exception flags.
    TestFloat,
    /// Arrays of numpy.
    Npz,
}

impl SmallForm {
    /// Every form, by the name that `--format` takes.
    pub const ALL: [(SmallForm, &'static str); 9] = [
        (SmallForm::Csv, "csv"),
        (SmallForm::Json, "json-small"),
        (SmallForm::C, "c-header"),
        (SmallForm::Cpp, "cpp"),
        (SmallForm::Rust, "rust"),
        (SmallForm::Js, "js"),
        (SmallForm::Go, "go"),
        (SmallForm::TestFloat, "testfloat"),
        (SmallForm::Npz, "npz"),
    ];

    /// The name that `--format` takes.
    pub fn name(self) -> &'static str {
        let row = SmallForm::ALL.iter().find(|(form, _)| *form == self);
        row.map_or("", |(_, name)| name)
    }

    /// Can the form hold the value?
    pub(crate) fn holds(self, value: &Value) -> bool {
        self != SmallForm::TestFloat || value.is_single()
    }
}

/// What is asked of one small file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmallJob {
    /// The form.
    pub form: SmallForm,
    /// At most so many values.
    pub budget: usize,
    /// What is cast, with the version that is in force.
    pub request: Request,
}

impl SmallJob {
    /// Returns the command that makes the file.
    pub(crate) fn command(&self) -> String {
        let Request { spec, from, to, attributes } = self.request;
        let (form, budget) = (self.form.name(), self.budget);
        let mut command = format!(
            "{COMMAND}--format {form} --budget {budget} --from {from} --to {to} --spec {spec}"
        );
        if let Some(on) = attributes.saturate {
            command += &format!(" --saturate {}", u8::from(on));
        }
        if let Some(mode) = attributes.round_mode {
            command += &format!(" --round-mode {}", mode.name());
        }
        command
    }
}

/// How the command that makes a small file begins.
pub(crate) const COMMAND: &str = "castproof vectors export ";

/// The words before the digest, before the command, and before the version.
pub(crate) const DIGEST: &str = "SHA-256 of the values, as lines of CSV: ";
pub(crate) const MADE_BY: &str = "Made by: ";
pub(crate) const TITLE: &str = "Castproof ";

/// What the first lines of a small file say.
pub(crate) struct Head {
    pub(crate) title: String,
    pub(crate) licence: String,
    pub(crate) share: String,
    pub(crate) left_out: String,
    pub(crate) digest: String,
    pub(crate) command: String,
}

impl Head {
    pub(crate) fn of(job: &SmallJob, choice: &Choice) -> Head {
        let Request { spec, from, to, attributes } = job.request;
        let attributes = match attributes.to_string() {
            none if none.is_empty() => none,
            some => format!(", {some}"),
        };
        Head {
            title: format!("{}: {from} -> {to}, {spec}{attributes}", env!("CARGO_PKG_VERSION")),
            licence: env!("CARGO_PKG_LICENSE").to_string(),
            share: share(choice),
            left_out: match choice.left_out {
                0 => String::new(),
                count => format!(
                    "{count} values of level core are not considered: this form cannot hold their right results"
                ),
            },
            digest: digest(&job.request, &choice.values),
            command: job.command(),
        }
    }

    /// The lines.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = vec![
            format!("{TITLE}{}", self.title),
            format!("SPDX-License-Identifier: {}", self.licence),
            self.share.clone(),
        ];
        lines.extend((!self.left_out.is_empty()).then(|| self.left_out.clone()));
        lines.push(format!("{DIGEST}{}", self.digest));
        lines.push(format!("{MADE_BY}{}", self.command));
        lines
    }

    /// The lines, each as a comment.
    pub(crate) fn comment(&self, mark: &str) -> String {
        self.lines().iter().map(|line| format!("{mark} {line}\n")).collect()
    }
}

/// Returns `40 values; kills 61 of 61 methods that level core tells apart for this pair`, and which methods are
/// left alive.
pub(crate) fn share(choice: &Choice) -> String {
    let (count, killed) = (choice.values.len(), choice.killed);
    let known = killed + choice.alive.len();
    let alive = match choice.alive.as_slice() {
        [] => String::new(),
        some => format!("; left alive: {}", some.join("; ")),
    };
    let values = if count == 1 { "value" } else { "values" };
    format!(
        "{count} {values}; kills {killed} of {known} methods that level core tells apart for this pair{alive}"
    )
}
