//! Reads results files.

use crate::finding::findings;
use crate::results::{FORMAT, ResultsFile};
use anyhow::{Context, Result, bail};
use castproof_io::{input, sink};
use std::path::Path;

impl ResultsFile {
    /// Reads a results file.
    ///
    /// # Errors
    /// If it cannot be read, or is of another format.
    pub fn read(path: &Path) -> Result<ResultsFile> {
        let place = || format!("results file {}", path.display());
        let text = input::read(path).with_context(place)?;
        let foreign = || format!("{} is not what gate --json writes", place());
        let mut value = serde_json::from_str(&text).with_context(foreign)?;
        input::counts(&value).with_context(foreign)?;
        sink::lines(&mut value);
        let mut file: ResultsFile = serde_json::from_value(value).with_context(foreign)?;
        if file.format != FORMAT {
            bail!("{}: format is '{}'; this program reads {FORMAT}", place(), file.format);
        }
        // Older files do not have this member.
        if file.reductions.is_empty() {
            file.reductions = file.filters.words();
        }
        // The findings in the file are for other readers; here they are computed again.
        file.findings = findings(&file.results);
        Ok(file)
    }
}
