//! `castproof reproduce`: a finding of a results file as files that its runtime's maintainers can
//! run without Castproof. Beside it [`export`] and [`partition`], which write what is expected.
#![deny(unsafe_code)]

mod case;
pub mod export;
mod issue;
mod literal;
pub mod partition;
mod program;
mod runtime;
mod script;

pub use runtime::Form;

use crate::export::backend::{only_answer, tensor_file};
use anyhow::{Context, Result};
use case::Case;
use castproof_io::output::{self, Output};
use castproof_io::sink::path;
use castproof_judge::results::ResultsFile;
use runtime::Runtime;
use script::Model;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// What to reproduce, and how.
#[derive(Clone, Debug)]
pub struct Job {
    /// The id of a finding or of a failing test.
    pub id: String,
    /// The results file.
    pub results: PathBuf,
    /// The form to write; `None` for the form that fits the runtime of the results.
    pub form: Option<Form>,
    /// The folder to write to; `None` for a folder named after the id, in the current folder.
    pub out: Option<PathBuf>,
    /// Whether to write a report for the runtime's maintainers too.
    pub issue: bool,
}

/// Writes the files. Returns the list of them and how to run them, for people.
///
/// # Errors
/// If the results cannot be read or have no such finding, if the finding cannot be shown in this
/// form, or if a file cannot be written. Each file is written whole or not at all.
pub fn reproduce(job: &Job) -> Result<String> {
    let file = ResultsFile::read(&job.results)?;
    let case = Case::find(&file, &job.id)?;
    let reproducer = Reproducer::of(&case, job.form, job.issue)?;
    // An id from the results must not name a folder unchecked.
    let named = || PathBuf::from(format!("castproof-{}", file_stem(&case.id)));
    let folder = job.out.clone().unwrap_or_else(named);
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let places: Vec<PathBuf> = reproducer.files.iter().map(|(name, _)| folder.join(name)).collect();
    let places: Vec<&Path> = places.iter().map(PathBuf::as_path).collect();
    output::apart(&places, &[&job.results])?;
    // Every place is checked before the first file is written.
    let outputs: Result<Vec<Output>> = reproducer
        .files
        .iter()
        .map(|(name, _)| {
            let path = folder.join(name);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
            }
            Output::create(&path)
        })
        .collect();
    let mut text = format!(
        "{}, {}: {} gave {}, expected {}\n",
        case.title(),
        case.extent_words(),
        case.input_words(),
        case.got_words(),
        case.expect_words()
    );
    for (output, (name, content)) in outputs?.into_iter().zip(&reproducer.files) {
        output.commit(content)?;
        let _ = writeln!(text, "  {}", path(&folder.join(name)));
    }
    let _ = writeln!(text, "run: {}", reproducer.command);
    Ok(text)
}

/// The files to write.
struct Reproducer {
    /// Files by their names in the folder.
    files: Vec<(&'static str, Vec<u8>)>,
    /// The command that runs them there.
    command: String,
}

impl Reproducer {
    fn of(case: &Case, form: Option<Form>, with_issue: bool) -> Result<Reproducer> {
        let own = Runtime::of(&case.testee);
        let chosen = match (form, own) {
            (Some(form), _) => form,
            (None, Some(runtime)) if runtime.runs_models() => Form::Onnx,
            (None, Some(_)) => Form::Python,
            (None, None) => anyhow::bail!(
                "no script is known that runs '{}'; name a form with --as, like c, rust or onnx",
                case.testee.name
            ),
        };
        let runtime = match chosen {
            Form::C => {
                let command = "cc reproduce.c kernel.c && ./a.out";
                return Ok(Self::program(
                    case,
                    ["reproduce.c", "c"],
                    command,
                    &program::c(case)?,
                    with_issue,
                ));
            }
            Form::Rust => {
                let command = "rustc reproduce.rs && ./reproduce";
                return Ok(Self::program(
                    case,
                    ["reproduce.rs", "rust"],
                    command,
                    &program::rust(case)?,
                    with_issue,
                ));
            }
            Form::Onnx => own.filter(|own| own.runs_models()).unwrap_or(Runtime::Ort),
            Form::Python => own.unwrap_or(Runtime::Numpy),
            Form::Numpy => Runtime::Numpy,
            Form::Torch => Runtime::Torch,
            Form::Jax => Runtime::Jax,
            Form::Tensorflow => Runtime::Tensorflow,
            Form::Mindspore => Runtime::Mindspore,
        };
        let inline = script::text(case, runtime, Model::Inline)?;
        let command =
            format!("pip install {} && python reproduce.py", runtime.packages(&case.testee));
        let mut files = if chosen == Form::Onnx {
            Self::model_files(case, runtime)?
        } else {
            vec![("reproduce.py", inline.clone().into_bytes())]
        };
        if with_issue {
            let how = format!(
                "Save as `reproduce.py`, then `{command}`. It exits with 1 as long as the answer is wrong."
            );
            files.push(("issue.md", issue::text(case, "python", &how, &inline).into_bytes()));
        }
        Ok(Reproducer { files, command })
    }

    /// Returns a model with its data, like ONNX backend tests have them, and the script that runs
    /// it.
    fn model_files(case: &Case, runtime: Runtime) -> Result<Vec<(&'static str, Vec<u8>)>> {
        let script = script::text(case, runtime, Model::File)?;
        let input = tensor_file("x", case.from, &case.inputs())?;
        let mut files = vec![
            ("model.onnx", script::model(case, runtime)?),
            ("test_data_set_0/input_0.pb", input),
            ("reproduce.py", script.into_bytes()),
        ];
        if let Some(answer) = only_answer(&case.expect, case.to) {
            files.push((
                "test_data_set_0/output_0.pb",
                tensor_file("y", case.to, &vec![answer; case.count])?,
            ));
        }
        Ok(files)
    }

    fn program(
        case: &Case,
        [name, language]: [&'static str; 2],
        command: &str,
        code: &str,
        with_issue: bool,
    ) -> Reproducer {
        let mut files = vec![(name, code.into())];
        if with_issue {
            let how = format!(
                "`{command}`, with the kernel beside it. It exits with 1 as long as the answer is wrong."
            );
            files.push(("issue.md", issue::text(case, language, &how, code).into_bytes()));
        }
        Reproducer { files, command: command.into() }
    }
}

/// Returns an id as a part of a file's name.
fn file_stem(id: &str) -> String {
    id.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(40).collect()
}
