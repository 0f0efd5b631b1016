//! Records again what runtimes answer: `adapters/NAME/recording.bin`, and `recording-VARIANT.bin`.

use castproof::testee::adapter::{self, Listed};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One recording.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wanted {
    adapter: String,
    variant: Option<String>,
}

impl Wanted {
    /// Reads `NAME` or `NAME/VARIANT`.
    fn read(word: &str) -> Wanted {
        let (adapter, variant) = match word.split_once('/') {
            Some((adapter, variant)) => (adapter, Some(variant.to_string())),
            None => (word, None),
        };
        Wanted { adapter: adapter.into(), variant }
    }

    fn file(&self) -> PathBuf {
        let name = match &self.variant {
            Some(variant) => format!("recording-{variant}.bin"),
            None => "recording.bin".into(),
        };
        root().join("adapters").join(&self.adapter).join(name)
    }

    /// `onnxruntime`, `onnxruntime/basic`
    fn name(&self) -> String {
        let variant = self.variant.iter();
        variant.fold(self.adapter.clone(), |name, variant| format!("{name}/{variant}"))
    }
}

/// Makes recordings. Without names: those of every adapter, and of the variants that have one already.
/// It installs nothing.
///
/// # Errors
/// If a name is unknown, a runtime that is named is not installed, or a recording fails.
pub(crate) fn recordings(names: &[String]) -> Result<String, String> {
    let all = adapter::list().map_err(|error| format!("{error:#}"))?;
    let wanted = match names {
        [] => all.iter().flat_map(of_adapter).collect(),
        names => names.iter().map(|name| Wanted::read(name)).collect::<Vec<_>>(),
    };
    let (mut made, mut lacking) = (0, Vec::new());
    for recording in wanted {
        let found = all.iter().find(|it| it.name == recording.adapter).ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(|it| &it.name[..]).collect();
            format!("there is no adapter '{}'; known are {}", recording.adapter, known.join(", "))
        })?;
        if let Some(lacks) = &found.lacks {
            println!("not recorded: {}: {lacks}", recording.name());
            lacking.push(recording.name());
            continue;
        }
        match record(&recording) {
            Ok(()) => made += 1,
            Err(problem) => {
                println!("not recorded: {}: {problem}", recording.name());
                lacking.push(recording.name());
            }
        }
    }
    let left = lacking.join(", ");
    match (names.is_empty(), lacking.is_empty()) {
        (_, true) => Ok(format!("{made} recordings made")),
        (true, false) if made > 0 => Ok(format!("{made} recordings made; not made: {left}")),
        _ => Err(format!("{made} recordings made; not made: {left}")),
    }
}

/// Returns the recordings that an adapter has or should have.
fn of_adapter(adapter: &Listed) -> Vec<Wanted> {
    let plain = Wanted { adapter: adapter.name.clone(), variant: None };
    let variants = adapter.variants.iter();
    let variants =
        variants.map(|variant| Wanted { variant: Some(variant.clone()), ..plain.clone() });
    let has_one = variants.filter(|it| it.file().exists()).collect::<Vec<_>>();
    [vec![plain], has_one].concat()
}

fn record(recording: &Wanted) -> Result<(), String> {
    let mut command = match env::var_os("CASTPROOF") {
        Some(program) => Command::new(program),
        None => {
            let mut cargo = Command::new(env!("CARGO"));
            cargo.args(["run", "--quiet", "--release", "--package", "castproof", "--"]);
            cargo
        }
    };
    command.current_dir(root()).args(["record", "--adapter", &recording.adapter]);
    if let Some(variant) = &recording.variant {
        command.args(["--variant", variant]);
    }
    let file = recording.file();
    let file = file.strip_prefix(root()).unwrap_or(&file);
    let status = command.arg("--out").arg(file).status().map_err(|error| error.to_string())?;
    if status.success() { Ok(()) } else { Err(format!("castproof record ended with {status}")) }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_stands_beside_its_adapter() {
        let of = |word: &str| {
            let wanted = Wanted::read(word);
            assert_eq!(wanted.name(), word);
            wanted.file().strip_prefix(root()).expect("in the repository").to_path_buf()
        };
        assert_eq!(of("cc"), Path::new("adapters/cc/recording.bin"));
        assert_eq!(of("cc/o3"), Path::new("adapters/cc/recording-o3.bin"));
    }

    #[test]
    fn an_unknown_adapter_is_named() {
        let problem = recordings(&["no-such".into()]).expect_err("there is none");
        assert!(problem.contains("no adapter 'no-such'") && problem.contains("onnxruntime"));
    }
}
