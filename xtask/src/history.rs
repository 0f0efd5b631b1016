//! docs/history.md: what changed in runtimes from version to version, made of `adapters/NAME/history.json`.

use crate::repository::{is_current, vectors_crate, write_whole};
use castproof::history::{FORMAT, HistoryFile, table};
use std::fs;
use std::path::PathBuf;

/// The page above the tables.
const HEAD: &str = "# What changed from version to version

You want to know in which version a runtime began to cast otherwise. `castproof history` asks several versions, each in a Python environment of its own, and compares
their answers code by code:

```sh
castproof history --adapter numpy-ml-dtypes --versions 0.5.4,0.6.0 --out target/history
```

`--versions` also takes `0.5.0..` and `0.5.0..0.5.4`; without it every version is asked that the adapter lists as `[[history]]` in its
[adapter.toml](plug-in.md#an-adapter), with what pip installs for each. A version is asked once: its answers are a [recording](recordings.md), `VERSION.bin` in the folder,
from which later runs are made in seconds. Once a version is recorded, its environment is removed, unless `--keep` is given. Beside the recordings stands `history.json`, which
[Formats](formats.md#history) describes.

Every version of a runtime is asked for all vectors of ONNX `Cast` at level core, each tensor once, without [arrangements](ci.md). It is judged by the newest version of Cast that
it has of a pair. Strings are left out. *Wrong* means that ONNX rules the result out. *Both are allowed* means that ONNX leaves the result open, such as another NaN.
A runtime without attributes is asked with those that its newest version follows: torch saturates float8e4m3fn since 2.13, so older versions, which
gave NaN, are counted as wrong. The tables below are those of `adapters/NAME/history.json`, asked on Linux x86-64, on the CPU.
";

/// Writes the page, or checks it.
///
/// # Errors
/// If a history cannot be read, or the page is not up to date.
pub(crate) fn history(check: bool) -> Result<String, String> {
    let path = vectors_crate().with_file_name("docs").join("history.md");
    let histories = histories()?;
    let tables = histories.iter().map(|it| format!("\n## {}\n\n{}", it.adapter, table(it)));
    let text = HEAD.to_string() + &tables.collect::<String>();
    if !check {
        write_whole(&path, text)?;
        return Ok(format!("{} histories in {}", histories.len(), path.display()));
    }
    is_current(&path, &text, "cargo xtask history")?;
    Ok("docs/history.md is up to date".into())
}

/// The histories of all adapters that have one, by name.
fn histories() -> Result<Vec<HistoryFile>, String> {
    let adapters = vectors_crate().with_file_name("adapters");
    let folders = fs::read_dir(&adapters).map_err(|it| format!("{}: {it}", adapters.display()))?;
    let files = folders.filter_map(Result::ok).map(|entry| entry.path().join("history.json"));
    let mut files: Vec<PathBuf> = files.filter(|file| file.is_file()).collect();
    files.sort();
    let read = |file: &PathBuf| {
        let problem = |problem: &dyn std::fmt::Display| format!("{}: {problem}", file.display());
        let text = fs::read_to_string(file).map_err(|it| problem(&it))?;
        let history: HistoryFile = serde_json::from_str(&text).map_err(|it| problem(&it))?;
        match history.format == FORMAT {
            true => Ok(history),
            false => Err(problem(&format!("its format is {}, not {FORMAT}", history.format))),
        }
    };
    files.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_up_to_date() {
        history(true).expect("up to date");
    }

    #[test]
    fn every_history_is_of_the_versions_that_its_adapter_lists() {
        let histories = histories().expect("histories");
        assert!(histories.len() > 1);
        for history in histories {
            let (listed, _) =
                castproof::testee::adapter::releases(&history.adapter).expect("a list");
            let listed: Vec<_> = listed.iter().map(|it| (&it.version, &it.packages)).collect();
            let asked: Vec<_> =
                history.versions.iter().map(|it| (&it.version, &it.packages)).collect();
            assert_eq!(asked, listed, "{}", history.adapter);
        }
    }
}
