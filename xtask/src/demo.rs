//! The main job from a fresh clone: our implementation and ONNX Runtime against the oracle.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// Gates the built-in implementation, then ONNX Runtime through its adapter, both at level core;
/// the results of the latter are written to `json`.
///
/// # Errors
/// If one of them fails: the built-in implementation at all, ONNX Runtime otherwise than its
/// baseline of known failures says.
pub(crate) fn gate(json: Option<&Path>) -> Result<String, String> {
    // The program runs in the folder of the workspace.
    let json = json.map(std::path::absolute).transpose().map_err(|error| error.to_string())?;
    let json = json.iter().flat_map(|file| [OsStr::new("--json"), file.as_os_str()]);
    for (subject, more) in [
        (["--testee", "builtin"], vec![]),
        (["--adapter", "onnxruntime"], json.collect::<Vec<&OsStr>>()),
    ] {
        let words = ["gate", subject[0], subject[1]].map(OsStr::new);
        match castproof(&[&words[..], &more].concat())? {
            0 => {}
            1 => return Err(format!("{} does not pass", subject[1])),
            code => return Err(format!("{} could not be gated (exit {code})", subject[1])),
        }
    }
    Ok("the built-in implementation passes; ONNX Runtime fails where its baseline says".into())
}

/// Runs the `castproof` program of this workspace and gives its exit status.
fn castproof(arguments: &[&OsStr]) -> Result<i32, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("");
    let status = Command::new(env!("CARGO"))
        .current_dir(root)
        .args(["run", "--quiet", "--package", "castproof", "--"])
        .args(arguments)
        .status()
        .map_err(|error| format!("cargo cannot be run: {error}"))?;
    status
        .code()
        .ok_or_else(|| format!("castproof {:?}: {status}", arguments.join(OsStr::new(" "))))
}
