//! Adapters: testees for other people's runtimes, kept in the repository's `adapters` folder, or in a
//! folder that the program comes with.

use super::judged::program_file;
use super::launch::Launch;
use super::release::Release;
use anyhow::{Context, Result, bail};
use castproof_io::program::Program;
use castproof_vectors::did_you_mean;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The environment variable that names the adapters folder. Without it, the folder is the one that
/// the program comes with; if it comes with none, it is searched upwards from the current folder.
pub const FOLDER_VARIABLE: &str = "CASTPROOF_ADAPTERS";

/// How long a build may run before the user is told that it has not ended.
const PATIENCE: Duration = Duration::from_secs(5);

/// An adapter by the name of its folder, and one of the variants that its description lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedAdapter {
    /// Name of the folder.
    pub name: String,
    /// Name of the variant; `None`: the adapter without a variant.
    pub variant: Option<String>,
}

impl fmt::Display for NamedAdapter {
    /// `onnxruntime`, `onnxruntime no-optimisation`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.variant.as_ref().map_or(Ok(()), |variant| write!(f, " {variant}"))
    }
}

/// Finds the adapter of this name. A variant has the known failures of the adapter, unless it has a
/// file of its own, `expectations-VARIANT.toml`.
///
/// # Errors
/// If there is no such adapter or variant, its description cannot be read, something that it needs
/// is missing, or its build fails.
pub fn find(named: &NamedAdapter) -> Result<Located> {
    let adapters = adapters_folder()?;
    let launch = launch(&adapters, named)?;
    let Adapter { parallel, all_versions, .. } = described(&adapters, &named.name)?;
    let folder = adapters.join(&named.name);
    let of_variant =
        named.variant.as_ref().map(|it| folder.join(format!("expectations-{it}.toml")));
    let expectations = folder.join("expectations.toml");
    Ok(Located { launch, parallel, all_versions, expectations, of_variant })
}

/// Returns the file of known failures of an adapter that need not be able to run here; `None`: it has
/// none, or is not in the folder of adapters.
pub fn baseline(named: &NamedAdapter) -> Option<PathBuf> {
    let adapters = adapters_folder().ok()?;
    let is_known = known(&adapters).ok()?.contains(&named.name);
    let folder = is_known.then(|| adapters.join(&named.name))?;
    let is_plain = |name: &&String| !name.contains(['/', '\\']);
    let of_variant = named.variant.iter().filter(is_plain);
    let of_variant = of_variant.map(|it| folder.join(format!("expectations-{it}.toml")));
    of_variant.chain([folder.join("expectations.toml")]).find(|file| file.exists())
}

/// What is asked of versions of Cast with the same answers as a newer one: `all-versions` in `adapter.toml`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
pub enum AllVersions {
    /// A share of the vectors: `false`.
    #[default]
    Share,
    /// All vectors: `"vectors"`.
    Vectors,
    /// All vectors and all tensors: `true`.
    Tensors,
}

/// [`AllVersions`], as a file has it.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected true, false or \"vectors\"")]
enum Written {
    Flag(bool),
    Word(String),
}

impl TryFrom<Written> for AllVersions {
    type Error = String;

    fn try_from(written: Written) -> Result<AllVersions, String> {
        match written {
            Written::Flag(false) => Ok(AllVersions::Share),
            Written::Flag(true) => Ok(AllVersions::Tensors),
            Written::Word(word) if word == "vectors" => Ok(AllVersions::Vectors),
            Written::Word(word) => {
                Err(format!("all-versions is true, false or \"vectors\", not \"{word}\""))
            }
        }
    }
}

/// An adapter that stands in the folder of adapters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// How to start it.
    pub launch: Launch,
    /// May several of its processes run at once?
    pub parallel: bool,
    /// What is asked of the versions of Cast that a newer one stands for elsewhere.
    pub all_versions: AllVersions,
    /// The adapter's file of known failures, whether it exists or not.
    pub expectations: PathBuf,
    /// The variant's own file of known failures, whether it exists or not; `None`: there is no
    /// variant.
    pub of_variant: Option<PathBuf>,
}

impl Located {
    /// Returns the file of known failures that applies to this run; `None`: there is none.
    pub fn baseline(&self) -> Option<&Path> {
        let files = self.of_variant.iter().chain([&self.expectations]);
        files.map(PathBuf::as_path).find(|file| file.exists())
    }

    /// Returns the file of known failures that a run may change.
    ///
    /// # Errors
    /// If the run is of a variant that has no file of its own.
    pub fn baseline_to_update(&self) -> Result<&Path> {
        match &self.of_variant {
            None => Ok(&self.expectations),
            Some(file) if file.exists() => Ok(file),
            Some(file) => bail!(
                "the known failures in {} are those of every variant; copy them to {} first",
                self.expectations.display(),
                file.display()
            ),
        }
    }
}

/// `adapter.toml`
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Adapter {
    name: String,
    /// For people.
    description: String,
    /// Program and arguments, run in the adapter's folder; never empty. The program `python` stands
    /// for the Python that this program uses for its adapters, or else the interpreter of `venv`.
    command: Vec<String>,
    /// Python environment, relative to the folder that holds `adapters`.
    venv: Option<String>,
    /// Programs that it starts, each with the environment variable that may name another one.
    #[serde(default)]
    programs: BTreeMap<String, String>,
    /// Packages that it needs from pip and does not import, such as headers.
    #[serde(default)]
    packages: Vec<String>,
    /// May several of its processes run at once? Not where they would share an accelerator's
    /// memory.
    #[serde(default)]
    parallel: bool,
    /// Does each version of Cast have code of its own? Then the gate asks every one in full, or for all vectors.
    #[serde(default, rename = "all-versions")]
    all_versions: AllVersions,
    /// Program and arguments that run before `command`, in the same folder, for as long as they
    /// take.
    #[serde(default)]
    build: Vec<String>,
    /// Other ways to run the same runtime.
    #[serde(default)]
    variants: BTreeMap<String, Variant>,
    /// Releases of the runtime, the oldest first.
    #[serde(default)]
    history: Vec<Release>,
}

/// `[variants.NAME]`
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Variant {
    /// Arguments added to the command.
    args: Vec<String>,
    /// For people.
    #[serde(rename = "note")]
    _note: Option<String>,
}

impl Adapter {
    /// Returns the program and arguments of a variant.
    fn command_of(&self, variant: Option<&str>) -> Result<Vec<String>> {
        let Some(name) = variant else { return Ok(self.command.clone()) };
        let Some(variant) = self.variants.get(name) else {
            let known: Vec<&str> = self.variants.keys().map(String::as_str).collect();
            let known = if known.is_empty() { "none".into() } else { known.join(", ") };
            bail!("adapter {} has no variant '{name}'; it has {known}", self.name);
        };
        Ok([&self.command[..], &variant.args].concat())
    }

    /// Returns the Python that runs its command; `None` if its command is not Python's, or any
    /// Python will do.
    fn python(&self, adapters: &Path) -> Result<Option<PathBuf>> {
        if self.command[0] != "python" {
            return Ok(None);
        }
        if let Some(python) = &Program::this()?.python {
            return Ok(Some(python.clone()));
        }
        let root = adapters.parent().unwrap_or(Path::new("/"));
        Ok(self.venv.as_ref().map(|venv| root.join(venv).join("bin/python")))
    }

    /// Returns what is missing here, and how to install it; `None`: nothing is.
    fn lacks(&self, adapters: &Path) -> Result<Option<String>> {
        if let Some(lacks) = self.lacks_itself(adapters)? {
            return Ok(Some(lacks));
        }
        let is_absent = |(program, variable): &(&String, &String)| {
            env::var_os(variable).is_none() && program_file(program.as_ref(), None).is_none()
        };
        Ok(self.programs.iter().find(is_absent).map(|(program, variable)| {
            format!("it needs the program {program}; install it, or name another in {variable}")
        }))
    }

    /// Returns what is missing to start the command.
    fn lacks_itself(&self, adapters: &Path) -> Result<Option<String>> {
        let folder = adapters.join(&self.name);
        if let Some(python) = self.python(adapters)? {
            if Program::this()?.python.is_some() {
                let Some(script) = self.command.get(1) else { return Ok(None) };
                let modules =
                    missing_modules(&python, adapters, &folder.join(script), &self.packages)?;
                let pip = format!("{} -m pip install {modules}", python.display());
                return Ok((!modules.is_empty()).then(|| format!("it lacks {modules}; {pip}")));
            }
            // The shared environment is always made; an adapter's own only on request.
            let venv = self.venv.as_deref().unwrap_or_default();
            let name = &self.name;
            let option = if venv == ".venv" { "".into() } else { format!(" --adapters {name}") };
            let lacks =
                || format!("it needs the Python environment {venv}; run ./setup.sh{option}");
            return Ok((!python.is_file()).then(lacks));
        }
        let program = &self.command[0];
        if program_file(program.as_ref(), Some(&folder)).is_none() {
            return Ok(Some(format!("it needs the program {program}; install it")));
        }
        let lacks_packages =
            folder.join("package.json").is_file() && !folder.join("node_modules").is_dir();
        let npm = || format!("it needs its packages; npm ci --prefix {}", folder.display());
        Ok(lacks_packages.then(npm))
    }
}

/// Returns the modules that a script of an adapter imports and that a Python lacks, and those of these packages that it
/// lacks, with blanks between them.
fn missing_modules(
    python: &Path,
    adapters: &Path,
    script: &Path,
    packages: &[String],
) -> Result<String> {
    let said = Command::new(python)
        .arg(adapters.join("missing.py"))
        .arg(script)
        .args(packages)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("{} did not start", python.display()))?;
    if !said.status.success() {
        let text = String::from_utf8_lossy(&said.stderr);
        let last = text.lines().last().unwrap_or_default().trim();
        bail!("{} cannot say which modules it has: {last}", python.display());
    }
    let modules = String::from_utf8_lossy(&said.stdout);
    Ok(modules.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// An adapter, and what it lacks here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// Which runtime it asks, for people.
    pub description: String,
    /// The names of its variants.
    pub variants: Vec<String>,
    /// What is missing here, and how to install it; `None`: it can run.
    pub lacks: Option<String>,
}

/// Returns all adapters, by name.
///
/// # Errors
/// If there is no folder of adapters, or a description cannot be read.
pub fn list() -> Result<Vec<Listed>> {
    let adapters = adapters_folder()?;
    let of = |name: String| {
        let adapter = described(&adapters, &name)?;
        let lacks = adapter.lacks(&adapters)?;
        let variants = adapter.variants.into_keys().collect();
        Ok(Listed { name, description: adapter.description, variants, lacks })
    };
    known(&adapters)?.into_iter().map(of).collect()
}

/// Returns the releases of the runtime that an adapter asks, the oldest first, and the folder for their environments.
///
/// # Errors
/// If there is no such adapter, its description cannot be read, it lists no releases, or it is not run by Python.
pub fn releases(name: &str) -> Result<(Vec<Release>, PathBuf)> {
    let adapters = adapters_folder()?;
    let adapter = described(&adapters, name)?;
    if adapter.history.is_empty() || adapter.command[0] != "python" {
        let listed = |name: &String| {
            described(&adapters, name).is_ok_and(|adapter| !adapter.history.is_empty())
        };
        let with: Vec<String> = known(&adapters)?.into_iter().filter(listed).collect();
        bail!("adapter {name} lists no releases as [[history]]; {} do", with.join(", "));
    }
    let root = adapters.parent().unwrap_or(Path::new("/"));
    Ok((adapter.history, root.join(".venvs/history")))
}

/// Returns how an adapter is started by this Python.
///
/// # Errors
/// If there is no such adapter, or its description cannot be read.
pub fn launch_by(name: &str, python: &Path) -> Result<Launch> {
    let adapters = adapters_folder()?;
    let adapter = described(&adapters, name)?;
    let mut command: Vec<OsString> = adapter.command.into_iter().map(OsString::from).collect();
    command[0] = python.into();
    Ok(Launch { folder: Some(adapters.join(name)), ..Launch::of(command) })
}

fn adapters_folder() -> Result<PathBuf> {
    if let Some(folder) = env::var_os(FOLDER_VARIABLE) {
        return fs::canonicalize(&folder)
            .with_context(|| format!("{FOLDER_VARIABLE} is {}", folder.display()));
    }
    if let Some(folder) = &Program::this()?.adapters {
        return Ok(folder.clone());
    }
    let here = env::current_dir().context("the current folder cannot be found")?;
    here.ancestors()
        .map(|folder| folder.join("adapters"))
        .find(|folder| folder.is_dir())
        .with_context(|| {
            format!("no 'adapters' folder in or above the current one; set {FOLDER_VARIABLE}")
        })
}

/// What people call runtimes, and the adapter of each.
const OTHER_NAMES: [(&str, &str); 10] = [
    ("pytorch", "torch"),
    ("ort", "onnxruntime"),
    ("onnx-runtime", "onnxruntime"),
    ("onnx", "onnx-reference"),
    ("numpy", "numpy-ml-dtypes"),
    ("ml_dtypes", "numpy-ml-dtypes"),
    ("tf", "tensorflow"),
    ("xla", "jax"),
    ("rust", "rust-crates"),
    ("tosa", "tosa-reference"),
];

/// Reads the description of an adapter.
fn described(adapters: &Path, name: &str) -> Result<Adapter> {
    let known = known(adapters)?;
    if !known.iter().any(|adapter| adapter == name) {
        let other = OTHER_NAMES.iter().find(|(other, _)| name.eq_ignore_ascii_case(other));
        let mean = match other {
            Some((_, ours)) => format!("; write --adapter {ours}"),
            None => did_you_mean(&name.to_lowercase(), known.iter().map(|it| (&**it, &**it))),
        };
        bail!("no adapter '{name}'; {} has {}{mean}", adapters.display(), known.join(", "));
    }
    let path = adapters.join(name).join("adapter.toml");
    let adapter = read(&path)?;
    if adapter.name != name {
        bail!("{}: its name is '{}', its folder is '{name}'", path.display(), adapter.name);
    }
    if adapter.command.is_empty() {
        bail!("{}: its command is empty", path.display());
    }
    Ok(adapter)
}

fn launch(adapters: &Path, named: &NamedAdapter) -> Result<Launch> {
    let name = &named.name;
    let folder = adapters.join(name);
    let adapter = described(adapters, name)?;
    let command = adapter.command_of(named.variant.as_deref())?;
    let mut command: Vec<OsString> = command.into_iter().map(OsString::from).collect();
    if let Some(lacks) = adapter.lacks(adapters)? {
        bail!("adapter {name}: {lacks}");
    }
    if let Some(python) = adapter.python(adapters)? {
        command[0] = python.into();
    }
    build(&adapter.build, &folder).with_context(|| format!("adapter {name}"))?;
    Ok(Launch { folder: Some(folder), ..Launch::of(command) })
}

fn read(path: &Path) -> Result<Adapter> {
    let text =
        fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
    toml::from_str(&text)
        .map_err(|error| anyhow::anyhow!("{}: {}", path.display(), error.message()))
}

/// Runs the command of a build, if there is one. Its output goes to standard error.
fn build(command: &[String], folder: &Path) -> Result<()> {
    let Some((program, arguments)) = command.split_first() else { return Ok(()) };
    let mut build = Command::new(program);
    build.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(io::stderr());
    let shown = command.join(" ");
    let mut child = build.spawn().with_context(|| format!("its build '{shown}' did not start"))?;
    let still_running = || {
        // The message may be lost: nothing depends on it.
        let _ = writeln!(
            io::stderr(),
            "castproof: waiting for '{shown}'; it may wait for a lock that another build holds"
        );
    };
    let status = wait(&mut child, PATIENCE, still_running)
        .with_context(|| format!("its build '{shown}' cannot be waited for"))?;
    if !status.success() {
        bail!("its build '{shown}' failed, {status}; what it said is above");
    }
    Ok(())
}

/// Waits for a process; calls `late` once if it has not ended after `patience`.
fn wait(child: &mut Child, patience: Duration, late: impl FnOnce()) -> io::Result<ExitStatus> {
    let (start, mut late) = (Instant::now(), Some(late));
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if start.elapsed() >= patience
            && let Some(late) = late.take()
        {
            late();
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Returns the names of the folders that hold an `adapter.toml`, sorted.
fn known(adapters: &Path) -> Result<Vec<String>> {
    let unreadable = || format!("{} cannot be read", adapters.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(adapters).with_context(unreadable)? {
        let entry = entry.with_context(unreadable)?;
        if entry.path().join("adapter.toml").is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a repository with one adapter whose description is `toml`.
    fn repository(toml: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a temporary folder");
        let folder = root.path().join("adapters/some");
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("adapter.toml"), toml).expect("a file");
        root
    }

    fn named(name: &str, variant: Option<&str>) -> NamedAdapter {
        NamedAdapter { name: name.into(), variant: variant.map(Into::into) }
    }

    fn error(toml: &str, name: &str) -> String {
        error_of(toml, &named(name, None))
    }

    fn error_of(toml: &str, named: &NamedAdapter) -> String {
        let root = repository(toml);
        format!("{:#}", launch(&root.path().join("adapters"), named).expect_err("broken"))
    }

    const GOOD: &str = "name = 'some'\ndescription = 'd'\ncommand = ['sh', 'testee.py']\n";

    #[test]
    fn python_is_the_interpreter_of_the_venv() {
        let root = repository(&format!("{}venv = 'env'\n", GOOD.replace("'sh'", "'python'")));
        let adapters = root.path().join("adapters");
        let missing =
            format!("{:#}", launch(&adapters, &named("some", None)).expect_err("no venv yet"));
        assert!(missing.contains("run ./setup.sh --adapters some"), "{missing}");

        let interpreter = root.path().join("env/bin/python");
        fs::create_dir_all(root.path().join("env/bin")).expect("a folder");
        fs::write(&interpreter, "").expect("a file");
        let found = launch(&adapters, &named("some", None)).expect("an adapter");
        assert_eq!(found.command, [interpreter.as_os_str(), "testee.py".as_ref()]);
        assert_eq!(found.folder, Some(adapters.join("some")));
    }

    #[test]
    fn a_build_runs_first() {
        let builds = |build: &str| repository(&format!("{GOOD}build = {build}\n"));
        let root = builds("['sh', '-c', 'echo built > mark']");
        let adapters = root.path().join("adapters");
        launch(&adapters, &named("some", None)).expect("an adapter");
        assert!(adapters.join("some/mark").is_file());
        for (build, problem) in [
            ("['sh', '-c', 'exit 3']", "failed, exit status: 3"),
            ("['no-such-program']", "'no-such-program' did not start"),
        ] {
            let root = builds(build);
            let adapters = root.path().join("adapters");
            let error = launch(&adapters, &named("some", None)).expect_err("no build");
            let error = format!("{error:#}");
            assert!(error.contains("adapter some: ") && error.contains(problem), "{error}");
        }
    }

    #[test]
    fn a_build_that_takes_long_is_mentioned_once() {
        let mentioned = |patience, script: &str| {
            let mut child = Command::new("sh").args(["-c", script]).spawn().expect("a shell");
            let mut count = 0;
            wait(&mut child, patience, || count += 1).expect("ends");
            count
        };
        assert_eq!(mentioned(Duration::ZERO, "sleep 0.1"), 1);
        assert_eq!(mentioned(Duration::MAX, "exit 0"), 0);
    }

    #[test]
    fn a_variant_adds_arguments() {
        let variants = "[variants.fast]\nargs = ['--fast', '1']\nnote = 'for people'\n";
        let toml = format!("{GOOD}{variants}");
        let root = repository(&toml);
        let adapters = root.path().join("adapters");
        let found = launch(&adapters, &named("some", Some("fast"))).expect("an adapter");
        assert_eq!(found.command, ["sh", "testee.py", "--fast", "1"]);
        let found = launch(&adapters, &named("some", None)).expect("an adapter");
        assert_eq!(found.command, ["sh", "testee.py"]);
        let unknown = error_of(&toml, &named("some", Some("slow")));
        assert!(unknown.contains("no variant 'slow'; it has fast"), "{unknown}");
        assert!(error_of(GOOD, &named("some", Some("fast"))).contains("it has none"));
        assert!(error(&format!("{toml}colour = 1\n"), "some").contains("colour"));
    }

    #[test]
    fn a_variant_has_the_adapters_known_failures_or_its_own() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (shared, own) = (folder.path().join("shared.toml"), folder.path().join("own.toml"));
        let launch = Launch::of(vec!["testee".into()]);
        let parallel = false;
        let (all_versions, expectations) = (AllVersions::Share, shared.clone());
        let adapter = Located { launch, parallel, all_versions, expectations, of_variant: None };
        let variant = Located { of_variant: Some(own.clone()), ..adapter.clone() };
        assert_eq!((adapter.baseline(), variant.baseline()), (None, None));
        assert_eq!(adapter.baseline_to_update().expect("its own"), shared);

        fs::write(&shared, "").expect("a file");
        assert_eq!(variant.baseline(), Some(shared.as_path()));
        let refused = variant.baseline_to_update().expect_err("that of the adapter").to_string();
        assert!(refused.contains("copy them to") && refused.contains("own.toml"), "{refused}");

        fs::write(&own, "").expect("a file");
        assert_eq!((adapter.baseline(), variant.baseline()), (Some(&*shared), Some(&*own)));
        assert_eq!(variant.baseline_to_update().expect("its own"), own);
    }

    #[test]
    fn broken_descriptions_are_named() {
        assert!(error(GOOD, "other").contains("no adapter 'other'"));
        assert!(error(GOOD, "../adapters/some").contains("no adapter"));
        assert!(error("name = 'some", "some").contains("adapter.toml"));
        assert!(error(&GOOD.replace("'some'", "'any'"), "some").contains("its name is 'any'"));
        assert!(error(&GOOD.replace("'sh', 'testee.py'", ""), "some").contains("is empty"));
        assert!(error(&format!("{GOOD}colour = 1\n"), "some").contains("colour"));
    }
}
