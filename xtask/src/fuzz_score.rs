//! Measures how soon fuzzing finds faults: plants them one at a time and runs the target that
//! should find them.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// What to measure.
pub(crate) struct Job {
    /// CPU seconds after which a fault counts as not found.
    pub(crate) limit: u64,
    /// Only this fault.
    pub(crate) only: Option<String>,
    /// Only this many, evenly chosen.
    pub(crate) some: Option<usize>,
    /// A file to which the table is written too.
    pub(crate) out: Option<PathBuf>,
}

/// A fault that can be planted, as a line of `fuzz/plants.txt` describes it.
#[derive(Debug)]
struct Plant {
    name: String,
    /// The fuzz target that should find it.
    target: String,
    /// Is it found only by chance?
    by_chance: bool,
}

/// Builds the targets with faults in them, runs each and reports how long it took.
///
/// # Errors
/// If the build fails, a target finds a fault where none is planted, the median of all faults is 10
/// s or more, or a fault that is not left to chance is not found in time.
pub(crate) fn score(job: &Job) -> Result<String, String> {
    let plants = chosen(job)?;
    let mut targets: Vec<&str> = plants.iter().map(|plant| plant.target.as_str()).collect();
    targets.sort_unstable();
    targets.dedup();
    for target in &targets {
        build(target)?;
        // With `some`, the targets have just run without a fault, so a short run is enough.
        let limit = job.limit.min(if job.some.is_some() { 5 } else { 20 });
        if let Some(time) = found(target, None, limit)? {
            return Err(format!("{target} fails after {time:.1?} without a fault in it"));
        }
    }
    let mut table = String::from("| fault | target | seconds |\n|---|---|---|\n");
    let mut times = Vec::new();
    let mut missed = Vec::new();
    for plant in &plants {
        let time = found(&plant.target, Some(&plant.name), job.limit)?;
        let text = time.map_or_else(
            || format!("not in {}", job.limit),
            |time| format!("{:.1}", time.as_secs_f64()),
        );
        println!("{}: {text}", plant.name);
        writeln!(table, "| {} | {} | {text} |", plant.name, plant.target).map_err(crate_error)?;
        times.push(time.unwrap_or(Duration::MAX));
        if time.is_none() && !plant.by_chance {
            missed.push(plant.name.as_str());
        }
    }
    times.sort_unstable();
    let median = times[times.len() / 2];
    let found = times.iter().filter(|time| **time < Duration::MAX).count();
    let summary = format!("{found} of {} faults found, median {median:.1?}", plants.len());
    if let Some(path) = &job.out {
        let machine = machine()?;
        let text = format!("# How soon fuzzing finds faults\n\n{machine}: {summary}.\n\n{table}");
        fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    if !missed.is_empty() {
        return Err(format!("{summary}; not found in {} s: {}", job.limit, missed.join(", ")));
    }
    // A few faults show on any machine that they are found; all of them show how soon.
    if job.some.is_none() && median >= Duration::from_secs(10) {
        return Err(format!("{summary}, which is not below 10 s"));
    }
    Ok(summary)
}

/// The day and the processor.
fn machine() -> Result<String, String> {
    let date = Command::new("date").args(["-u", "+%F"]).output().map_err(|it| it.to_string())?;
    let date = String::from_utf8_lossy(&date.stdout).trim().to_string();
    let info = read(Path::new("/proc/cpuinfo"))?;
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("an unknown processor", |(_, name)| name);
    let cores = info.lines().filter(|line| line.starts_with("processor")).count();
    Ok(format!("{date}, {model} with {cores} cores, of which a target takes one"))
}

fn crate_error(error: std::fmt::Error) -> String {
    error.to_string()
}

fn chosen(job: &Job) -> Result<Vec<Plant>, String> {
    let all = plants(&read(&fuzz().join("plants.txt"))?)?;
    let count = all.len();
    let step = job.some.map_or(1, |some| count.div_ceil(some.max(1)));
    let wanted = |plant: &Plant| match &job.only {
        Some(only) => *only == plant.name,
        // If only some run, those left to chance would only cost time.
        None => job.some.is_none() || !plant.by_chance,
    };
    let chosen: Vec<Plant> = all.into_iter().filter(wanted).step_by(step).collect();
    match (&job.only, chosen.is_empty()) {
        (Some(only), true) => {
            Err(format!("no fault is called {only}: name one that fuzz/plants.txt lists"))
        }
        _ => Ok(chosen),
    }
}

fn plants(text: &str) -> Result<Vec<Plant>, String> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let plants = lines.map(|line| match line.split_whitespace().collect::<Vec<_>>()[..] {
        [name, target] => Ok(Plant { name: name.into(), target: target.into(), by_chance: false }),
        [name, target, "chance"] => {
            Ok(Plant { name: name.into(), target: target.into(), by_chance: true })
        }
        _ => Err(format!(
            "fuzz/plants.txt: '{line}': write a fault, its target and perhaps 'chance'"
        )),
    });
    plants.collect()
}

/// The flag that compiles faults in. It is a flag, not a feature, so that no dependent can turn it
/// on.
const FLAG: &str = "--cfg castproof_plant";

fn build(target: &str) -> Result<(), String> {
    let status = Command::new("cargo")
        .args(["+nightly", "fuzz", "build", target])
        .args(["--target-dir", "target/planted"])
        .current_dir(fuzz())
        .env("RUSTFLAGS", FLAG)
        .status()
        .map_err(|error| format!("cargo fuzz does not start: {error}"))?;
    if status.success() {
        return Ok(());
    }
    Err(format!(
        "{target} does not build: cargo install cargo-fuzz, rustup toolchain install nightly"
    ))
}

/// Runs a target with a limit of CPU seconds and prints on the last line of its output how much CPU
/// time it took. CPU time is used because other programs may share the processor.
const TIMED: &str = r#"ulimit -c 0; ulimit -t "$0"; "$@"; code=$?; times >&2; exit $code"#;

/// Returns the CPU time that `times` of the shell reports for its children.
fn seconds(said: &str) -> Option<Duration> {
    let one = |text: &str| {
        let (minutes, seconds) = text.strip_suffix('s')?.split_once('m')?;
        Some(60.0 * minutes.parse::<f64>().ok()? + seconds.parse::<f64>().ok()?)
    };
    let (user, system) = said.lines().last()?.split_once(' ')?;
    Some(Duration::from_secs_f64(one(user)? + one(system)?))
}

/// Returns the CPU time that a target takes to find a fault; `None` if it finds none within `limit`
/// seconds.
fn found(target: &str, plant: Option<&str>, limit: u64) -> Result<Option<Duration>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let mut program = fuzz().join("target/planted").join(TRIPLE).join("release");
    program.push(target);
    let mut command = Command::new("bash");
    command
        .args(["-c", TIMED, &limit.to_string()])
        .arg(&program)
        .arg(folder.path())
        .args(["-seed=1", "-print_final_stats=1"])
        .arg(format!("-artifact_prefix={}/", folder.path().display()))
        .env_remove("CASTPROOF_PLANT")
        .stdin(Stdio::null());
    if let Some(plant) = plant {
        command.env("CASTPROOF_PLANT", plant);
    }
    let output = command.output().map_err(|error| format!("{}: {error}", program.display()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let time = seconds(&said).ok_or("the shell does not say how long it took")?;
    // A target runs until it finds something or is ended, by SIGXCPU or SIGKILL.
    if matches!(output.status.code(), Some(152 | 137)) && !said.contains("panicked at") {
        return Ok(None);
    }
    // A wrong element panics in the targets; anything else is not a finding.
    match said.contains("panicked at") && !said.contains("names no fault") {
        true => Ok(Some(time)),
        false => {
            Err(format!("{target} ended without a finding: {}", said.lines().last().unwrap_or("")))
        }
    }
}

const TRIPLE: &str = "x86_64-unknown-linux-gnu";

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("fuzz")
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_is_listed_once_and_exists() {
        let listed =
            plants(&read(&fuzz().join("plants.txt")).expect("readable")).expect("well-formed");
        let source = source("impl") + &source("vectors");
        // Faults of casts are calls of `plant`; the other faults are in lists of names.
        let lengths = source.split(": [&str; ").skip(1);
        let named = lengths.map(|rest| rest.split(']').next()?.parse::<usize>().ok());
        let in_source = source.matches("\n    plant(").count()
            + named.map(|it| it.expect("a length")).sum::<usize>();
        assert_eq!(listed.len(), in_source, "fuzz/plants.txt and the files plant.rs differ");
        assert!(listed.len() >= 30);
        let mut names: Vec<&str> = listed.iter().map(|plant| plant.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), listed.len(), "a fault is listed twice");
        for plant in &listed {
            assert!(source.contains(&format!("\"{}\"", plant.name)), "{plant:?}");
        }
        assert_eq!(listed.iter().filter(|plant| plant.by_chance).count(), 1);
    }

    fn source(of: &str) -> String {
        read(&fuzz().with_file_name(of).join("src/plant.rs")).expect("readable")
    }

    /// A dependent crate could turn on a feature, but it cannot set the flag. A published crate
    /// does not have the file.
    #[test]
    fn no_release_can_have_a_fault() {
        for of in ["impl", "vectors", "gate"] {
            let folder = fuzz().with_file_name(of);
            let manifest = read(&folder.join("Cargo.toml")).expect("readable");
            assert!(!manifest.contains("castproof_plant"), "a feature could be turned on");
            assert!(!folder.join("build.rs").exists(), "a build script could set the flag");
        }
        for of in ["impl", "vectors"] {
            let folder = fuzz().with_file_name(of);
            let manifest = read(&folder.join("Cargo.toml")).expect("readable");
            let left_out = manifest.lines().find(|line| line.starts_with("exclude = "));
            assert!(left_out.is_some_and(|line| line.contains("\"src/plant.rs\"")), "{of}");
            let refuses = "#[cfg(not(debug_assertions))]\ncompile_error!(";
            assert!(source(of).contains(refuses), "{of}");
            let root = read(&folder.join("src/lib.rs")).expect("readable");
            let module = root.split("mod plant;").next().expect("the module");
            assert!(
                module
                    .trim_end_matches("pub ")
                    .trim_end_matches("#[doc(hidden)]\n")
                    .ends_with("#[cfg(castproof_plant)]\n"),
                "{of}"
            );
        }
    }

    #[test]
    fn the_shell_says_how_long_a_target_took() {
        let said = "panicked at\n0m0.001s 0m0.002s\n1m2.500s 0m0.250s\n";
        assert_eq!(seconds(said), Some(Duration::from_millis(62_750)));
        assert_eq!(seconds("panicked at"), None);
    }

    #[test]
    fn a_line_that_is_no_fault_is_named() {
        let error = plants("above-464 cast perhaps\n").expect_err("three words");
        assert!(error.contains("'above-464 cast perhaps'"), "{error}");
    }
}
