//! Builds the page of answers.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds it in a folder.
///
/// # Errors
/// If it cannot be built.
pub(crate) fn site(out: &Path) -> Result<String, String> {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../site/build.sh");
    let out = std::path::absolute(out).map_err(|error| format!("{}: {error}", out.display()))?;
    let run = Command::new(&script).arg(&out).status();
    let status = run.map_err(|error| format!("{}: {error}", script.display()))?;
    match status.success() {
        true => Ok(format!("open {} in a browser", out.join("index.html").display())),
        false => Err(format!("site/build.sh: {status}")),
    }
}
