//! Turns a crash of a fuzz target into a committed regression: made small, named, and put into its
//! folder; a cast is also added to the vectors.

use castproof::output;
use castproof_vectors::Regression;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What to keep.
pub(crate) struct Job {
    /// The file that makes a target fail.
    pub(crate) file: PathBuf,
    /// The target; `None` takes it from the folder of the file, such as `fuzz/artifacts/cast`.
    pub(crate) target: Option<String>,
    /// What was wrong, in words for a file name: `double_rounding`.
    pub(crate) about: String,
    /// What was wrong, in a sentence for the vectors; `None` takes the words of `about`.
    pub(crate) note: Option<String>,
}

/// Makes the input small with libFuzzer's `tmin`, names it, and puts it into the target's
/// regressions. The code of a cast is also added to the vectors. Returns where.
///
/// # Errors
/// If a tool is missing, the file is not a crash of a target, or the regression exists already.
pub(crate) fn keep(job: &Job) -> Result<String, String> {
    check_about(&job.about)?;
    let target = target(&job.file, job.target.as_deref())?;
    if !job.file.is_file() {
        return Err(format!(
            "{}: there is no such file; give the path of an input",
            job.file.display()
        ));
    }
    require("cargo", &["+nightly", "fuzz", "--version"])?;
    let small = smallest(&target, &job.file)?;
    let Kept { name, bytes, regression } = named(&target, &job.about, &small)?;
    let place = fuzz().join("regressions").join(&target).join(name);
    if place.exists() {
        return Err(format!("{}: is there already; say --about otherwise", place.display()));
    }
    output::write(&place, bytes).map_err(|error| format!("{error:#}"))?;
    let place = place.display();
    let vector = match regression {
        Some(found) => {
            let note = job.note.clone().unwrap_or_else(|| job.about.replace('_', " "));
            let vector = add(&list(), Regression { note, ..found })?;
            generate()?;
            format!("; {vector}")
        }
        None => String::new(),
    };
    Ok(format!(
        "{place} is kept{vector}; cargo test --package castproof-fuzz fails until the bug is fixed"
    ))
}

/// The list of regressions from which the oracle makes vectors.
fn list() -> PathBuf {
    fuzz().with_file_name("vectors").join("spec/regressions.json")
}

/// Appends a cast to the list of regressions; returns what the vectors have now.
fn add(list: &Path, found: Regression) -> Result<String, String> {
    let at = |error: &dyn std::fmt::Display| format!("{}: {error}", list.display());
    let text = fs::read_to_string(list).map_err(|error| at(&error))?;
    let mut all = Regression::parse(&text).map_err(|error| at(&error))?;
    let title = found.title();
    if all.iter().any(|one| one.title() == title) {
        return Ok(format!("the vectors had {title}"));
    }
    all.push(found);
    let text = Regression::render(&all);
    Regression::parse(&text).map_err(|error| at(&error))?;
    output::write(list, text).map_err(|error| format!("{error:#}"))?;
    Ok(format!("the vectors have {title}, with the flag regression"))
}

/// Writes the vectors again, with a program built from the current list.
fn generate() -> Result<(), String> {
    let status = Command::new("cargo").args(["xtask", "generate", "vectors"]).status();
    match status.is_ok_and(|status| status.success()) {
        true => Ok(()),
        false => Err("cargo xtask generate vectors failed; give it again".into()),
    }
}

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("fuzz")
}

fn check_about(about: &str) -> Result<(), String> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    match !about.is_empty() && about.chars().all(plain) {
        true => Ok(()),
        false => Err(format!("--about '{about}': write lower-case words joined by _")),
    }
}

/// Returns the target that is named, or else the one after which the folder of the file is named.
fn target(file: &Path, named: Option<&str>) -> Result<String, String> {
    let folder = file.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    let target = named.or(folder).unwrap_or_default();
    let source = fuzz().join("fuzz_targets").join(format!("{target}.rs"));
    if target.is_empty() || !source.is_file() {
        return Err(format!(
            "'{target}' is not a fuzz target; name one of fuzz/fuzz_targets with --target"
        ));
    }
    Ok(target.into())
}

/// Fails if a tool is missing.
fn require(program: &str, arguments: &[&str]) -> Result<(), String> {
    let output = Command::new(program).args(arguments).output();
    match output.is_ok_and(|output| output.status.success()) {
        true => Ok(()),
        false => Err(format!(
            "'{program} {}' does not run, and nothing makes the input small without it; install a \
             nightly toolchain and cargo-fuzz: ./setup.sh --fuzz",
            arguments.join(" ")
        )),
    }
}

/// Returns the input as small as libFuzzer makes it; if it cannot, that is the input itself.
fn smallest(target: &str, file: &Path) -> Result<PathBuf, String> {
    let file = file.canonicalize().map_err(|error| format!("{}: {error}", file.display()))?;
    let output = Command::new("cargo")
        .args(["+nightly", "fuzz", "tmin", target])
        .arg(&file)
        .current_dir(fuzz())
        .output()
        .map_err(|error| format!("cargo fuzz does not start: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    if said.contains("does not crash") || said.contains("is not a crash") {
        return Err(format!("{}: does not make {target} fail", file.display()));
    }
    match minimized(&said) {
        Some(name) => Ok(fuzz().join("artifacts").join(target).join(name)),
        None if output.status.success() => Ok(file),
        None => {
            let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
            Err(format!("cargo fuzz tmin {target} failed: {last}"))
        }
    }
}

/// The last file that `tmin` says it wrote.
fn minimized(said: &str) -> Option<&str> {
    let start = said.rfind("minimized-from-")?;
    let name = &said[start..];
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    Some(&name[..end.unwrap_or(name.len())])
}

/// A regression of a target and, for a cast, its entry in the vectors.
#[derive(Debug, PartialEq, Eq)]
struct Kept {
    name: String,
    bytes: Vec<u8>,
    regression: Option<Regression>,
}

/// Returns the name of the regression, and its bytes. The name of a cast ends with its meaning, and
/// its bytes ask for the failing code.
fn named(target: &str, about: &str, small: &Path) -> Result<Kept, String> {
    let read = |path: &Path| fs::read(path).map_err(|error| format!("{}: {error}", path.display()));
    if target != "cast" {
        return Ok(Kept { name: about.into(), bytes: read(small)?, regression: None });
    }
    let folder = tempfile::tempdir().map_err(|error| format!("a folder: {error}"))?;
    let plain = folder.path().join("plain");
    let output = Command::new("cargo")
        .args(["run", "--quiet", "--manifest-path"])
        .arg(fuzz().join("checks/Cargo.toml"))
        .args(["--example", "restate", "--"])
        .args([small, &plain])
        .output()
        .map_err(|error| format!("cargo does not start: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "{}: is not an input of cast; name its target with --target",
            small.display()
        ));
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let (meaning, list) = said.trim().split_once('\n').unwrap_or((said.trim(), "[]"));
    // The note is still to be written.
    let list: Vec<Regression> = serde_json::from_str(list).map_err(|error| error.to_string())?;
    let name = format!("{about}_{meaning}");
    Ok(Kept { name, bytes: read(&plain)?, regression: list.into_iter().next() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_says_the_target() {
        let crash = Path::new("fuzz/artifacts/cast/crash-0123");
        assert_eq!(target(crash, None).as_deref(), Ok("cast"));
        assert_eq!(target(crash, Some("slices")).as_deref(), Ok("slices"));
        for (file, named) in [("crash-0123", None), ("some/crash", None), ("cast/x", Some(""))] {
            let said = target(Path::new(file), named).unwrap_err();
            assert!(said.contains("is not a fuzz target"), "{said}");
        }
    }

    #[test]
    fn names_are_plain() {
        assert!(check_about("double_rounding_2").is_ok());
        for about in ["", "Double", "a b", "../a", "a/b"] {
            assert!(check_about(about).is_err(), "{about}");
        }
    }

    #[test]
    fn the_last_file_of_tmin_is_taken() {
        let said = "CRASH_MIN: minimizing\nMinimized artifact:\n\n\tartifacts/cast/minimized-from-0a1b\n\n\
                    Reproduce with:\n\n\tcargo fuzz run cast artifacts/cast/minimized-from-2c3d\n";
        assert_eq!(minimized(said), Some("minimized-from-2c3d"));
        assert_eq!(minimized("nothing"), None);
    }

    #[test]
    fn what_is_missing_is_said() {
        let said = require("no-such-program", &["fuzz"]).unwrap_err();
        assert!(said.contains("'no-such-program fuzz' does not run") && said.contains("setup.sh"));
        let job = |file: &str, about: &str| {
            let (file, about) = (file.into(), about.into());
            keep(&Job { file, target: None, about, note: None }).unwrap_err()
        };
        assert!(job("cast/none", "a").contains("there is no such file"));
        assert!(job("cast/none", "A").contains("--about 'A'"));
    }

    /// The fuzz crate defines and tests the end of the name of a cast.
    #[test]
    fn other_inputs_are_kept_as_they_are() {
        let file = fuzz().join("regressions/packed/float4_pair");
        let kept = named("packed", "some", &file).expect("any bytes");
        let bytes = fs::read(&file).expect("committed");
        assert_eq!(kept, Kept { name: "some".into(), bytes, regression: None });
        assert!(named("packed", "some", Path::new("none")).is_err());
    }

    #[test]
    fn a_cast_is_added_to_the_list_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let list = folder.path().join("regressions.json");
        fs::write(&list, "[]\n").expect("writable");
        let found = |note: &str| {
            let text = r#"[{"from":"float32","to":"int8","attributes":{},"input":"0x42ff0000","note":"NOTE"}]"#;
            serde_json::from_str::<Vec<Regression>>(&text.replace("NOTE", note))
                .expect("one")
                .remove(0)
        };
        let said = add(&list, found("wraps")).expect("a new one");
        assert!(said.contains("0x42ff0000 from float32 to int8, with the flag"), "{said}");
        let said = add(&list, found("wraps again")).expect("the same");
        assert!(said.starts_with("the vectors had"), "{said}");
        let text = fs::read_to_string(&list).expect("readable");
        assert_eq!(Regression::parse(&text), Ok(vec![found("wraps")]));
        fs::write(&list, text.replace("int8", "int9")).expect("writable");
        let said = add(&list, found("wraps")).unwrap_err();
        assert!(said.contains("unknown variant `int9`") && !said.contains('\n'), "{said}");
    }
}
