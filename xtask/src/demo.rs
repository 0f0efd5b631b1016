//! The main job from a fresh clone: our implementation and ONNX Runtime against the oracle.

use std::path::Path;
use std::process::Command;

/// Gates the built-in implementation, then ONNX Runtime through its adapter, both at level core.
///
/// # Errors
/// If the built-in implementation does not pass, or a gate could not be carried out. Deviations
/// of ONNX Runtime are findings, not errors.
pub(crate) fn gate() -> Result<String, String> {
    match castproof(&["gate", "--testee", "builtin"])? {
        0 => {}
        code => return Err(format!("the built-in implementation does not pass (exit {code})")),
    }
    match castproof(&["gate", "--adapter", "onnxruntime"])? {
        0 => Ok("the built-in implementation and ONNX Runtime pass".into()),
        1 => Ok("the built-in implementation passes; ONNX Runtime deviates as listed above".into()),
        code => Err(format!("ONNX Runtime could not be gated (exit {code})")),
    }
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
