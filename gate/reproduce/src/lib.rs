//! `castproof reproduce`: a finding of a results file as files that its runtime's maintainers can
//! run without Castproof. Beside it [`export`] and [`partition`], which write what is expected.
#![deny(unsafe_code)]

mod case;
pub mod export;
mod issue;
mod literal;
pub mod partition;
mod program;
mod question;
mod runtime;
mod script;
mod testee;
mod texts;

pub use runtime::ReproducerForm;

use crate::export::backend::{only_answer, tensor_file};
use anyhow::{Context, Result, bail};
use case::Case;
use castproof_io::output::{self, Output};
use castproof_io::sink::{path, path_word, word};
use castproof_judge::read_results;
use castproof_results::ResultsFile;
use castproof_results::finding::Finding;
use castproof_testee::Subject;
use question::Asked;
use runtime::Runtime;
use script::Model;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// What to reproduce, and how.
#[derive(Clone, Debug)]
pub struct ReproducerJob {
    /// The id of a finding or of a failing test.
    pub id: String,
    /// The results file.
    pub results: PathBuf,
    /// The form to write; `None` for the form that fits the runtime of the results, or the testee.
    pub form: Option<ReproducerForm>,
    /// The testee that the reproducer starts or links. It comes from the user and not from the
    /// results: a file must not say which program is started.
    pub subject: Option<Subject>,
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
pub fn reproduce(job: &ReproducerJob) -> Result<String> {
    let file = read_results(&job.results)?;
    // An id from the results must not name a folder unchecked.
    let named = |id: &str| PathBuf::from(format!("castproof-{}", file_stem(id)));
    let folder = |id: &str| job.out.clone().unwrap_or_else(|| named(id));
    let finding = file.findings.iter().find(|finding| finding.is_called(&job.id));
    if let Some(finding) = finding.filter(|finding| question::is_one(finding)) {
        let asked = Asked::of(&file, finding)?;
        let folder = folder(&asked.id);
        let reproducer = Reproducer::of_question(&asked, job, &folder)?;
        let sentence =
            format!("{}: gave {}, expected {}", asked.title(), asked.got, asked.expected);
        return reproducer.write(&sentence, &folder, &job.results);
    }
    let case = Case::find(&file, &job.id)?;
    let folder = folder(&case.id);
    let reproducer = Reproducer::of(&case, job.form, job.subject.as_ref(), &folder, job.issue)?;
    let sentence = format!(
        "{}, {}: {} gave {}, expected {}",
        case.title(),
        case.extent_words(),
        case.input_words(),
        case.got_words(),
        case.expect_words()
    );
    reproducer.write(&sentence, &folder, &job.results)
}

/// Returns the command that reproduces a finding of a results file, as the user can run it; `None` if
/// no form shows it. `subject` is the testee that the user named.
pub fn command(
    file: &ResultsFile,
    finding: &Finding,
    subject: Option<&Subject>,
    results: &Path,
) -> Option<String> {
    if question::is_one(finding) {
        question::is_shown(file, finding, subject).then_some(())?;
    } else {
        let case = Case::find(file, &finding.id).ok()?;
        Reproducer::of(&case, None, subject, Path::new("folder"), false).ok()?;
    }
    let named = subject.filter(|_| Runtime::of(&file.testee).is_none());
    let named = named.map_or(String::new(), |subject| format!(" {subject}"));
    let (id, results) = (word(&finding.id), path_word(results));
    Some(format!("castproof reproduce {id} --results {results}{named}"))
}

/// The files to write.
struct Reproducer {
    /// Files by their names in the folder.
    files: Vec<(&'static str, Vec<u8>)>,
    /// The command that runs them, from the current folder.
    command: String,
}

impl Reproducer {
    /// Writes the files, each whole or not at all, and returns what was written, for people.
    fn write(&self, sentence: &str, folder: &Path, results: &Path) -> Result<String> {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let places: Vec<PathBuf> = self.files.iter().map(|(name, _)| folder.join(name)).collect();
        let places: Vec<&Path> = places.iter().map(PathBuf::as_path).collect();
        output::apart(&places, &[results])?;
        // Every place is checked before the first file is written.
        let outputs: Result<Vec<Output>> = self
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
        let mut text = format!("{sentence}\n");
        for (output, (name, content)) in outputs?.into_iter().zip(&self.files) {
            output.commit(content)?;
            let _ = writeln!(text, "  {}", path(&folder.join(name)));
        }
        let _ = writeln!(text, "run: {}", self.command);
        Ok(text)
    }

    /// Returns the script that asks a question once more: of the runtime, or of the testee that the user
    /// named.
    fn of_question(asked: &Asked, job: &ReproducerJob, folder: &Path) -> Result<Reproducer> {
        let file = path_word(&folder.join("reproduce.py"));
        let form = match (job.form, asked.runtime(), &job.subject) {
            (None, None, None) => bail!(
                "no script is known that asks '{}' for this; name the testee with --testee, --library or \
                 --adapter",
                asked.testee.name
            ),
            (None, Some(_), _) => ReproducerForm::Onnx,
            (None, None, Some(_)) => ReproducerForm::Testee,
            (Some(form @ (ReproducerForm::Onnx | ReproducerForm::Testee)), ..) => form,
            (Some(_), ..) => bail!(
                "{} is of {}; leave --as out, or give --as onnx or --as testee",
                asked.id,
                asked.title()
            ),
        };
        let (code, command, how) = if form == ReproducerForm::Testee {
            let subject = job
                .subject
                .as_ref()
                .context("name the testee with --testee, --library or --adapter")?;
            let how =
                "Save as `reproduce.py`, then `python3 reproduce.py` where the testee is started.";
            let code = question::of_testee(asked, &subject.launch()?)?;
            (code, format!("python3 {file}"), how.to_string())
        } else {
            let runtime = asked.runtime().unwrap_or(Runtime::Ort);
            let packages = question::packages(asked, runtime);
            let [venv, pip, python] = ["venv", "venv/bin/pip", "venv/bin/python"]
                .map(|name| path_word(&folder.join(name)));
            let command = format!(
                "python3 -m venv {venv} && {pip} install --quiet {packages} && {python} {file}"
            );
            let how = format!(
                "Save as `reproduce.py`, then `pip install {packages} && python reproduce.py`."
            );
            (question::of_model(asked, runtime)?, command, how)
        };
        let mut files = vec![("reproduce.py", code.clone().into_bytes())];
        if job.issue {
            let how = format!("{how} It exits with 1 as long as the answer is wrong.");
            files.push(("issue.md", issue::of_question(asked, &how, &code).into_bytes()));
        }
        Ok(Reproducer { files, command })
    }

    fn of(
        case: &Case,
        form: Option<ReproducerForm>,
        subject: Option<&Subject>,
        folder: &Path,
        with_issue: bool,
    ) -> Result<Reproducer> {
        let own = Runtime::of(&case.testee);
        let chosen = match (form, own, subject) {
            (Some(form), ..) => form,
            (None, Some(runtime), _) if runtime.runs_models() => ReproducerForm::Onnx,
            (None, Some(_), _) => ReproducerForm::Python,
            (None, None, Some(Subject::Library(_))) => ReproducerForm::C,
            (None, None, Some(_)) => ReproducerForm::Testee,
            (None, None, None) => bail!(
                "no script is known that runs '{}'; name the testee with --testee, --library or \
                 --adapter, or a form with --as, like c, rust or onnx",
                case.testee.name
            ),
        };
        let runtime = match chosen {
            ReproducerForm::Testee => return Self::testee(case, subject, folder, with_issue),
            ReproducerForm::C => return Self::c(case, subject, folder, with_issue),
            ReproducerForm::Rust => {
                let command =
                    format!("cd {} && rustc reproduce.rs && ./reproduce", path_word(folder));
                let how = "`rustc reproduce.rs && ./reproduce`, with `kernel.rs` beside it.";
                let code = program::rust(case)?;
                return Ok(Self::one(
                    case,
                    ["reproduce.rs", "rust"],
                    (command, how),
                    code,
                    with_issue,
                ));
            }
            ReproducerForm::Onnx => own.filter(|own| own.runs_models()).unwrap_or(Runtime::Ort),
            ReproducerForm::Python => own.unwrap_or(Runtime::Numpy),
            ReproducerForm::Numpy => Runtime::Numpy,
            ReproducerForm::Torch => Runtime::Torch,
            ReproducerForm::Jax => Runtime::Jax,
            ReproducerForm::Tensorflow => Runtime::Tensorflow,
            ReproducerForm::Mindspore => Runtime::Mindspore,
        };
        let inline = script::text(case, runtime, Model::Inline)?;
        let packages = runtime.packages(&case.testee);
        let [venv, pip, python, file] = ["venv", "venv/bin/pip", "venv/bin/python", "reproduce.py"]
            .map(|name| path_word(&folder.join(name)));
        let command = format!(
            "python3 -m venv {venv} && {pip} install --quiet {packages} && {python} {file}"
        );
        let mut files = if chosen == ReproducerForm::Onnx {
            Self::model_files(case, runtime)?
        } else {
            vec![("reproduce.py", inline.clone().into_bytes())]
        };
        if with_issue {
            let how = format!(
                "Save as `reproduce.py`, then `pip install {packages} && python reproduce.py`. It exits \
                 with 1 as long as the answer is wrong."
            );
            files.push(("issue.md", issue::text(case, "python", &how, &inline).into_bytes()));
        }
        Ok(Reproducer { files, command })
    }

    /// Returns the script that asks the testee of the user.
    fn testee(
        case: &Case,
        subject: Option<&Subject>,
        folder: &Path,
        with_issue: bool,
    ) -> Result<Reproducer> {
        let subject = subject.context("name the testee with --testee, --library or --adapter")?;
        let code = testee::text(case, &subject.launch()?);
        let command = format!("python3 {}", path_word(&folder.join("reproduce.py")));
        let how =
            "Save as `reproduce.py`, then `python3 reproduce.py` where the testee is started.";
        Ok(Self::one(case, ["reproduce.py", "python"], (command, how), code, with_issue))
    }

    /// Returns the program that calls the function of `castproof.h`, linked with the user's library.
    fn c(
        case: &Case,
        subject: Option<&Subject>,
        folder: &Path,
        with_issue: bool,
    ) -> Result<Reproducer> {
        let library = match subject {
            Some(Subject::Library(path)) => {
                let path = path.canonicalize().with_context(|| path.display().to_string())?;
                path_word(&path)
            }
            _ => path_word(&folder.join("kernel.c")),
        };
        let [file, program] =
            ["reproduce.c", "reproduce"].map(|name| path_word(&folder.join(name)));
        // A program without a slash would be searched in the system's folders.
        let start = if program.contains('/') { "" } else { "./" };
        let command = format!("cc {file} {library} -o {program} && {start}{program}");
        let how = "`cc reproduce.c kernel.c -o reproduce && ./reproduce`, with the kernel or its library in \
             place of `kernel.c`.";
        let code = program::c(case, "cc reproduce.c kernel.c -o reproduce && ./reproduce")?;
        Ok(Self::one(case, ["reproduce.c", "c"], (command, how), code, with_issue))
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

    /// Returns a reproducer of one file.
    fn one(
        case: &Case,
        [name, language]: [&'static str; 2],
        (command, how): (String, &str),
        code: String,
        with_issue: bool,
    ) -> Reproducer {
        let mut files = Vec::new();
        if with_issue {
            let how = format!("{how} It exits with 1 as long as the answer is wrong.");
            files.push(("issue.md", issue::text(case, language, &how, &code).into_bytes()));
        }
        files.insert(0, (name, code.into_bytes()));
        Reproducer { files, command }
    }
}

/// Returns an id as a part of a file's name.
fn file_stem(id: &str) -> String {
    id.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(40).collect()
}
