//! The main job from a fresh clone: our implementation and ONNX Runtime against the oracle.

use std::path::Path;
use std::process::Command;

/// Gates the built-in implementation, then ONNX Runtime through its adapter, both at level core.
///
/// # Errors
/// If one of them fails: the built-in implementation at all, ONNX Runtime otherwise than its
/// baseline of known failures says.
pub(crate) fn gate() -> Result<String, String> {
    for subject in [["--testee", "builtin"], ["--adapter", "onnxruntime"]] {
        match castproof(&[&["gate"], &subject[..]].concat())? {
            0 => {}
            1 => return Err(format!("{} does not pass", subject[1])),
            code => return Err(format!("{} could not be gated (exit {code})", subject[1])),
        }
    }
    Ok("the built-in implementation passes; ONNX Runtime fails where its baseline says".into())
}

/// Runs the `castproof` program of this workspace and gives its exit status.
fn castproof(arguments: &[&str]) -> Result<i32, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("");
    let status = Command::new(env!("CARGO"))
        .current_dir(root)
        .args(["run", "--quiet", "--package", "castproof", "--"])
        .args(arguments)
        .status()
        .map_err(|error| format!("cargo cannot be run: {error}"))?;
    status.code().ok_or_else(|| format!("castproof {}: {status}", arguments.join(" ")))
}
